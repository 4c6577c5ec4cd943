"""TwoStep: what each step keeps and where it begins, how rounds share the budget, where it stops."""

import numpy as np
import pytest
from witness import BUDGET, FILTER_ITERATIONS, POPULATION, assert_consistent, trained

from modn import methods

HEURISTICS = [name for name in methods.solvers() if type(methods.make(name, "full")) is methods.Search]
LEARNING = [name for name in HEURISTICS if methods.learns_filter(name)]


@pytest.mark.parametrize("rounds", [1, 3])
@pytest.mark.parametrize("solver", LEARNING)
def test_each_step_has_a_point_of_the_curve(solver: str, rounds: int) -> None:
    result, _ = trained(solver, rounds=rounds)
    # each search of a round also evaluates its initial population: one more point than its iterations
    assert len(result.curve) == BUDGET + rounds + rounds * (FILTER_ITERATIONS + 1)
    assert result.filter_steps == rounds * (FILTER_ITERATIONS + 1)


def test_step_one_keeps_the_parameters_and_step_two_the_filter() -> None:
    result, objective = trained()
    n = POPULATION
    start, step_one, step_two = np.split(np.arange(len(objective.seen)), [n, n * (FILTER_ITERATIONS + 2)])
    seen = objective.seen
    best = min((seen[k] for k in start), key=lambda one: one[2])
    assert all((seen[k][0] == best[0]).all() for k in step_one)
    assert len({seen[k][1].tobytes() for k in step_one}) > n
    assert len(step_two) == n * (BUDGET + 1)
    assert all((seen[k][1] == result.P).all() for k in step_two)
    assert len({seen[k][0].tobytes() for k in step_two}) > n


def test_each_step_begins_at_the_best_of_the_one_before() -> None:
    _, objective = trained(budget=6, filter_iterations=3, rounds=2)
    # initial draw 1, filter 4, parameters 4, filter 4, parameters 4: populations of 12
    for begin in (POPULATION * k for k in (1, 5, 9, 13)):
        best = min(loss for *_, loss in objective.seen[:begin])
        first = objective.seen[begin : begin + POPULATION]
        # another kernel may add up the same loss in another order
        assert min(abs(loss - best) for *_, loss in first) < 1e-6


@pytest.mark.parametrize(("budget", "rounds"), [(10, 3), (2, 3), (300, 7), (5, 1)])
def test_the_rounds_share_the_whole_budget(budget: int, rounds: int) -> None:
    result, _ = trained(budget=budget, filter_iterations=0, rounds=rounds, population=4)
    assert len(result.curve) == budget + rounds + rounds * 1
    assert result.filter_steps == rounds


@pytest.mark.parametrize("stop", [0, 3, 5, 6, 9, 14])
def test_it_stops_in_either_step(stop: int) -> None:
    result, objective = trained(on_step=lambda step, _: step == stop)
    assert len(result.curve) == stop + 1
    assert result.filter_steps == min(stop + 1, FILTER_ITERATIONS + 1)
    assert result.evaluations == len(objective.seen) == POPULATION * (1 + stop + 1)
    assert result.loss == objective.best
    assert_consistent(result, objective)


def test_a_stop_in_the_first_round_is_a_stop_of_all() -> None:
    result, _ = trained(budget=9, filter_iterations=2, rounds=3, on_step=lambda step, _: step == 4)
    assert len(result.curve) == 5
