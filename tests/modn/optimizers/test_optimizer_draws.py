"""The shared random choices follow the laws they claim."""

import numpy as np
import pytest

from modn.optimizers.core.draws import coins, rare_positions, roulette


def test_rare_positions_are_independent_trials() -> None:
    rng = np.random.default_rng(0)
    rounds, n, probability = 4_000, 60, 0.07
    hits = np.zeros((rounds, n))
    for row in hits:
        row[rare_positions(n, probability, rng)] = 1
    error = 4 * np.sqrt(probability / rounds)
    assert hits.mean(axis=0) == pytest.approx(np.full(n, probability), abs=error)
    neighbours = (hits[:, 1:] * hits[:, :-1]).mean()
    assert neighbours == pytest.approx(probability**2, rel=0.1)
    assert hits.sum(axis=1).var() == pytest.approx(n * probability * (1 - probability), rel=0.1)


@pytest.mark.parametrize(("probability", "expected"), [(0.0, []), (1.0, [0, 1, 2, 3, 4])])
def test_rare_positions_at_the_ends(probability: float, expected: list) -> None:
    assert rare_positions(5, probability, np.random.default_rng(0)).tolist() == expected
    assert rare_positions(0, probability, np.random.default_rng(0)).tolist() == []


def test_rare_positions_survive_a_tiny_probability() -> None:
    assert rare_positions(1_000, 1e-300, np.random.default_rng(0)).tolist() == []


@pytest.mark.parametrize("bit_generator", [np.random.PCG64, np.random.MT19937])
def test_coins_are_fair_and_independent(bit_generator: type) -> None:
    rng = np.random.Generator(bit_generator(0))
    rounds, n = 10_000, 70
    tossed = np.array([coins(n, rng) for _ in range(rounds)])
    assert tossed.shape == (rounds, n) and set(np.unique(tossed)) == {0, 1}
    signs = 2.0 * tossed - 1
    together = signs.T @ signs / rounds
    assert signs.mean(axis=0) == pytest.approx(np.zeros(n), abs=5 / np.sqrt(rounds))
    assert together == pytest.approx(np.eye(n), abs=5 / np.sqrt(rounds))


def test_roulette_follows_the_weights() -> None:
    weights = np.array([0.0, 3.0, 1.0, 0.0, 0.001, 6.0, 0.0])
    drawn = np.bincount(roulette(weights, 200_000, np.random.default_rng(0)), minlength=7) / 200_000
    assert drawn == pytest.approx(weights / weights.sum(), abs=0.004)
    assert (drawn[weights == 0] == 0).all() and drawn[4] > 0
