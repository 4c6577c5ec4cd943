"""Memetic: the second method continues where the first ended."""

import numpy as np
import pytest
from witness import BUDGET, assert_consistent, trained

from modn import methods


@pytest.mark.parametrize("filter", ["learned", "partition"])
@pytest.mark.parametrize(
    ("first", "then"), [("bbo", "adam"), ("pso", "bp"), ("bbo", "bp"), ("lshade", "adam")]
)
def test_it_descends_from_the_best_that_the_first_found(first: str, then: str, filter: str) -> None:
    alone, _ = trained(first, filter)
    both, objective = trained(f"{first}+{then}", filter)
    assert_consistent(both, objective)
    np.testing.assert_array_equal(both.P, alone.P)
    n = len(alone.curve)
    assert both.curve[:n].tolist() == alone.curve.tolist()
    assert len(both.curve) == n + BUDGET + 1
    assert both.loss < alone.loss


@pytest.mark.parametrize(("own", "budget", "expected"), [(3, 8, 3), (20, 8, 8), (None, 8, 8)])
def test_the_second_has_its_own_budget_within_that_of_the_first(
    own: int | None, budget: int, expected: int
) -> None:
    both, _ = trained("bbo+adam", "full", budget, then={"iterations": own})
    assert len(both.curve) == (budget + 1) + (expected + 1)


def test_it_can_be_stopped_before_the_second() -> None:
    both, _ = trained("bbo+adam", "full", on_step=lambda step, _: step == 3)
    assert len(both.curve) == 4


def test_its_budget_is_that_of_the_first() -> None:
    method = methods.make("bbo+adam", "full", first={"iterations": 17})
    assert method.iterations == 17 and not method.uses_gradient
    assert methods.make("adam+bp", "full").uses_gradient


def test_its_cost_counts_the_gradients_of_either_part() -> None:
    method = methods.make("bbo+adam", "full", first={"population": 20}, then={"iterations": 10})
    assert method.cost(None, 30) == 20 * 31 + 11
    assert method.cost(None, 30, gradient=5.0) == 20 * 31 + 5 * 11
    assert method.iterations_within(None, 20 * 31 + 5 * 11, gradient=5.0) == 30
    with pytest.raises(ValueError, match="evaluations is 3; allowed: a finite number >= 25"):
        method.iterations_within(None, 3, gradient=5.0)
    assert method.plans_ahead and not methods.make("bbo", "learned").plans_ahead
    assert methods.make("bbo", "learned", rounds=2).plans_ahead and methods.make("lshade", "full").plans_ahead
