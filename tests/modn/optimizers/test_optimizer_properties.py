"""What holds for every registered optimizer, in real and Boolean spaces."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from modn.optimizers import Minimum, Optimizer, Space, load_state, make, minimize, names, save_state

BOX = Space.box([-2.0, 0.0, -1.0, 3.0, 0.5], [1.0, 4.0, -0.5, 3.0, 7.5])  # the fourth variable is fixed
BITS = Space.bits(12)

# Parameters that lead to other code; an optimizer that is not listed is tested with its defaults.
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "bbo": [{}, {"variant": "simon"}],
    "ga": [{}, {"selection": "tournament", "cuts": 2, "bits": 9}],
    "pso": [{}, {"clip": False}],
    "pbil": [{}, {"code": "gray", "bits": 11, "best_count": 3, "bad_count": 2}],
    "es": [{}, {"clip": False}],
    "de": [{}, {"strategy": "rand/1", "clip": True}],
    "lshade": [{}, {"iterations": 6, "memory": 1, "archive_ratio": 0.4, "clip": True}],
}


@dataclass(frozen=True)
class Case:
    name: str
    parameters: dict[str, Any]
    space: Space

    def make(self, **more: Any) -> Optimizer:
        return make(self.name, **{"population": 14} | self.parameters | more)


CASES = [
    pytest.param(Case(name, parameters, space), id=f"{name}-{number}-{'bits' if space.boolean else 'box'}")
    for name in names()
    for number, parameters in enumerate(VARIANTS.get(name, [{}]))
    for space in (BOX, BITS)
    if not space.boolean or make(name).searches_bits
]
every_case = pytest.mark.parametrize("case", CASES)


class Recorder:
    """A cost function that remembers what was evaluated."""

    def __init__(self, optimizer: Optimizer, space: Space, spoil: Any = None) -> None:
        self.uses_gradient = optimizer.uses_gradient
        self.optimum = (
            np.linspace(0, 1, space.size) > 0.4 if space.boolean else space.lower + 0.3 * space.range
        )
        self.spoil = spoil
        self.candidates: list[np.ndarray] = []
        self.costs: list[np.ndarray] = []

    def __call__(self, candidates: np.ndarray) -> Any:
        difference = candidates.astype(float) - self.optimum
        costs = (difference**2).sum(axis=1) - 1.0  # a minimum below 0: costs of both signs
        if self.spoil is not None:
            costs = self.spoil(costs, len(self.costs))
        self.candidates.append(candidates.copy())
        self.costs.append(costs)
        return (costs, 2 * difference) if self.uses_gradient else costs


def run(
    case: Case, iterations: int, seed: int = 0, spoil: Any = None, **more: Any
) -> tuple[Minimum, Recorder]:
    optimizer = case.make(**more)
    cost = Recorder(optimizer, case.space, spoil)
    return minimize(optimizer, case.space, cost, iterations, np.random.default_rng(seed)), cost


@every_case
def test_the_best_ever_evaluated_is_returned(case: Case) -> None:
    found, cost = run(case, 25)
    costs, candidates = np.concatenate(cost.costs), np.concatenate(cost.candidates)
    assert found.best_cost == costs.min()
    assert (found.best == candidates[np.argmin(costs)]).all()
    assert found.evaluations == len(costs)
    assert (found.curve == np.minimum.accumulate([c.min() for c in cost.costs])).all()
    assert found.curve.shape == (26,)
    assert found.curve[-1] < found.curve[0]


@every_case
def test_candidates_have_the_spaces_shape_and_type(case: Case) -> None:
    _, cost = run(case, 6)
    expected = np.bool_ if case.space.boolean else np.float64
    for candidates in cost.candidates:
        assert candidates.ndim == 2 and candidates.shape[1] == case.space.size and len(candidates) > 0
        assert candidates.dtype == expected
    assert len(cost.candidates[0]) == 14


KEEPS_BOUNDS: dict[str, dict[str, Any]] = {
    "ga": {},
    "pbil": {},
    "pso": {},
    "es": {},
    "bbo": {"variant": "simon"},
    "de": {"clip": True},
    "lshade": {"clip": True, "final_population": 14},
}


@pytest.mark.parametrize("name", KEEPS_BOUNDS)
def test_bounds_are_kept_where_promised(name: str) -> None:
    case = Case(name, KEEPS_BOUNDS[name], BOX)
    optimizer = case.make()
    # An optimum outside the box pulls against the bounds.
    _ = minimize(optimizer, BOX, inside := Inside(), 40, np.random.default_rng(1))
    assert inside.seen > 400


class Inside:
    seen = 0

    def __call__(self, candidates: np.ndarray) -> np.ndarray:
        assert (candidates >= BOX.lower).all() and (candidates <= BOX.upper).all()
        self.seen += len(candidates)
        return ((candidates - 50.0) ** 2).sum(axis=1)


@every_case
def test_the_initial_population_is_uniform_in_the_space(case: Case) -> None:
    optimizer = case.make(population=400)
    rng = np.random.default_rng(3)
    first = optimizer.ask(optimizer.init(case.space, rng), rng).astype(float)
    assert first.mean(axis=0) == pytest.approx((case.space.lower + case.space.upper) / 2, abs=0.5)
    if not case.space.boolean:
        assert (first >= case.space.lower).all() and (first <= case.space.upper).all()
        assert first.std(axis=0) == pytest.approx(case.space.range / np.sqrt(12), abs=0.25)


@every_case
def test_same_seed_same_bytes(case: Case) -> None:
    one, seen_one = run(case, 12, seed=5)
    two, seen_two = run(case, 12, seed=5)
    other, _ = run(case, 12, seed=6)
    assert one.best.tobytes() == two.best.tobytes() and one.curve.tobytes() == two.curve.tobytes()
    assert all((a == b).all() for a, b in zip(seen_one.candidates, seen_two.candidates, strict=True))
    assert one.curve.tobytes() != other.curve.tobytes()


@every_case
@pytest.mark.parametrize("bit_generator", [np.random.PCG64, np.random.MT19937, np.random.Philox])
def test_resumed_is_uninterrupted_bit_for_bit(case: Case, bit_generator: Any, tmp_path: Path) -> None:
    optimizer = case.make()
    cost = Recorder(optimizer, case.space)

    def step(state: Any, rng: np.random.Generator) -> Any:
        candidates = optimizer.ask(state, rng)
        answer = cost(candidates)
        costs, gradients = answer if optimizer.uses_gradient else (answer, None)
        return optimizer.tell(state, candidates, costs, rng, gradients)

    rng = np.random.Generator(bit_generator(11))
    state = optimizer.init(case.space, rng)
    for generation in range(4):
        np.savez(tmp_path / f"{generation}.npz", **save_state(state, rng))
        state = step(state, rng)

    uninterrupted = save_state(state, rng)

    for generation in range(4):
        with np.load(tmp_path / f"{generation}.npz", allow_pickle=False) as arrays:
            again, rng_again = load_state(optimizer, arrays)
        assert again.generation == generation
        for _ in range(4 - generation):
            again = step(again, rng_again)
        resumed = save_state(again, rng_again)
        assert set(resumed) == set(uninterrupted)
        for name, array in resumed.items():
            assert array.dtype == uninterrupted[name].dtype, name
            assert array.tobytes() == uninterrupted[name].tobytes(), name


@every_case
def test_a_state_is_never_changed_in_place(case: Case) -> None:
    optimizer = case.make()
    cost = Recorder(optimizer, case.space)
    rng = np.random.default_rng(2)
    state = optimizer.init(case.space, rng)
    for _ in range(4):
        before = {name: array.copy() for name, array in save_state(state, rng).items()}
        candidates = optimizer.ask(state, rng)
        answer = cost(candidates)
        told = candidates.copy()
        costs, gradients = answer if optimizer.uses_gradient else (answer, None)
        following = optimizer.tell(state, candidates, costs, rng, gradients)
        assert (told == candidates).all()
        after = save_state(state, rng)
        assert all((before[name] == after[name]).all() for name in before if name != "rng")
        state = following


@every_case
@pytest.mark.parametrize("population", [1, 2, 3, 5, 7])
def test_odd_and_tiny_populations(case: Case, population: int) -> None:
    try:
        optimizer = case.make(population=population)
    except ValueError as refusal:
        assert "; allowed: " in str(refusal)
        return
    found = minimize(
        optimizer, case.space, Recorder(optimizer, case.space), 15, np.random.default_rng(population)
    )
    assert np.isfinite(found.best_cost) and found.curve.shape == (16,)


@every_case
def test_one_variable_is_enough(case: Case) -> None:
    space = Space.bits(1) if case.space.boolean else Space.box([-3.0], [5.0])
    optimizer = case.make()
    found = minimize(optimizer, space, Recorder(optimizer, space), 10, np.random.default_rng(0))
    assert found.best.shape == (1,) and np.isfinite(found.best_cost)


@every_case
def test_zero_iterations_evaluate_the_initial_population(case: Case) -> None:
    found, cost = run(case, 0)
    assert found.evaluations == 14 and len(cost.costs) == 1
    assert found.best_cost == cost.costs[0].min() and found.curve.tolist() == [found.best_cost]


@every_case
@pytest.mark.parametrize("evaluations", [14, 15, 200, 1234])
def test_a_budget_in_evaluations_is_used_up(case: Case, evaluations: int) -> None:
    optimizer = case.make()
    iterations = optimizer.iterations_within(evaluations)
    assert optimizer.evaluations(iterations) <= evaluations < optimizer.evaluations(iterations + 1)
    found, _ = run(case, iterations)
    assert found.evaluations == optimizer.evaluations(iterations)


@every_case
def test_a_budget_below_the_initial_population_is_refused(case: Case) -> None:
    with pytest.raises(ValueError, match=f"{case.name}: evaluations is 13; allowed: an integer >= 14"):
        case.make().iterations_within(13)


@every_case
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_costs_that_are_not_finite_never_win(case: Case, bad: float) -> None:
    def spoil(costs: np.ndarray, _: int) -> np.ndarray:
        return np.where(costs < np.median(costs), bad, costs)  # the better half

    found, cost = run(case, 20, spoil=spoil)
    finite = np.concatenate(cost.costs)
    assert found.best_cost == finite[np.isfinite(finite)].min()
    assert np.isfinite(found.best).all()


@every_case
def test_a_search_recovers_from_generations_without_a_finite_cost(case: Case) -> None:
    def spoil(costs: np.ndarray, evaluated: int) -> np.ndarray:
        return np.full_like(costs, np.nan) if evaluated < 3 else costs

    found, cost = run(case, 20, spoil=spoil)
    assert np.isinf(found.curve[:3]).all() and np.isfinite(found.curve[3:]).all()
    assert found.best_cost == min(costs.min() for costs in cost.costs[3:])


@every_case
def test_without_any_finite_cost_the_answer_says_so(case: Case) -> None:
    found, _ = run(case, 5, spoil=lambda costs, _: np.full_like(costs, np.inf))
    assert found.best_cost == np.inf and found.best.shape == (case.space.size,)


KEEPS_FINITE = {"bbo": "costs", "ga": "costs", "pbil": "elite_costs"}  # costs of whom it keeps


@every_case
def test_a_single_finite_cost_is_the_best_and_elites_are_finite(case: Case) -> None:
    rng = np.random.default_rng(0)
    costs = np.full(14, np.nan)
    costs[4] = 2.0
    optimizer = case.make()
    state = optimizer.init(case.space, rng)
    first = optimizer.ask(state, rng)
    state = optimizer.tell(state, first, costs, rng, np.zeros(first.shape))
    later = optimizer.ask(state, rng)
    state = optimizer.tell(state, later, np.arange(len(later)) + 3.0, rng, np.zeros(later.shape))
    assert state.best_cost == 2.0 and (state.best == first[4]).all()
    if case.name in KEEPS_FINITE:
        assert np.isfinite(getattr(state, KEEPS_FINITE[case.name])).all()


@every_case
def test_the_start_takes_part(case: Case) -> None:
    optimizer = case.make()
    cost = Recorder(optimizer, case.space)
    start = cost.optimum.copy()
    found = minimize(optimizer, case.space, cost, 8, np.random.default_rng(0), start=start)
    assert (cost.candidates[0] == start).all(axis=1).sum() == 1
    assert len(cost.candidates[0]) == 14
    assert (found.curve == found.curve[0]).all() and (found.best == start).all()


@every_case
def test_wrong_shapes_are_refused(case: Case) -> None:
    optimizer = case.make()
    rng = np.random.default_rng(0)
    state = optimizer.init(case.space, rng)
    candidates = optimizer.ask(state, rng)
    slopes = np.zeros(candidates.shape)
    with pytest.raises(ValueError, match=r"costs have the shapes .*; allowed: \(n,"):
        optimizer.tell(state, candidates, np.zeros((14, 1)), rng, slopes)
    with pytest.raises(ValueError, match="candidates and costs have the shapes"):
        optimizer.tell(state, candidates[:, 1:], np.zeros(14), rng, slopes)
    if optimizer.uses_gradient:
        with pytest.raises(ValueError, match=r"gradients is None; allowed: an array \(14, "):
            optimizer.tell(state, candidates, np.zeros(14), rng)
        with pytest.raises(ValueError, match="gradients has the shape"):
            optimizer.tell(state, candidates, np.zeros(14), rng, slopes[:3])


@pytest.mark.parametrize("name", [name for name in names() if not make(name).searches_bits])
def test_a_gradient_cannot_search_bits(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}: space is Boolean; allowed: real variables"):
        make(name).init(BITS, np.random.default_rng(0))


@pytest.mark.parametrize("name", [name for name in names() if make(name).uses_gradient])
def test_a_gradient_that_is_not_finite_is_not_followed(name: str) -> None:
    optimizer = make(name, population=1)
    rng = np.random.default_rng(0)
    state = optimizer.init(BOX, rng)
    point = optimizer.ask(state, rng)
    slopes = np.array([[np.nan, np.inf, -np.inf, 1.0, -1.0]])
    moved = optimizer.ask(optimizer.tell(state, point, [np.nan], rng, slopes), rng) - point
    assert (moved[0, :3] == 0).all() and moved[0, 3] < 0 < moved[0, 4]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    name=st.sampled_from(names()),
    population=st.integers(3, 23),
    size=st.integers(1, 9),
    iterations=st.integers(0, 8),
    seed=st.integers(0, 2**32 - 1),
    boolean=st.booleans(),
)
def test_any_size_works(
    name: str, population: int, size: int, iterations: int, seed: int, boolean: bool
) -> None:
    try:
        optimizer = make(name, population=population)
    except ValueError:
        reject()
    boolean = boolean and optimizer.searches_bits
    space = Space.bits(size) if boolean else Space.box(np.full(size, -1.0), np.ones(size))
    found = minimize(optimizer, space, Recorder(optimizer, space), iterations, np.random.default_rng(seed))
    assert found.curve.shape == (iterations + 1,)
    assert (np.diff(found.curve) <= 0).all() and found.curve[-1] == found.best_cost
    assert Recorder(optimizer, space)(found.best[None])[0] == found.best_cost or optimizer.uses_gradient


@pytest.mark.parametrize("name", names())
def test_a_shorter_search_is_the_beginning_of_a_longer_one_unless_it_plans_ahead(name: str) -> None:
    optimizer = make(name)

    def cost(candidates: np.ndarray) -> Any:
        costs = ((candidates - 0.3) ** 2).sum(axis=1) + np.cos(9 * candidates).sum(axis=1)
        slopes = 2 * (candidates - 0.3) - 9 * np.sin(9 * candidates)
        return (costs, slopes) if optimizer.uses_gradient else costs

    searches = [minimize(optimizer, BOX, cost, n, np.random.default_rng(3)) for n in (8, 16)]
    assert (searches[0].curve.tolist() == searches[1].curve[:9].tolist()) != optimizer.plans_ahead
