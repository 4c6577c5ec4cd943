"""BP and Adam take the steps of their formulas."""

import numpy as np
import pytest

from modn.optimizers import Space
from modn.optimizers.adam import Adam
from modn.optimizers.bp import BP

SPACE = Space.box([-1.0, 0.0, 2.0], [1.0, 1.0, 3.0])
TARGET = np.array([0.5, -3.0, 2.2])


def slope(points: np.ndarray) -> np.ndarray:
    return 2 * (points - TARGET) * [1.0, 10.0, 0.1]


def test_bp_steps_down_the_gradient() -> None:
    optimizer = BP(population=2)
    rng = np.random.default_rng(0)
    state = optimizer.init(SPACE, rng)
    for _ in range(3):
        points = optimizer.ask(state, rng)
        state = optimizer.tell(state, points, [1.0, 2.0], rng, slope(points))
        assert (optimizer.ask(state, rng) == points - 0.01 * slope(points)).all()


def test_adam_is_algorithm_1_of_its_paper() -> None:
    optimizer = Adam(learning_rate=0.03)
    rng = np.random.default_rng(0)
    state = optimizer.init(SPACE, rng)
    theta = optimizer.ask(state, rng)[0].copy()
    m, v = np.zeros(3), np.zeros(3)
    for t in range(1, 8):
        points = optimizer.ask(state, rng)
        state = optimizer.tell(state, points, [1.0], rng, slope(points))
        for i, g in enumerate(slope(theta)):
            m[i] = 0.9 * m[i] + 0.1 * g
            v[i] = 0.999 * v[i] + 0.001 * g * g
            theta[i] -= 0.03 * (m[i] / (1 - 0.9**t)) / (np.sqrt(v[i] / (1 - 0.999**t)) + 1e-8)
        assert optimizer.ask(state, rng)[0] == pytest.approx(theta, rel=1e-12)


@pytest.mark.parametrize("optimizer", [BP(population=3), Adam(population=3)])
def test_descents_are_independent(optimizer: BP | Adam) -> None:
    rng = np.random.default_rng(0)
    state = optimizer.init(SPACE, rng)
    alone = type(optimizer)(population=1)
    for row in range(3):
        together, single = state, alone.init(SPACE, np.random.default_rng(1))
        points, point = optimizer.ask(together, rng), optimizer.ask(together, rng)[row : row + 1]
        for _ in range(4):
            together = optimizer.tell(together, points, np.zeros(3), rng, slope(points))
            single = alone.tell(single, point, [0.0], rng, slope(point))
            points, point = optimizer.ask(together, rng), alone.ask(single, rng)
            assert (points[row] == point[0]).all()
