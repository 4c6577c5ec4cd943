"""Calibration: the temperature of potentials, against a slow search, and what it must not change."""

import numpy as np
import pytest
from scipy.special import softmax

from modn.calibration import HIGHEST, LOWEST, best_temperature, probabilities


def drawn(t: float, N: int = 20_000, C: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Potentials, and classes drawn with the probabilities softmax(t U)."""
    rng = np.random.default_rng(0)
    U = rng.normal(size=(N, C))
    proba = softmax(t * U, axis=1)
    return U, (proba.cumsum(axis=1) < rng.random((N, 1))).sum(axis=1)


@pytest.mark.parametrize("t", [0.2, 1.0, 5.0])
def test_the_temperature_of_the_data_is_found(t: float) -> None:
    assert best_temperature(*drawn(t)) == pytest.approx(t, rel=0.05)


def test_it_is_the_minimum_of_the_loss() -> None:
    U, y = drawn(2.0, N=300)
    weight = np.random.default_rng(1).random(300)
    found = best_temperature(U, y, weight)
    share = 3 / (weight.sum() + 3)  # of a sample more for each class, of which nothing is known
    target = (1 - share) * np.eye(3)[y] + share / 3
    grid = np.exp(np.linspace(-3, 3, 2001))
    losses = [-(weight[:, None] * target * np.log(softmax(t * U, axis=1))).sum() for t in grid]
    assert found == pytest.approx(grid[np.argmin(losses)], rel=0.01)


def test_a_weight_is_as_many_copies() -> None:
    U, y = drawn(1.0, N=50)
    weight = np.random.default_rng(1).integers(1, 4, 50)
    copies = best_temperature(np.repeat(U, weight, axis=0), np.repeat(y, weight))
    assert best_temperature(U, y, weight.astype(float)) == pytest.approx(copies, rel=1e-6)


def test_few_samples_do_not_make_it_certain() -> None:
    y = np.arange(20) % 2
    U = np.where(np.arange(2) == y[:, None], 1.0, -1.0)
    proba = probabilities(U, best_temperature(U, y))
    assert 0.9 < proba.max() < 0.99
    assert probabilities(U, best_temperature(np.tile(U, (50, 1)), np.tile(y, 50))).max() > 0.99


def test_potentials_that_say_nothing_or_the_wrong_thing_are_cooled_down() -> None:
    y = np.arange(20) % 2
    assert LOWEST <= best_temperature(np.zeros((20, 2)), y) <= HIGHEST
    wrong = np.where(np.arange(2) == y[:, None], -1.0, 1.0)
    assert probabilities(wrong, best_temperature(wrong, y)).max() == pytest.approx(0.5, abs=0.01)


def test_without_a_temperature_it_is_the_softmax_of_the_telodendra() -> None:
    U = np.array([[9.0, -9.0, 0.0]])
    assert np.allclose(probabilities(U, None), softmax(np.tanh(U), axis=1))
    assert np.isfinite(probabilities(1e5 * U, HIGHEST)).all()
