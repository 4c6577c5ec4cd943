"""What holds for every solver and filter, and how a solver's name becomes a method."""

import itertools
import warnings
from typing import Any

import numpy as np
import pytest
from witness import BUDGET, POPULATION, C, D, M, Witness, assert_consistent, make, small, trained

from modn import filters, methods, optimizers
from modn.fast.dnm import DNMObjective
from modn.fast.mlp import MLPObjective
from modn.methods import Descent, Memetic, Search, Start, Training, TwoStep

PAIRS = ["bbo+adam", "pso+bp"]
SOLVERS = [*methods.solvers(), *PAIRS]
FILTERS = [methods.LEARNED, *filters.FIXED]
CASES = [
    (solver, filter)
    for solver, filter in itertools.product(SOLVERS, FILTERS)
    if filter != methods.LEARNED or methods.learns_filter(solver)
]
every_case = pytest.mark.parametrize(("solver", "filter"), CASES)
every_solver = pytest.mark.parametrize("solver", SOLVERS)


def is_descent(solver: str, filter: str) -> bool:
    """Whether the curve follows another loss than Eq. 10."""
    return isinstance(make(solver, filter), Descent)


@every_case
def test_what_is_returned_is_a_neuron_with_the_loss_it_says(solver: str, filter: str) -> None:
    result, objective = trained(solver, filter)
    assert_consistent(result, objective)
    assert (np.diff(result.curve) <= 0).all()
    if filter != methods.LEARNED:
        np.testing.assert_array_equal(result.P, filters.FIXED[filter](M, C))
        assert result.filter_steps == 0
    if not is_descent(solver, filter):
        assert result.loss == objective.best == result.curve[-1]
        assert result.evaluations == len(objective.seen)


@every_case
def test_the_same_seed_gives_the_same_bytes_and_another_another(solver: str, filter: str) -> None:
    one, two, other = (trained(solver, filter, seed=seed)[0] for seed in (1, 1, 2))
    for part in ("parameters", "P", "curve"):
        assert getattr(one, part).tobytes() == getattr(two, part).tobytes()
    assert one.parameters.tobytes() != other.parameters.tobytes()


@every_case
@pytest.mark.parametrize("started", [False, True])
@pytest.mark.parametrize(("budget", "rounds"), [(0, 1), (7, 1), (7, 3)])
def test_the_work_is_known_beforehand(
    solver: str, filter: str, started: bool, budget: int, rounds: int
) -> None:
    steps: list[int] = []
    start = Start(*_found(solver, filter)) if started else None
    result, objective = trained(
        solver, filter, budget, rounds=rounds, start=start, on_step=lambda step, loss: steps.append(step)
    )
    problem = methods.neuron_problem(objective, filter)
    work = make(solver, filter, rounds=rounds).work(problem, budget, started)
    assert result.evaluations == work.evaluations
    assert steps == list(range(work.steps))


