"""The two-step trainer: what it returns is what it evaluated, with every kind of optimizer and filter."""

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from modn.methods.training import Schedule, Training, n_callbacks, n_evaluations, parameter_space, train

from modn import filters, optimizers
from modn.dnm import DNMObjective
from modn.fast.objective import Objective
from modn.loss import cross_entropy
from modn.mlp import MLPObjective
from modn.neuron import Neuron
from modn.optimizers import Space, make

HEURISTICS = ["bbo", "es", "ga", "pbil", "pso"]
GRADIENTS = ["adam", "bp"]
M, C, D = 6, 3, 4


class Witness(Objective):
    """An objective that keeps every individual it was asked about."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        y = np.arange(30) % C
        super().__init__(rng.random((30, D)) * 0.5 + 0.15 * y[:, None], y, M, C, alpha_s=10.0, alpha_t=1.0)
        self.seen: list[tuple[np.ndarray, np.ndarray, float]] = []

    def loss(self, parameters: np.ndarray, P: np.ndarray) -> np.ndarray:  # type: ignore[override]
        return self._keep(parameters, P, super().loss(parameters, P))

    def loss_and_gradient(  # type: ignore[override]
        self, parameters: np.ndarray, P: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        losses, gradient = super().loss_and_gradient(parameters, P)
        return self._keep(parameters, P, losses), gradient

    def _keep(self, parameters: np.ndarray, P: np.ndarray, losses: np.ndarray) -> np.ndarray:
        rows = np.broadcast_to(parameters, (len(losses), self.n_parameters))
        each = np.broadcast_to(P, (len(losses), M, C))
        self.seen += [
            (row.copy(), p.copy(), float(loss)) for row, p, loss in zip(rows, each, losses, strict=True)
        ]
        return losses


def trained(
    name: str = "bbo",
    filter: str = "learned",
    schedule: Schedule | None = None,
    callback: Callable[[int, float], bool | None] | None = None,
    seed: int = 0,
    population: int = 12,
) -> tuple[Training, Witness]:
    objective = Witness()
    optimizer = optimizers.make(name, population=population)
    result = train(
        objective, optimizer, schedule or Schedule(8, 5), np.random.default_rng(seed), filter, callback
    )
    return result, objective


def reads_back(result: Training, objective: Witness) -> None:
    """The reported loss is that of the returned neuron, by the readable equations too."""
    assert result.P.shape == (M, C) and result.P.dtype == np.bool_
    assert result.parameters.shape == (objective.n_parameters,)
    assert Objective.loss(objective, result.parameters, result.P)[0] == pytest.approx(result.loss, abs=1e-6)
    neuron = Neuron.from_parameters(result.parameters, result.P, D, 10.0, 1.0)
    assert cross_entropy(neuron.predict_proba(objective.X), objective.y) == pytest.approx(
        result.loss, abs=1e-4
    )


@pytest.mark.parametrize("filter", ["partition", "full"])
@pytest.mark.parametrize("name", [*HEURISTICS, "bp"])
def test_a_given_filter_stays_and_the_best_ever_is_returned(name: str, filter: str) -> None:
    result, objective = trained(name, filter)
    np.testing.assert_array_equal(result.P, getattr(filters, filter)(M, C))
    reads_back(result, objective)
    assert result.loss == min(loss for *_, loss in objective.seen)
    assert len(result.curve) == 8 + 1 and result.filter_iterations == 0
    assert (np.diff(result.curve) <= 0).all() and result.curve[-1] == result.loss
    assert result.evaluations == len(objective.seen)


@pytest.mark.parametrize("rounds", [1, 3])
@pytest.mark.parametrize("name", HEURISTICS)
def test_a_learned_filter_and_the_best_ever_are_returned(name: str, rounds: int) -> None:
    result, objective = trained(name, schedule=Schedule(8, 5, rounds))
    reads_back(result, objective)
    assert result.loss == min(loss for *_, loss in objective.seen)
    # each search of a round also evaluates its initial population: one more point than its iterations
    assert len(result.curve) == 8 + rounds + rounds * (5 + 1)
    assert result.filter_iterations == rounds * (5 + 1)
    assert (np.diff(result.curve) <= 0).all() and result.curve[-1] == result.loss
    assert result.evaluations == len(objective.seen)


def test_step_one_keeps_the_parameters_and_step_two_the_filter() -> None:
    result, objective = trained(schedule=Schedule(8, 5))
    start, step_one, step_two = objective.seen[:12], objective.seen[12 : 12 * 7], objective.seen[12 * 7 :]
    best = min(start, key=lambda one: one[2])
    assert all((row == best[0]).all() for row, *_ in step_one)
    assert len({P.tobytes() for _, P, _ in step_one}) > 12
    assert len(step_two) == 12 * 9
    assert all((P == result.P).all() for _, P, _ in step_two)
    assert len({row.tobytes() for row, *_ in step_two}) > 12


def test_each_step_begins_at_the_best_of_the_one_before() -> None:
    _, objective = trained(schedule=Schedule(6, 3, rounds=2))
    # initial draw 1, filter 4, parameters 4, filter 4, parameters 4: populations of 12
    begins = [12 * k for k in (1, 5, 9, 13)]
    for begin in begins:
        best = min(loss for *_, loss in objective.seen[:begin])
        first = objective.seen[begin : begin + 12]
        # another kernel may add up the same loss in another order
        assert min(abs(loss - best) for *_, loss in first) < 1e-6


@pytest.mark.parametrize(("total", "rounds"), [(10, 3), (2, 3), (300, 7), (5, 1)])
def test_the_rounds_share_the_whole_budget(total: int, rounds: int) -> None:
    result, _ = trained(schedule=Schedule(total, 0, rounds), population=4)
    assert len(result.curve) == total + rounds + rounds * 1
    assert result.filter_iterations == rounds


@pytest.mark.parametrize("filter", ["learned", "full"])
def test_zero_iterations_give_the_best_of_the_initial_populations(filter: str) -> None:
    result, objective = trained(filter=filter, schedule=Schedule(0, 0))
    reads_back(result, objective)
    assert len(result.curve) == (2 if filter == "learned" else 1)
    assert result.loss == min(loss for *_, loss in objective.seen)
    synaptic, telodendral = np.split(result.parameters, [2 * D * M])
    assert np.abs(synaptic).max() <= 1
    assert telodendral.min() >= 0 and telodendral.max() <= 1


@pytest.mark.parametrize("stop", [0, 3, 5, 6, 9, 14])
def test_a_callback_stops_at_its_iteration_in_either_step(stop: int) -> None:
    told: list[tuple[int, float]] = []

    def callback(iteration: int, loss: float) -> bool:
        told.append((iteration, loss))
        return iteration == stop

    result, objective = trained(schedule=Schedule(8, 5), callback=callback)
    assert [iteration for iteration, _ in told] == list(range(stop + 1))
    assert [loss for _, loss in told] == result.curve.tolist()
    assert result.filter_iterations == min(stop + 1, 6)
    assert result.evaluations == len(objective.seen) == 12 * (1 + stop + 1)
    assert result.loss == min(loss for *_, loss in objective.seen)
    reads_back(result, objective)


def test_a_callback_that_only_watches_changes_nothing() -> None:
    watched, _ = trained(callback=lambda iteration, loss: None)
    unwatched, _ = trained()
    assert watched.parameters.tobytes() == unwatched.parameters.tobytes()
    assert watched.curve.tobytes() == unwatched.curve.tobytes()


def test_a_stop_in_the_first_round_is_a_stop_of_all() -> None:
    result, _ = trained(schedule=Schedule(9, 2, rounds=3), callback=lambda iteration, _: iteration == 4)
    assert len(result.curve) == 5


@pytest.mark.parametrize("rounds", [1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_repair_leaves_no_dendrite_without_an_output(seed: int, rounds: int) -> None:
    left, _ = trained(schedule=Schedule(4, 2, rounds), seed=seed)
    repaired, objective = trained(schedule=Schedule(4, 2, rounds, repair=True), seed=seed)
    assert repaired.inoperative_dendrites == 0
    assert left.inoperative_dendrites == (~left.P.any(axis=1)).sum()
    reads_back(repaired, objective)
    assert repaired.curve[-1] == repaired.loss


def test_repair_is_put_to_the_test() -> None:
    """Among the seeds above there are filters to be repaired, and outputs are those of MODNP."""
    fresh = [trained(schedule=Schedule(0, 2), seed=seed)[0] for seed in range(6)]
    mended = [trained(schedule=Schedule(0, 2, repair=True), seed=seed)[0] for seed in range(6)]
    idle = [~one.P.any(axis=1) for one in fresh]
    assert sum(one.sum() for one in idle) > 0
    for before, after, rows in zip(fresh, mended, idle, strict=True):
        np.testing.assert_array_equal(after.P[rows], filters.partition(M, C)[rows])
        np.testing.assert_array_equal(after.P[~rows], before.P[~rows])


@pytest.mark.parametrize("name", HEURISTICS + GRADIENTS)
def test_the_same_seed_gives_the_same_bytes_and_another_another(name: str) -> None:
    filter = "learned" if name in HEURISTICS else "partition"
    one, two, other = (trained(name, filter, seed=seed)[0] for seed in (1, 1, 2))
    for part in ("parameters", "P", "curve"):
        assert getattr(one, part).tobytes() == getattr(two, part).tobytes()
    assert one.parameters.tobytes() != other.parameters.tobytes()


@pytest.mark.parametrize(("filter", "rule"), [("partition", "partition"), ("full", "full")])
def test_bp_descends_along_the_gradient_it_is_told_to(filter: str, rule: str) -> None:
    """One step by hand: w - eta g, for the printed gradient and for the exact one."""
    objective = Witness()
    P = getattr(filters, filter)(M, C)
    for kind in ("exact", "published"):
        objective.seen.clear()
        bp = optimizers.make("bp", population=1, learning_rate=0.5, gradient=kind)
        train(objective, bp, Schedule(1), np.random.default_rng(3), filter)
        (first, *_), (second, *_) = objective.seen
        exact, printed = objective.gradient(first, P), objective.published_gradient(first, P, rule)
        expected = exact if kind == "exact" else printed
        np.testing.assert_allclose(second, first - 0.5 * expected[0], rtol=1e-12)
        assert not np.allclose(exact, printed)


def test_the_search_starts_in_the_boxes_of_the_authors() -> None:
    objective = Witness()
    space = parameter_space(objective)
    assert isinstance(space, Space) and space.size == objective.n_parameters == 2 * D * M + 2 * C
    assert space.lower.tolist() == [-1] * (2 * D * M) + [0] * (2 * C)
    assert space.upper.tolist() == [1] * (2 * D * M + 2 * C)


@pytest.mark.parametrize(
    ("name", "filter"),
    [(name, "learned") for name in HEURISTICS] + [("adam", "partition"), ("bp", "full"), ("bbo", "full")],
)
def test_training_goes_on_from_a_start(name: str, filter: str) -> None:
    first, objective = trained(name, filter)
    start = (first.parameters, first.P)
    optimizer, schedule = make(name, population=12), Schedule(6, 3)
    second = train(objective, optimizer, schedule, np.random.default_rng(1), filter, start=start)
    reads_back(second, objective)
    at_most = first.loss + 1e-6  # the kernels' float32 sums depend on the size of the population
    assert second.loss <= at_most and second.curve[0] <= at_most
    none = train(objective, optimizer, Schedule(0, 0), np.random.default_rng(1), filter, start=start)
    assert none.loss <= at_most


def test_a_baseline_goes_on_from_a_start() -> None:
    objective = MLPObjective(Witness().X, Witness().y, n_hidden=3, n_classes=C)
    first = train(objective, make("adam"), Schedule(50), np.random.default_rng(0))
    start = (first.parameters, None)
    second = train(objective, make("adam"), Schedule(0), np.random.default_rng(1), start=start)
    assert np.array_equal(second.parameters, first.parameters) and second.loss == pytest.approx(first.loss)


def test_a_start_with_another_filter_is_refused() -> None:
    first, objective = trained("adam", "full")
    with pytest.raises(ValueError, match="start has another P than filter='partition'"):
        train(
            objective,
            make("adam"),
            Schedule(1),
            np.random.default_rng(0),
            "partition",
            start=(first.parameters, first.P),
        )


@pytest.mark.parametrize("started", [False, True])
@pytest.mark.parametrize("filter", ["learned", "partition"])
@pytest.mark.parametrize("name", ["bbo", "bbo+adam", "adam"])
def test_the_number_of_callbacks_is_known_beforehand(name: str, filter: str, started: bool) -> None:
    schedule, calls = Schedule(8, filter_iterations=3, rounds=2), []
    first, objective = trained(name, filter)
    start = (first.parameters, first.P) if started else None
    rng = np.random.default_rng(0)
    train(objective, make(name), schedule, rng, filter, lambda *call: calls.append(call), start)
    assert len(calls) == n_callbacks(make(name), schedule, filter, started)


@pytest.mark.parametrize("schedule", [Schedule(0, 0), Schedule(7, 3), Schedule(7, 3, rounds=2)], ids=str)
@pytest.mark.parametrize("filter", ["learned", "partition", "full"])
@pytest.mark.parametrize("name", optimizers.names())
def test_the_number_of_evaluations_is_known_beforehand(name: str, filter: str, schedule: Schedule) -> None:
    if filter == "learned" and not make(name).learns_filter:
        return
    result, _ = trained(name, filter, schedule)
    assert result.evaluations == n_evaluations(make(name, population=12), schedule, filter)


def test_elites_are_evaluated_once() -> None:
    optimizer = make("ga", population=12, elites=5)
    result = train(Witness(), optimizer, Schedule(7), np.random.default_rng(0), "full")
    assert result.evaluations == n_evaluations(optimizer, Schedule(7), "full") == 12 + 7 * 7


def test_adam_with_one_decay_has_nothing_to_choose() -> None:
    optimizer = make("adam", decays=(0.01,))
    result = train(Witness(), optimizer, Schedule(7), np.random.default_rng(0), "learned")
    assert result.evaluations == n_evaluations(optimizer, Schedule(7), "learned") == 8


@pytest.mark.parametrize("name", optimizers.names())
def test_the_evaluations_of_a_baseline_are_known_beforehand(name: str) -> None:
    objective = MLPObjective(Witness().X, Witness().y, n_hidden=3, n_classes=C)
    result = train(objective, make(name), Schedule(7), np.random.default_rng(0))
    assert result.evaluations == n_evaluations(make(name), Schedule(7), None)


def test_an_unknown_filter_is_refused() -> None:
    with pytest.raises(ValueError, match="filter is 'round'; allowed: learned, partition, full"):
        trained(filter="round")


def test_the_papers_gradient_cannot_learn_a_filter() -> None:
    with pytest.raises(ValueError, match=r"bp follows a gradient .*allowed: partition, full"):
        trained("bp", "learned")


@pytest.mark.parametrize("filter", ["learned", "partition"])
def test_a_memetic_optimizer_goes_down_from_the_best_of_its_heuristic(filter: str) -> None:
    alone, _ = trained("bbo", filter)
    polished, objective = trained("bbo+adam", filter)
    reads_back(polished, objective)
    np.testing.assert_array_equal(polished.P, alone.P)
    n = len(alone.curve)
    assert polished.curve[:n].tolist() == alone.curve.tolist()
    assert len(polished.curve) == n + 8 + 1  # a cap on the iterations is one on the steps
    assert (np.diff(polished.curve) <= 0).all() and polished.curve[-1] == polished.loss < alone.loss


def test_a_memetic_optimizer_can_be_stopped_before_it_goes_down() -> None:
    result, _ = trained("bbo+adam", "full", callback=lambda iteration, _: iteration == 3)
    assert len(result.curve) == 4


def test_dendrites_that_cannot_be_shared_out_are_refused() -> None:
    objective = Objective(np.zeros((4, 2)), [0, 1, 2, 0], 7, 3, 10.0, 1.0)
    with pytest.raises(ValueError, match="n_dendrites=7, n_classes=3"):
        train(objective, optimizers.make("bbo"), Schedule(1), np.random.default_rng(), "partition")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((-1,), "parameter_iterations is -1; allowed: an integer >= 0"),
        ((1, -2), "filter_iterations is -2; allowed: an integer >= 0"),
        ((1, 1, 0), "rounds is 0; allowed: an integer >= 1"),
    ],
)
def test_an_impossible_schedule_is_refused(values: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Schedule(*values)


def test_the_seconds_are_accounted_for() -> None:
    result, _ = trained()
    assert set(result.seconds) == {"filter", "parameters", "optimizer", "objective"}
    assert min(result.seconds.values()) > 0


@pytest.mark.parametrize("optimizer", ["bbo", "bp", "adam"])
def test_baselines_go_through_the_same_door(optimizer: str) -> None:
    rng = np.random.default_rng(5)
    X = rng.random((40, 3))
    y = (X[:, 0] > X[:, 1]).astype(int)
    for objective in (DNMObjective(X, y, 4, 10.0, 1.0, 0.5), MLPObjective(X, y, 4, 2)):
        found = train(objective, make(optimizer), Schedule(30), np.random.default_rng(0))
        again = train(objective, make(optimizer), Schedule(30), np.random.default_rng(0))
        assert found.P is None and found.inoperative_dendrites == 0 and found.filter_iterations == 0
        assert found.loss == pytest.approx(float(objective.loss(found.parameters)[0]), abs=1e-6)
        assert len(found.curve) == 31 and found.curve[-1] < found.curve[0]
        assert found.parameters.tobytes() == again.parameters.tobytes()
        with pytest.raises(ValueError, match=r"filter is 'full'; allowed: None"):
            train(objective, make(optimizer), Schedule(1), np.random.default_rng(0), filter="full")


def test_an_mlp_trained_by_adam_is_as_good_as_scikit_learns() -> None:
    """The same net, so that Table 5's properly trained row can be trusted."""
    from sklearn.datasets import load_wine
    from sklearn.neural_network import MLPClassifier

    X, y = load_wine(return_X_y=True)
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    ours = train(MLPObjective(X, y, 10, 3), make("adam"), Schedule(300), np.random.default_rng(0))
    net = MLPClassifier((10,), "logistic", solver="adam", alpha=0, learning_rate_init=0.05, max_iter=300)
    theirs = net.set_params(batch_size=len(y), n_iter_no_change=300, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says that 300 iterations were all used
        theirs.fit(X, y)
    assert ours.loss < 2 * theirs.loss_ < 0.05
