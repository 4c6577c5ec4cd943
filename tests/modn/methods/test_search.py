"""Search: the budget, the gradient it follows, elites."""

import numpy as np
import pytest
from witness import BUDGET, C, M, Witness, make, trained

from modn import filters, methods, optimizers


@pytest.mark.parametrize("name", methods.solvers())
def test_a_step_per_iteration_and_one_for_the_initial_population(name: str) -> None:
    method = methods.Search(optimizers.make(name, population=12))
    problem = methods.neuron_problem(Witness(), "full")
    found = method.train(problem, BUDGET, np.random.default_rng(0))
    assert len(found.curve) == BUDGET + 1


@pytest.mark.parametrize("filter", filters.FIXED)
@pytest.mark.parametrize("gradient", ["exact", "published"])
def test_bp_descends_along_the_gradient_it_is_told_to(filter: str, gradient: str) -> None:
    """One step by hand: w - eta g, for the printed gradient and for the exact one."""
    _, objective = trained("bp", filter, 1, population=1, learning_rate=0.5, gradient=gradient)
    P = filters.FIXED[filter](M, C)
    (first, *_), (second, *_) = objective.seen
    exact, printed = objective.gradient(first, P), objective.published_gradient(first, P, filter)
    expected = exact if gradient == "exact" else printed
    np.testing.assert_allclose(second, first - 0.5 * expected[0], rtol=1e-12)
    assert not np.allclose(exact, printed)


def test_other_gradients_are_refused() -> None:
    with pytest.raises(ValueError, match="Search: gradient is 'numerical'; allowed: exact, published"):
        methods.make("bp", "full", gradient="numerical")


def test_elites_are_evaluated_once() -> None:
    result, objective = trained("ga", "full", 7, elites=5)
    problem = methods.neuron_problem(objective, "full")
    assert result.evaluations == make("ga", "full", elites=5).work(problem, 7).evaluations == 12 + 7 * 7


def test_zero_iterations_give_the_best_of_the_initial_population() -> None:
    result, objective = trained("bbo", "full", 0)
    assert len(result.curve) == 1 and result.loss == objective.best
    synapses, telodendra = np.split(result.parameters, [-2 * C])
    assert np.abs(synapses).max() <= 1
    assert telodendra.min() >= 0 and telodendra.max() <= 1
