"""Tests against chance: textbook values, and errors as often as the level allows where the truth is known."""

import numpy as np
import pytest
from scipy import stats

from stages.study import chance


def test_better_is_the_paired_t_test() -> None:
    rng = np.random.default_rng(0)
    ours, theirs = rng.normal(0.01, 0.1, (2, 12))
    expected = stats.ttest_rel(ours, theirs, alternative="greater").pvalue
    assert chance.better(ours, theirs) == pytest.approx(expected, rel=1e-3)
    assert chance.better(ours, theirs) + chance.better(theirs, ours) == pytest.approx(1)


def test_runs_without_spread_are_worth_their_number() -> None:
    assert chance.better([0.9, 0.9, 0.9], [0.8, 0.8, 0.8]) == 0.125
    assert chance.better([0.9] * 3, [0.9 + 1e-9] * 3) == 1.0 == chance.better([0.9 + 1e-9] * 3, [0.9] * 3)
    assert chance.better([0.9], [0.1]) == 1.0, "one run shows no spread"
    assert chance.ahead([0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2]) == 0


def test_at_least_is_simes_test_of_what_is_left() -> None:
    p = [0.01, 0.04, 0.5]
    assert chance.at_least(1, p) == pytest.approx(min(3 * 0.01, 3 / 2 * 0.04, 0.5))
    assert chance.at_least(2, p) == pytest.approx(min(2 * 0.04, 0.5))
    assert chance.at_least(3, p) == 0.5
    assert chance.at_least(1, [0.9, 0.8]) == pytest.approx(0.9)


@pytest.mark.parametrize(("needed", "better"), [(6, 5), (11, 10), (1, 0)])
def test_a_false_claim_is_taken_for_true_as_rarely_as_the_level_says(needed: int, better: int) -> None:
    """`better` of 11 datasets are clear wins, the others equal: `needed` of them are not won."""
    rng = np.random.default_rng(1)
    taken = 0
    for _ in range(400):
        means = np.where(np.arange(11) < better, 5.0, 0.0)[:, None]
        p = [
            chance.better(*pair)
            for pair in zip(rng.normal(means, 1, (11, 10)), rng.normal(0, 1, (11, 10)), strict=True)
        ]
        taken += chance.at_least(needed, p) < chance.LEVEL
    assert taken / 400 < chance.LEVEL + 0.03


def test_a_true_claim_is_found() -> None:
    rng = np.random.default_rng(2)
    p = [chance.better(rng.normal(2, 1, 10), rng.normal(0, 1, 10)) for _ in range(11)]
    assert chance.at_least(6, p) < 0.01


def test_rising_is_spearmans_one_sided_test() -> None:
    x, y = np.arange(8), np.array([1, 3, 2, 4, 5, 7, 6, 8])
    assert chance.rising(x, y) < 0.001 and chance.rising(-x, y) > 0.999


def test_the_interval_of_a_share_is_clopper_and_pearsons() -> None:
    assert chance.share_interval(0, 10) == pytest.approx((0, 0.3085), abs=1e-4)
    assert chance.share_interval(10, 10) == pytest.approx((0.6915, 1), abs=1e-4)


def test_the_resampled_interval_covers_the_mean_and_is_the_same_each_time() -> None:
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(100):
        groups = [rng.normal(rng.normal(0, 1), 0.1, 3) for _ in range(20)]
        low, high = chance.resampled_interval(groups)
        covered += low <= 0 <= high
    assert 85 <= covered <= 99
    assert chance.resampled_interval(groups) == (low, high)
    assert chance.resampled_interval([np.array([0.5, 0.7])]) == (0.6, 0.6)
