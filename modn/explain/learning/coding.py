"""From samples to codes, which boxes are learned from, and from a box back to conditions.

A number becomes the number of thresholds that it reaches; thresholds lie between values of the training data.
A category becomes a column of 0 and 1 for each category ("is", "is not"); two categories need one column. A
missing value is -1 in all its columns.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn.constraints import check_names
from modn.explain.circuit import (
    AT_LEAST,
    BELOW,
    IS,
    IS_NOT,
    Condition,
    Feature,
    columns_of,
    is_missing,
    numbers,
)
from modn.explain.learning.table import Codes

MOST_CATEGORIES = 100
MOST_CODES = 64  # of a number: more change little

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Column:
    """One column of codes: a number with its thresholds, or one category of a feature."""

    feature: int
    thresholds: Array  # between neighbouring values, ascending; for a category one half
    category: str | None = None

    def values(self, part: NDArray[Any], name: str) -> Array:
        """The feature's values as numbers: for a category 1 where it is this one; NaN where missing."""
        if self.category is None:
            return numbers(part, name)
        return np.array([np.nan if is_missing(v) else float(str(v) == self.category) for v in part])

    def codes(self, values: Array) -> Codes:
        """The number of thresholds that each value (N,) reaches; -1 where it is missing."""
        codes = np.searchsorted(self.thresholds, values, side="right")
        return np.where(np.isnan(values), -1, codes).astype(np.int32)

    def conditions(self, low: int, high: int) -> list[Condition]:
        """What it means that a code is in [low, high]."""
        if self.category is not None:
            tests = [IS] * (low > 0) + [IS_NOT] * (high < 1)
            return [Condition(self.feature, test, self.category) for test in tests]
        found = [Condition(self.feature, AT_LEAST, float(self.thresholds[low - 1]))] if low > 0 else []
        if high < len(self.thresholds):
            found.append(Condition(self.feature, BELOW, float(self.thresholds[high])))
        return found


@dataclass(frozen=True)
class Coding:
    """The columns of a training set."""

    features: tuple[Feature, ...]
    columns: tuple[Column, ...]

    @classmethod
    def of(cls, X: Any) -> Self:
        """The coding of samples: a data frame or an array; texts and Booleans are categories."""
        names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
        features, columns = [], []
        for i, part in enumerate(columns_of(X)):
            name = f"x{i}" if names is None else names[i]
            categories = _categories(part, name) if _is_categorical(X, i, part) else None
            features.append(Feature(name, categories))
            if categories is None:
                values = numbers(part, name)
                if np.isinf(values).any():
                    raise ValueError(f"{name} contains infinity; allowed: finite numbers, NaN where missing")
                columns.append(Column(i, thresholds(values)))
            else:
                half = np.array([0.5])
                shown = categories[1:] if len(categories) == 2 else categories
                columns.extend(Column(i, half, category) for category in shown)
        return cls(tuple(features), tuple(columns))

    def refitted(self, values: Array) -> "Coding":
        """The same columns with the thresholds of other samples (N, D)."""
        columns = [
            column if column.category is not None else replace(column, thresholds=thresholds(values[:, k]))
            for k, column in enumerate(self.columns)
        ]
        return replace(self, columns=tuple(columns))

    @property
    def n_codes(self) -> Codes:
        """The number of codes of each column (D,)."""
        return np.array([len(column.thresholds) + 1 for column in self.columns], dtype=np.int32)

    def values(self, X: ArrayLike) -> Array:
        """The columns as numbers (N, D); NaN where missing."""
        parts = columns_of(X)
        found = [
            column.values(parts[column.feature], self.features[column.feature].name)
            for column in self.columns
        ]
        return np.stack(found, axis=1)

    def codes(self, values: Array) -> Codes:
        """The codes (D, N) of columns (N, D)."""
        found = [column.codes(values[:, i]) for i, column in enumerate(self.columns)]
        return np.ascontiguousarray(np.stack(found))

    def conditions(self, low: NDArray[np.int32], high: NDArray[np.int32]) -> tuple[Condition, ...]:
        """The conditions of a box."""
        return tuple(
            condition
            for column, a, b in zip(self.columns, low, high, strict=True)
            for condition in column.conditions(int(a), int(b))
        )

    def allowed_sides(
        self, monotone: Mapping[str, int] | None
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether conditions may be "at least" and "below" (D,); +1: only the first, -1: only the second."""
        signs = dict(monotone or {})
        check_names("monotone", signs, [feature.name for feature in self.features])
        own = np.array([signs.get(self.features[column.feature].name, 0) for column in self.columns])
        return own >= 0, own <= 0


def thresholds(values: Array) -> Array:
    """Short decimals between neighbouring values (N,): x >= threshold tells the upper from the lower.

    Of many values, thresholds with about equally many samples between them, each moved by up to a quarter of
    these to a shorter decimal.
    """
    distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    if len(distinct) <= MOST_CODES:
        return np.array([short_between(a, b) for a, b in pairwise(distinct.tolist())])
    ranks = (np.cumsum(counts) - counts / 2) * (MOST_CODES / counts.sum())
    edges = np.arange(1, MOST_CODES)
    last, first = np.searchsorted(ranks, edges - 0.25) - 1, np.searchsorted(ranks, edges + 0.25)
    inner = (last >= 0) & (first < len(distinct))
    pairs = zip(distinct[last[inner]].tolist(), distinct[first[inner]].tolist(), strict=True)
    found = np.unique([short_between(a, b) for a, b in pairs])
    return found[np.unique(np.searchsorted(distinct, found), return_index=True)[1]]


def short_between(low: float, high: float) -> float:
    """The shortest decimal above `low` and up to `high`, not rounder than their distance is large."""
    middle, width = low / 2 + high / 2, high / 2 - low / 2  # halves: the difference could overflow
    if 0 < width < math.inf:
        digits = -math.floor(math.log10(width)) - 1
        for more in range(3):
            half = 0.5 * 10.0 ** -(digits + more)
            near = [round(middle + move, digits + more) for move in (0.0, half, -half)]
            allowed = [value for value in near if low < value <= high]
            if allowed:
                return min(allowed, key=lambda value: abs(value - middle))
    return high


def _is_categorical(X: Any, i: int, part: NDArray[Any]) -> bool:
    """As pandas says, or by the values of an array of objects: a text or a Boolean among them."""
    if hasattr(X, "iloc"):
        kind = X.dtypes.iloc[i]
        if type(kind).__name__ == "CategoricalDtype":
            return True
    if part.dtype.kind in "biufc":
        return part.dtype.kind == "b"
    return any(isinstance(value, str | bool | np.bool_) for value in part)


def _categories(part: NDArray[Any], name: str) -> tuple[str, ...]:
    found = sorted({str(value) for value in part if not is_missing(value)})
    if len(found) > MOST_CATEGORIES:
        raise ValueError(f"{name} has {len(found)} categories; allowed: at most {MOST_CATEGORIES}")
    return tuple(found)