def _found(solver: str, filter: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    P = filters.FIXED[filter](M, C) if filter in filters.FIXED else rng.random((M, C)) < 0.5
    return rng.uniform(-1, 1, Witness().n_parameters), P


@every_case
def test_training_continues_from_a_start(solver: str, filter: str) -> None:
    first, objective = trained(solver, filter)
    second, _ = trained(solver, filter, seed=1, start=first.as_start())
    assert_consistent(second, objective)
    if not is_descent(solver, filter):
        # the kernels' float32 sums depend on the size of the population
        assert second.loss <= first.loss + 1e-6 and second.curve[0] <= first.loss + 1e-6
        nothing, _ = trained(solver, filter, 0, seed=1, filter_iterations=0, start=first.as_start())
        assert nothing.loss <= first.loss + 1e-6


@every_case
@pytest.mark.parametrize("stop", [0, 3, BUDGET])
def test_on_step_can_stop_the_training(solver: str, filter: str, stop: int) -> None:
    seen: list[tuple[int, float]] = []

    def on_step(step: int, loss: float) -> bool:
        seen.append((step, loss))
        return step == stop

    result, objective = trained(solver, filter, on_step=on_step)
    assert [step for step, _ in seen] == list(range(stop + 1))
    assert_consistent(result, objective)
    if not is_descent(solver, filter):
        assert [loss for _, loss in seen] == result.curve.tolist()
        assert result.evaluations == len(objective.seen)


@every_case
def test_on_step_that_only_watches_changes_nothing(solver: str, filter: str) -> None:
    watched, _ = trained(solver, filter, on_step=lambda step, loss: None)
    unwatched, _ = trained(solver, filter)
    assert watched.parameters.tobytes() == unwatched.parameters.tobytes()
    assert watched.curve.tobytes() == unwatched.curve.tobytes()


@every_case
def test_a_negative_budget_is_refused(solver: str, filter: str) -> None:
    with pytest.raises(ValueError, match="is -1; allowed: an integer >= 0"):
        trained(solver, filter, -1)


@pytest.mark.parametrize(("solver", "filter"), [case for case in CASES if case[1] == "partition"])
def test_a_start_with_another_filter_is_refused(solver: str, filter: str) -> None:
    start = Start(np.zeros(Witness().n_parameters), filters.full(M, C))
    with pytest.raises(ValueError, match="start has another P than the problem; allowed: the same P"):
        trained(solver, filter, start=start)


@every_case
def test_a_start_of_another_shape_is_refused(solver: str, filter: str) -> None:
    _, P = _found(solver, filter)
    with pytest.raises(ValueError, match=r"(start|parameters) has the shape .*; allowed: "):
        trained(solver, filter, start=Start(np.zeros(5), P))


# Models without a filter


def baselines() -> dict[str, Any]:
    rng = np.random.default_rng(5)
    X = rng.random((40, 3))
    y = (X[:, 0] > X[:, 1]).astype(int)
    return {"dnm": DNMObjective(X, y, 4, 10.0, 1.0, 0.5), "mlp": MLPObjective(X, y, 4, 2)}


@every_solver
@pytest.mark.parametrize("model", baselines())
def test_models_without_a_filter_are_trained_likewise(solver: str, model: str) -> None:
    problem, method = baselines()[model], methods.make(solver, None, **small(solver))
    found, again = (method.train(problem, 30, np.random.default_rng(0)) for _ in range(2))
    assert found.P is None and found.filter_steps == 0
    np.testing.assert_allclose(found.loss, problem.loss(found.parameters)[0], atol=1e-6)
    assert found.curve[-1] == found.loss < found.curve[0]
    assert found.parameters.tobytes() == again.parameters.tobytes()
    work = method.work(problem, 30)
    assert (found.evaluations, len(found.curve)) == work
    further = method.train(problem, 0, np.random.default_rng(1), start=found.as_start())
    assert further.loss <= found.loss + 1e-6


def test_an_mlp_trained_by_adam_is_as_good_as_scikit_learns() -> None:
    """The same net, so that Table 5's properly trained row can be trusted."""
    from sklearn.datasets import load_wine
    from sklearn.neural_network import MLPClassifier

    X, y = load_wine(return_X_y=True)
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    ours = methods.make("adam").train(MLPObjective(X, y, 10, 3), 300, np.random.default_rng(0))
    net = MLPClassifier((10,), "logistic", solver="adam", alpha=0, learning_rate_init=0.05, max_iter=300)
    theirs = net.set_params(batch_size=len(y), n_iter_no_change=300, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says that 300 iterations were all used
        theirs.fit(X, y)
    assert ours.loss < 2 * theirs.loss_ < 0.05


# From a name to a method


@pytest.mark.parametrize("name", methods.solvers())
def test_a_solver_becomes_the_method_that_the_model_needs(name: str) -> None:
    expected = Descent if name == methods.DESCENT else Search
    assert type(methods.make(name)) is Search
    assert type(methods.make(name, "full")) is expected
    if methods.learns_filter(name):
        assert type(methods.make(name, "learned")) is (Descent if name == methods.DESCENT else TwoStep)
    else:
        able = [solver for solver in methods.solvers() if methods.learns_filter(solver)]
        with pytest.raises(ValueError, match=f"solver is '{name}'; allowed: {', '.join(able)}, since"):
            methods.make(name, "learned")


@every_solver
def test_every_parameter_can_be_set(solver: str) -> None:
    defaults = methods.parameters(solver)
    assert methods.make(solver, "full", **defaults) == methods.make(solver, "full")
    optimizer = optimizers.parameters_class(solver.partition(methods.JOINED)[0])
    first = defaults["first"] if methods.JOINED in solver else defaults
    assert set(first) >= set(optimizer.__match_args__)


@every_solver
def test_an_unknown_parameter_lists_the_allowed(solver: str) -> None:
    known = ", ".join(methods.parameters(solver, has_filter=False))
    message = f"{solver} has no parameter 'nope'; allowed: {known}".replace("+", r"\+")
    with pytest.raises(ValueError, match=message):
        methods.make(solver, nope=1)


def test_a_pair_has_the_parameters_of_both() -> None:
    method = methods.make("bbo+adam", "full", first={"population": 7}, then={"learning_rate": 0.5})
    assert isinstance(method, Memetic)
    assert isinstance(method.first, Search) and isinstance(method.then, Search)
    assert method.first.optimizer == optimizers.make("bbo", population=7, iterations=100)
    assert method.then.optimizer == optimizers.make("adam", learning_rate=0.5, iterations=100)
    for part in ("first", "then"):
        with pytest.raises(ValueError, match="has no parameter 'nope'; allowed: population, "):
            methods.make("bbo+adam", **{part: {"nope": 1}})


@pytest.mark.parametrize(
    ("solver", "filter", "message"),
    [
        ("nope", None, "optimizer is 'nope'; allowed: adam, "),
        ("nope+adam", None, "optimizer is 'nope'; allowed: adam, "),
        ("bbo+nope", None, "optimizer is 'nope'; allowed: adam, "),
        ("bbo+bp+adam", None, r"solver is 'bbo\+bp\+adam'; allowed: one name, or two joined by '\+'"),
        ("bbo", "round", "filter is 'round'; allowed: full, learned, partition"),
    ],
)
def test_what_is_no_solver_is_refused(solver: str, filter: str | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        methods.make(solver, filter)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"first": 3}, r"bbo\+adam: first is 3; allowed: a mapping from names to values"),
        ({"first": {"filter_iterations": 3}}, r"bbo\+adam: first has no parameter 'filter_iterations'"),
    ],
)
def test_the_options_of_a_pair_are_checked(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        methods.make("bbo+adam", **options)


@pytest.mark.parametrize(("solver", "option"), [("adam", "decays"), ("bp", "gradient")])
def test_a_model_without_a_filter_has_no_options_for_filters(solver: str, option: str) -> None:
    assert option in methods.parameters(solver)
    with pytest.raises(ValueError, match=f"{solver} has no parameter '{option}'; allowed: population, "):
        methods.make(solver, None, **{option: "published"})


def test_any_two_solvers_are_a_pair() -> None:
    method = methods.make("adam+pbil", "full")
    assert isinstance(method, Memetic) and isinstance(method.then, Search)
    assert method.then.optimizer == optimizers.make("pbil", iterations=100)


def test_what_is_no_optimizer_is_refused() -> None:
    with pytest.raises(ValueError, match="Search: optimizer is 'bbo'; allowed: an instance of Optimizer"):
        Search("bbo")  # type: ignore[arg-type]


def test_impossible_schemes_are_refused() -> None:
    with pytest.raises(ValueError, match="TwoStep: filter_iterations is -2; allowed: an integer >= 0"):
        methods.make("bbo", "learned", filter_iterations=-2)
    with pytest.raises(ValueError, match="TwoStep: rounds is 0; allowed: an integer >= 1"):
        methods.make("bbo", "learned", rounds=0)


def test_trainings_are_joined() -> None:
    P = np.ones((1, 1), bool)
    first = Training(np.zeros(1), P, 2.0, np.array([3.0, 2.0]), 2, 10)
    both = first.followed_by(Training(np.ones(1), P, 1.0, np.array([1.0]), 0, 5))
    assert both.parameters == 1 and both.loss == 1 and both.curve.tolist() == [3, 2, 1]
    assert both.filter_steps == 2 and both.evaluations == 15


def test_the_search_starts_in_the_boxes_of_the_authors() -> None:
    for filter in FILTERS:
        space = methods.neuron_problem(Witness(), filter).space
        assert space.size == 2 * D * M + 2 * C
        assert space.lower.tolist() == [-1] * (2 * D * M) + [0] * (2 * C)
        assert space.upper.tolist() == [1] * (2 * D * M + 2 * C)


def test_a_population_of_its_own() -> None:
    """The small populations above are what was asked for."""
    assert trained("bbo", "full", 0)[0].evaluations == POPULATION
