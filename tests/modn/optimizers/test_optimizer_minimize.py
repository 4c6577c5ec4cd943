"""The loop around the optimizers: stopping, starting points, bookkeeping, refusals."""

import numpy as np
import pytest

from modn.optimizers import Space, make, minimize, save_state
from modn.optimizers.core.state import load_state

SPACE = Space.box([-1.0] * 3, [1.0] * 3)


def sphere(candidates: np.ndarray) -> np.ndarray:
    return (candidates**2).sum(axis=1)


def test_a_callback_that_returns_true_stops_the_search() -> None:
    seen: list[tuple[int, float]] = []

    def callback(iteration: int, best_cost: float) -> bool:
        seen.append((iteration, best_cost))
        return iteration == 4

    found = minimize(make("bbo"), SPACE, sphere, 50, np.random.default_rng(0), callback)
    assert [iteration for iteration, _ in seen] == [0, 1, 2, 3, 4]
    assert [cost for _, cost in seen] == found.curve.tolist()
    assert found.evaluations == 500


def test_a_callback_that_returns_nothing_changes_nothing() -> None:
    plain = minimize(make("ga"), SPACE, sphere, 9, np.random.default_rng(0))
    watched = minimize(make("ga"), SPACE, sphere, 9, np.random.default_rng(0), lambda *_: None)
    assert plain.curve.tobytes() == watched.curve.tobytes()


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (np.zeros(2), r"start has the shape \(2,\); allowed: \(3,\)"),
        (np.zeros((1, 3)), r"start has the shape \(1, 3\); allowed: \(3,\)"),
        ([0, np.nan, 0], r"start\[1\] is nan; allowed: a finite number"),
    ],
)
def test_a_bad_start_is_refused(start: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        minimize(make("bbo"), SPACE, sphere, 1, np.random.default_rng(0), start=start)


def test_negative_iterations_are_refused() -> None:
    with pytest.raises(ValueError, match="iterations is -1; allowed: an integer >= 0"):
        minimize(make("bbo"), SPACE, sphere, -1, np.random.default_rng(0))


def test_a_cost_of_the_wrong_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"costs have the shapes \(100, 3\) and \(\)"):
        minimize(make("bbo"), SPACE, lambda x: sphere(x).sum(), 1, np.random.default_rng(0))


def test_a_copied_state_takes_its_own_fields_only() -> None:
    state = make("pso").init(Space.box([-1.0], [1.0]), np.random.default_rng(0))
    later = state.updated(generation=3)
    assert (later.generation, state.generation) == (3, 0) and later.best is state.best
    with pytest.raises(TypeError, match="PSOState has no field generations"):
        state.updated(generations=3)


def test_a_foreign_state_is_refused() -> None:
    rng = np.random.default_rng(0)
    arrays = save_state(make("bbo").init(SPACE, rng), rng)
    missing = "arrays has no own_best, own_costs, positions, velocities; allowed: a state of pso"
    with pytest.raises(ValueError, match=missing):
        load_state(make("pso"), arrays)


def test_an_unknown_bit_generator_is_refused() -> None:
    rng = np.random.default_rng(0)
    arrays = save_state(make("bp").init(SPACE, rng), rng)
    arrays["rng"] = np.asarray('{"bit_generator": "os"}')
    with pytest.raises(ValueError, match=r"bit_generator is 'os'; allowed: .*PCG64"):
        load_state(make("bp"), arrays)
