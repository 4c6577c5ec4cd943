"""`modn.train`: the method it makes is the one asked for, and its result that of the method."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import modn
from modn import methods

X, y = load_iris(return_X_y=True)
OBJECTIVE = modn.Objective(X / 8, y, n_dendrites=6, n_classes=3, alpha_s=10.0, alpha_t=1.0)


@pytest.mark.parametrize("filter", modn.filters.NAMES)
@pytest.mark.parametrize("solver", ["bbo", "adam", "ga+adam"])
def test_it_is_the_method_with_a_seed(solver: str, filter: str) -> None:
    trained = modn.train(OBJECTIVE, solver, filter, budget=4, random_state=3)
    method = methods.make(solver, filter)
    again = method.train(methods.neuron_problem(OBJECTIVE, filter), 4, np.random.default_rng(3))
    assert np.array_equal(trained.parameters, again.parameters) and np.array_equal(trained.P, again.P)
    assert trained.loss == again.loss


def test_options_steps_and_start() -> None:
    steps: list[int] = []
    modn.train(
        OBJECTIVE, "bbo", budget=5, population=7, filter_iterations=2, on_step=lambda k, _: steps.append(k)
    )
    assert steps == list(range(2 + 5 + 2))
    stopped = modn.train(OBJECTIVE, "bbo", "full", budget=50, on_step=lambda k, _: k == 3)
    assert len(stopped.curve) == 4
    start = methods.Start(stopped.parameters, stopped.P)
    assert modn.train(OBJECTIVE, "bbo", "full", budget=2, start=start).loss <= stopped.loss


def test_the_budget_is_the_solvers_own() -> None:
    few = modn.train(OBJECTIVE, "adam", "partition", iterations=3, decays=(0.01,), random_state=0)
    assert len(few.curve) == 4
    heuristic = modn.train(OBJECTIVE, "bbo", "partition", population=2, random_state=0)
    assert len(heuristic.curve) == 301


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"solver": "sgd"}, "'sgd'; allowed: adam, bbo"),
        ({"filter": "none"}, "filter is 'none'; allowed: full, learned, partition"),
        ({"budget": -1}, "budget is -1; allowed: an integer >= 0"),
        ({"solver": "bp"}, "since the filter P is learned"),
        ({"speed": 1}, "adam has no parameter 'speed'"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        modn.train(OBJECTIVE, **arguments)  # type: ignore[arg-type]
