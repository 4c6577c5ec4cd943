"""The two protocols: which rows go where, and that every number in a part comes from where it may."""

from itertools import pairwise
from math import floor

import numpy as np
import pytest

from stages.study.splits import Parts, published, sound


def table(seed: int = 0, n: int = 60, classes: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(size=(n, 4)) * [1, 10, 0.1, 5] + y[:, None], y


def scaled_slowly(X: list[list[float]], reference: list[list[float]]) -> list[list[float]]:
    """Min-max scaling, cell by cell."""
    result = []
    for row in X:
        line = []
        for d, value in enumerate(row):
            column = [r[d] for r in reference]
            low, high = min(column), max(column)
            share = (value - low) / (high - low) if high > low else 0.0
            line.append(min(max(share, 0.0), 1.0))
        result.append(line)
    return result


def rows_and_shapes_fit(parts: Parts, X: np.ndarray, y: np.ndarray, test_size: int) -> None:
    assert len(parts.test_rows) == test_size
    assert sorted([*parts.train_rows, *parts.test_rows]) == list(range(len(y)))
    assert (parts.y_train == y[parts.train_rows]).all()
    assert (parts.y_test == y[parts.test_rows]).all()
    assert parts.X_train.shape == (len(y) - test_size, X.shape[1])
    for part in (parts.X_train, parts.X_test):
        assert part.min() >= 0 and part.max() <= 1


def test_published_is_sklearns_split_each_part_scaled_by_its_own_range() -> None:
    from sklearn.model_selection import train_test_split

    X, y = table()
    parts = published(X, y, 21, 22)
    rows_and_shapes_fit(parts, X, y, 21)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=21, random_state=22)
    np.testing.assert_array_equal(parts.y_train, y_train)
    np.testing.assert_array_equal(parts.y_test, y_test)
    np.testing.assert_allclose(parts.X_train, scaled_slowly(X_train.tolist(), X_train.tolist()), atol=1e-15)
    np.testing.assert_allclose(parts.X_test, scaled_slowly(X_test.tolist(), X_test.tolist()), atol=1e-15)
    assert (parts.X_test.min(axis=0) == 0).all() and (parts.X_test.max(axis=0) == 1).all()


def test_sound_is_scaled_by_the_training_part_alone() -> None:
    X, y = table()
    parts = sound(X, y, 21, 5)
    rows_and_shapes_fit(parts, X, y, 21)
    train, test = X[parts.train_rows].tolist(), X[parts.test_rows].tolist()
    np.testing.assert_allclose(parts.X_train, scaled_slowly(train, train), atol=1e-15)
    np.testing.assert_allclose(parts.X_test, scaled_slowly(test, train), atol=1e-15)


@pytest.mark.parametrize("test_size", [11, 20, 33])
def test_sound_is_stratified(test_size: int) -> None:
    X, _ = table(n=100)
    y = np.repeat([0, 1, 2], [61, 30, 9])
    parts = sound(X, y, test_size, 1)
    rows_and_shapes_fit(parts, X, y, test_size)
    for label, count in enumerate([61, 30, 9]):
        exact = count * test_size / 100
        assert floor(exact) <= (parts.y_test == label).sum() <= floor(exact) + 1


def test_sound_differs_by_run_and_is_repeatable() -> None:
    X, y = table()
    splits = [frozenset(sound(X, y, 21, 100 + run).test_rows.tolist()) for run in range(5)]
    assert len(set(splits)) == 5
    assert all(one != two for one, two in pairwise(splits))
    for one, two in zip(sound(X, y, 21, 100), sound(X, y, 21, 100), strict=True):
        assert one.tobytes() == two.tobytes()


def test_the_test_parts_values_cannot_reach_the_training_part() -> None:
    X, y = table()
    X[3, 1] = np.nan
    before = sound(X, y, 21, 7)
    spoilt = X.copy()
    spoilt[before.test_rows] = np.random.default_rng(1).normal(size=(21, 4)) * 1e6
    after = sound(spoilt, y, 21, 7)
    assert after.X_train.tobytes() == before.X_train.tobytes()
    assert after.X_test.tobytes() != before.X_test.tobytes()


def test_test_values_outside_the_training_range_are_clipped_in_sound() -> None:
    X, y = table()
    row = sound(X, y, 21, 7).test_rows[0]
    X[row] = [1e9, -1e9, 1e9, -1e9]
    parts = sound(X, y, 21, 7)
    assert parts.X_test[0].tolist() == [1, 0, 1, 0]
    assert (parts.X_train.max(axis=0) == 1).all()


@pytest.mark.parametrize("protocol", [published, sound])
def test_a_constant_feature_becomes_0(protocol: object) -> None:
    X, y = table()
    X[:, 2] = 7.5
    parts = protocol(X, y, 21, 3)  # type: ignore[operator]
    assert not parts.X_train[:, 2].any() and not parts.X_test[:, 2].any()
    assert parts.X_train[:, 1].any()


def test_a_feature_constant_in_the_training_part_alone_becomes_0_in_sound() -> None:
    X, y = table()
    X[:, 2] = 7.5
    X[sound(X, y, 21, 3).test_rows[:5], 2] = 9.0
    parts = sound(X, y, 21, 3)
    assert not parts.X_train[:, 2].any() and not parts.X_test[:, 2].any()


@pytest.mark.parametrize("protocol", [published, sound])
def test_missing_values_become_the_training_parts_median(protocol: object) -> None:
    X, y = table()
    rows = protocol(X, y, 21, 3)  # type: ignore[operator]
    gaps = [*rows.train_rows[:2], *rows.test_rows[:2]]
    X[gaps, 1] = np.nan
    known = sorted(X[row, 1] for row in rows.train_rows[2:])  # 37 numbers
    filled = X.copy()
    filled[gaps, 1] = known[18]
    with_gaps, without = (protocol(values, y, 21, 3) for values in (X, filled))  # type: ignore[operator]
    np.testing.assert_array_equal(with_gaps.X_train, without.X_train)
    np.testing.assert_array_equal(with_gaps.X_test, without.X_test)


@pytest.mark.parametrize("protocol", [published, sound])
@pytest.mark.parametrize("test_size", [0, 60, 61])
def test_an_impossible_test_size_is_refused(protocol: object, test_size: int) -> None:
    X, y = table()
    with pytest.raises(ValueError, match=rf"test_size is {test_size}; allowed: 1 to 59 of the 60"):
        protocol(X, y, test_size, 1)  # type: ignore[operator]


def test_a_share_of_the_rows_is_a_test_size_too() -> None:
    X, y = table()
    assert len(sound(X, y, 0.25, 1).test_rows) == 15


def test_a_class_without_a_training_row_is_refused() -> None:
    X, _ = table()
    row = int(published(X, np.zeros(60, dtype=int), 21, 22).test_rows[0])
    y = np.zeros(60, dtype=int)
    y[row] = 1
    with pytest.raises(ValueError, match="class number 1 has no row in the training part"):
        published(X, y, 21, 22)


def test_a_feature_without_a_training_value_is_refused() -> None:
    X, y = table()
    X[:, 3] = np.nan
    with pytest.raises(ValueError, match="feature number 3 has no value in the training part"):
        sound(X, y, 21, 1)


def test_too_few_test_rows_for_the_classes_is_refused() -> None:
    X, y = table()
    with pytest.raises(ValueError, match="test_size"):
        sound(X, y, 2, 1)
