"""The loop around the optimizers: stopping, starting points, bookkeeping, refusals."""

import time

import numpy as np
import pytest

from modn.optimizers import Space, make, save_state
from modn.optimizers.core import minimize
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


def test_seconds_are_told_apart() -> None:
    def slow(candidates: np.ndarray) -> np.ndarray:
        time.sleep(0.002)
        return sphere(candidates)

    found = minimize(make("es"), SPACE, slow, 9, np.random.default_rng(0))
    assert found.seconds_cost >= 0.02
    assert found.seconds_own > 0


@pytest.mark.parametrize("start", [np.zeros(2), np.zeros((1, 3)), [0, np.nan, 0]])
def test_a_bad_start_is_refused(start: object) -> None:
    with pytest.raises(ValueError, match=r"start has shape .*allowed is \(3,\), all values finite"):
        minimize(make("bbo"), SPACE, sphere, 1, np.random.default_rng(0), start=start)  # type: ignore[arg-type]


def test_negative_iterations_are_refused() -> None:
    with pytest.raises(ValueError, match="iterations=-1"):
        minimize(make("bbo"), SPACE, sphere, -1, np.random.default_rng(0))


def test_a_cost_of_the_wrong_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"costs have shapes \(100, 3\) and \(\)"):
        minimize(make("bbo"), SPACE, lambda x: sphere(x).sum(), 1, np.random.default_rng(0))


def test_a_foreign_state_is_refused() -> None:
    rng = np.random.default_rng(0)
    arrays = save_state(make("bbo").init(SPACE, rng), rng)
    with pytest.raises(
        ValueError, match="no saved state of pso: own_best, own_costs, positions, velocities missing"
    ):
        load_state(make("pso"), arrays)


def test_an_unknown_bit_generator_is_refused() -> None:
    rng = np.random.default_rng(0)
    arrays = save_state(make("bp").init(SPACE, rng), rng)
    arrays["rng"] = np.asarray('{"bit_generator": "os"}')
    with pytest.raises(ValueError, match="unknown bit generator 'os'; allowed are PCG64"):
        load_state(make("bp"), arrays)
