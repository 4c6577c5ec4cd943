"""Codes of samples, and the conditions that codes stand for."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modn.explain.circuit import Condition
from modn.explain.learning.coding import MOST_CATEGORIES, MOST_CODES, Coding, short_between, thresholds

FRAME = pd.DataFrame(
    {
        "age": [20.0, 30.0, np.nan, 40.0],
        "color": pd.Categorical(["red", "green", "blue", None]),
        "fresh": [True, False, True, True],
        "city": ["Ulm", "Bonn", "Ulm", None],
    }
)


@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300))
def test_a_threshold_is_above_the_lower_and_at_most_the_upper_value(a: float, b: float) -> None:
    low, high = min(a, b), max(a, b)
    if low < high:
        assert low < short_between(low, high) <= high


def test_thresholds_are_short_decimals_between_neighbouring_values() -> None:
    values = np.array([3.0, 4.0, np.nan, 5.23, 5.31, 1000.0, 2000.0])
    assert thresholds(values).tolist() == [4.0, 5.0, 5.3, 1000.0, 2000.0]


@pytest.mark.parametrize("seed", range(5))
def test_many_values_have_fewer_thresholds_with_about_equally_many_samples_between(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = np.concatenate([rng.lognormal(size=1000), np.zeros(300), [np.nan]])
    found = thresholds(values)
    assert 0.6 * MOST_CODES < len(found) < MOST_CODES
    assert (np.diff(found) > 0).all()
    counts = np.bincount(np.searchsorted(found, values[:-1], side="right"))
    assert counts[0] == pytest.approx(300, abs=15), "many samples of the same value are told from the others"
    assert counts.min() > 0 and counts[1:].max() < 2.5 * 1300 / MOST_CODES
    assert np.mean([len(repr(value)) for value in found.tolist()]) < 6


@given(st.lists(st.floats(-1e300, 1e300), min_size=MOST_CODES + 1, max_size=2 * MOST_CODES, unique=True))
def test_every_threshold_tells_some_values_from_others(values: list[float]) -> None:
    found = thresholds(np.array(values))
    counts = np.bincount(np.searchsorted(found, values, side="right"), minlength=len(found) + 1)
    assert (counts > 0).all() and len(found) >= MOST_CODES / 2 - 1


@given(st.integers(-5000, 5000), st.integers(1, 5000), st.integers(-3, 3))
def test_no_decimal_between_two_values_is_shorter(low: int, width: int, exponent: int) -> None:
    a, b = low * 10.0**exponent, (low + width) * 10.0**exponent
    found = short_between(a, b)
    step = 10.0 ** (Decimal(repr(found)).normalize().as_tuple().exponent + 1)
    near = [round(k * step, 12) for k in range(int(a // step), int(a // step) + 3)]
    # Rounder numbers than the gap is wide are not looked for.
    assert found == 0 or step > 4.9 * (b - a) or not any(a < value <= b and value != 0 for value in near)


def test_categories_become_columns_of_their_own_and_two_need_one() -> None:
    coding = Coding.of(FRAME)
    assert [(column.feature, column.category) for column in coding.columns] == [
        (0, None),
        (1, "blue"),
        (1, "green"),
        (1, "red"),
        (2, "True"),
        (3, "Ulm"),
    ]
    assert coding.features[1].categories == ("blue", "green", "red")
    assert coding.codes(coding.values(FRAME)).tolist() == [
        [0, 1, -1, 2],
        [0, 0, 1, -1],
        [0, 1, 0, -1],
        [1, 0, 0, -1],
        [1, 0, 1, 1],
        [1, 0, 1, -1],
    ]


def test_conditions_hold_where_the_codes_are_in_the_box() -> None:
    coding = Coding.of(FRAME)
    codes = coding.codes(coding.values(FRAME))
    rng = np.random.default_rng(0)
    for _ in range(50):
        low = rng.integers(0, coding.n_codes)
        high = rng.integers(low, coding.n_codes)
        inside = ((codes < 0) | ((codes >= low[:, None]) & (codes <= high[:, None]))).all(axis=0)
        held = np.ones(4, dtype=bool)
        for condition in coding.conditions(low, high):
            held &= condition.holds(FRAME.iloc[:, condition.feature].to_numpy())
        np.testing.assert_array_equal(held, inside)


def test_an_array_of_objects_and_a_constant_feature() -> None:
    coding = Coding.of(np.array([["a", 1, 5], ["b", 2, 5], ["c", None, 5]], dtype=object))
    assert [feature.categories for feature in coding.features] == [("a", "b", "c"), None, None]
    assert coding.n_codes.tolist() == [2, 2, 2, 2, 1]
    low, high = np.array([0, 1, 0, 0, 0]), np.array([1, 1, 1, 0, 0])
    assert coding.conditions(low, high) == (Condition(0, "is", "b"), Condition(1, "<", 2.0))


def test_monotone_features_allow_one_side_only() -> None:
    coding = Coding.of(FRAME)
    excitatory, inhibitory = coding.allowed_sides({"age": 1, "color": -1})
    assert excitatory.tolist() == [True, False, False, False, True, True]
    assert inhibitory.tolist() == [False, True, True, True, True, True]
    with pytest.raises(
        ValueError, match="monotone has no parameter 'weight'; allowed: age, color, fresh, city"
    ):
        coding.allowed_sides({"weight": 1})


def test_what_cannot_be_coded_is_refused() -> None:
    many = np.array([[f"name {k}"] for k in range(MOST_CATEGORIES + 1)], dtype=object)
    with pytest.raises(ValueError, match="x0 has 101 categories; allowed: at most 100"):
        Coding.of(many)
    with pytest.raises(ValueError, match=r"X has the shape \(3,\); allowed: \(n_samples, n_features\)"):
        Coding.of(np.arange(3.0))
    with pytest.raises(ValueError, match=r"x0 is not a number .*; allowed: numbers, NaN where missing"):
        Coding.of(np.array([[{}], [1.0]], dtype=object))
