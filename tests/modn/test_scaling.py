"""Scaling: to [0, 1] and back, whatever the values."""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.stats import norm

from modn.scaling import MOST_KNOTS, from_levels, knots, to_levels, to_unit

FINITE = st.floats(-1e308, 1e308)


def test_by_hand() -> None:
    X = np.array([[0.0, 5.0], [10.0, 5.0], [2.5, 5.0], [-3.0, 4.0], [30.0, 6.0]])
    scaled = to_unit(X, np.array([0.0, 5.0]), np.array([10.0, 5.0]))
    assert scaled[:, 0].tolist() == [0.0, 1.0, 0.25, 0.0, 1.0]
    assert scaled[:, 1].tolist() == [0.0] * 5


@given(st.lists(FINITE, min_size=2, max_size=5))
def test_every_range_becomes_the_unit_interval(values: list[float]) -> None:
    X = np.array(values)[:, None]
    low, high = X.min(axis=0), X.max(axis=0)
    scaled = to_unit(X, low, high)
    assert scaled.min() == 0 and scaled.max() == (high[0] / 2 > low[0] / 2)


def test_ordinary_features_are_scaled_by_their_range() -> None:
    x = np.random.default_rng(0).uniform(-3, 5, 100)
    values, levels = knots(x, np.ones(100))
    assert values.tolist() == [x.min(), x.max()] and levels.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("wide", ["outlier", "log-normal", "heavy tails"])
def test_wide_features_are_scaled_by_their_ranks(wide: str) -> None:
    z = norm.ppf((np.arange(200) + 0.5) / 200)
    x = {"outlier": np.append(z[:-1], 1e6), "log-normal": np.exp(5 * z), "heavy tails": z**9}[wide]
    values, levels = knots(x, np.ones(200))
    assert np.allclose(levels, (z - z[0]) / (z[-1] - z[0])) and np.array_equal(values, x)


@given(
    st.lists(FINITE, min_size=2, max_size=30).filter(lambda values: len(set(values)) > 1),
    st.lists(FINITE, min_size=1, max_size=5),
)
@example([0.0] * 7 + [1.0, 3.3e307, -1.0, -3.3e307], [0.0])  # a slope beyond the largest number
def test_scaling_increases_is_clipped_and_can_be_inverted(values: list[float], others: list[float]) -> None:
    x = np.array(values)
    at, levels = knots(x, np.ones(len(x)))
    assert at[0] == x.min() and at[-1] == x.max() and levels[0] == 0 and levels[-1] == 1
    assert (at[1:] > at[:-1]).all() and (np.diff(levels) > 0).all()  # a difference of values may overflow
    scaled = to_levels(np.sort(np.append(x, others)), at, levels)
    assert (np.diff(scaled) >= 0).all() and scaled.min() >= 0 and scaled.max() <= 1
    assert np.isnan(to_levels(np.array([np.nan]), at, levels)).all()
    assume(np.diff(at / 2).min(initial=1.0) > 1e-300)  # halves: as above
    assert np.allclose(to_levels(from_levels(levels, at, levels), at, levels), levels)


def test_a_weight_is_as_many_copies() -> None:
    rng = np.random.default_rng(0)
    x, weight = np.exp(4 * rng.normal(size=60)), rng.integers(1, 4, 60)
    weighted, copied = knots(x, weight), knots(np.repeat(x, weight), np.ones(weight.sum()))
    assert np.array_equal(weighted[0], copied[0]) and np.allclose(weighted[1], copied[1])


def test_many_values_need_few_knots() -> None:
    x = np.exp(3 * np.random.default_rng(0).normal(size=20_000))
    values, levels = knots(x, np.ones(len(x)))
    assert MOST_KNOTS / 2 < len(values) <= MOST_KNOTS + 1
    z = norm.ppf((np.argsort(np.argsort(x)) + 0.5) / len(x))
    assert np.abs(to_levels(x, values, levels) - (z - z.min()) / np.ptp(z)).max() < 0.01
