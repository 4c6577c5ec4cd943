"""What a neuron sees of the features: numbers scaled to [0, 1], and an indicator for each category.

A missing value becomes the mean of the training set: the mean level of a number, the share of each category.
So does a category that was not seen in training. (A neuron itself also takes NaN; the synapse is then 1. That
opens dendrites the wider the more is missing, and is no more accurate: see docs/classifier.md.)

Each input belongs to one feature, and its scaling can be inverted, so that explanations are in the features'
own units.

>>> X = np.array([["red", 1], ["blue", 4], ["red", None], ["green", 2]], dtype=object)
>>> inputs = Inputs.fit(X, ["colour", "size"])
>>> inputs.names
['colour is blue', 'colour is green', 'colour is red', 'size']
>>> inputs.transform(np.array([["green", 4], ["pink", 1]], dtype=object))
array([[0.  , 1.  , 0.  , 1.  ],
       [0.25, 0.25, 0.5 , 0.  ]])
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn.constraints import Flag, Integer, ListOf, OrNone, Text, check
from modn.frames import Column, as_numbers, as_texts, columns_of, is_missing, is_text
from modn.scaling import from_levels, knots, to_levels
from modn.validation import finite_array

Array = NDArray[np.float64]

MOST_CATEGORIES = 30  # with an input of their own; rarer ones have none


class Input(NamedTuple):
    """One input of a neuron."""

    feature: int
    category: str | None  # None: the feature is a number


@dataclass(frozen=True, eq=False)
class Numbers:
    """A feature that is a number: one input."""

    values: Array  # (K,) increasing
    levels: Array  # (K,) from 0 to 1

    categories: ClassVar[tuple[str | None, ...]] = (None,)

    def encode(self, column: Column, name: str) -> Array:
        """The levels (N, 1), NaN where missing."""
        return to_levels(as_numbers(column, name), self.values, self.levels)[:, None]


@dataclass(frozen=True)
class Categories:
    """A feature with categories: an indicator for each, or a single one for two."""

    known: tuple[str, ...]  # sorted
    others: bool = False  # whether rarer ones were seen in training; then any other counts as one of them

    @property
    def categories(self) -> tuple[str, ...]:
        """Those with an indicator."""
        return self.known[1:] if len(self.known) == 2 and not self.others else self.known

    def encode(self, column: Column, name: str) -> Array:
        """The indicators (N, n), NaN where missing."""
        place = {category: k for k, category in enumerate(self.known)}
        other = len(place) if self.others else -1
        texts = as_texts(column, self.known)
        codes = np.array([-1 if text is None else place.get(text, other) for text in texts], dtype=np.int64)
        indicators = np.equal.outer(codes, [place[category] for category in self.categories])
        return np.where(codes[:, None] < 0, np.nan, indicators.astype(np.float64))


@dataclass(frozen=True)
class Silent:
    """A feature with a single value in the training set, or none: one input, always 0."""

    categories: ClassVar[tuple[str | None, ...]] = (None,)

    def encode(self, column: Column, name: str) -> Array:
        """Zeros (N, 1)."""
        return np.zeros((len(column), 1))


Feature = Numbers | Categories | Silent


@dataclass(frozen=True, eq=False)
class Inputs:
    """The features of a training set, and the inputs they become."""

    features: tuple[Feature, ...]
    feature_names: tuple[str, ...]
    means: Array  # (n_inputs,) in the training set; what missing inputs become

    @classmethod
    def fit(cls, X: Any, feature_names: Sequence[str], weight: ArrayLike | None = None) -> "Inputs":
        """Learn the scalings and categories of samples X (N, D), a data frame or an array.

        A sample with weight 2 counts as two equal samples, one with weight 0 is ignored.
        """
        columns = columns_of(X, feature_names)
        weights = np.ones(len(columns[0])) if weight is None else np.asarray(weight, dtype=np.float64)
        counted = weights > 0
        features: list[Feature] = []
        means: list[float] = []
        for column, name in zip(columns, feature_names, strict=True):
            feature = _feature(column[counted], weights[counted], name)
            features.append(feature)
            means.extend(_means(feature.encode(column[counted], name), weights[counted]))
        return cls(tuple(features), tuple(feature_names), np.array(means))

    @property
    def columns(self) -> list[Input]:
        """The feature of each input, and the category that it indicates."""
        return [Input(i, category) for i, known in enumerate(self.features) for category in known.categories]

    @property
    def names(self) -> list[str]:
        """A name for each input."""
        return self.names_by(self.feature_names)

    def names_by(self, feature_names: Sequence[str]) -> list[str]:
        """A name for each input, with other names of the features."""
        return [
            feature_names[i] if category is None else f"{feature_names[i]} is {category}"
            for i, category in self.columns
        ]

    @property
    def silent(self) -> NDArray[np.bool_]:
        """The inputs that are always 0."""
        return np.array([isinstance(self.features[i], Silent) for i, _ in self.columns])

    def transform(self, X: Any) -> Array:
        """The inputs (N, n_inputs) of samples X (N, D), within [0, 1]."""
        columns = columns_of(X, self.feature_names)
        inputs = np.empty((len(columns[0]), len(self.columns)))
        end = 0
        for column, feature, name in zip(columns, self.features, self.feature_names, strict=True):
            start, end = end, end + len(feature.categories)
            encoded = feature.encode(column, name)
            inputs[:, start:end] = np.where(np.isnan(encoded), self.means[start:end], encoded)
        return inputs

    def unscaled(self, column: int, values: ArrayLike) -> Array:
        """Values of one input in its feature's own units; those of an indicator stay as they are."""
        feature, levels = self.features[self.columns[column].feature], np.asarray(values, dtype=np.float64)
        return from_levels(levels, feature.values, feature.levels) if isinstance(feature, Numbers) else levels

    # As values of JSON, and arrays

    def describe(self) -> tuple[list[Any], dict[str, Array]]:
        """What each feature is, and the knots of all numbers one after the other."""
        numbers = [feature for feature in self.features if isinstance(feature, Numbers)]
        knots = np.concatenate([np.empty((2, 0)), *([n.values, n.levels] for n in numbers)], axis=1)
        return [_describe(feature) for feature in self.features], {"knots": knots, "means": self.means}

    @classmethod
    def rebuild(
        cls, description: Sequence[Any], arrays: Mapping[str, NDArray[Any]], feature_names: Sequence[str]
    ) -> "Inputs":
        """The inputs that `describe` described."""
        if len(description) != len(feature_names):
            raise ValueError(f"{len(feature_names)} feature names for {len(description)} features")
        for part in description:
            _check_part(part)
        counts = [part if isinstance(part, int) else 0 for part in description]
        values, levels = finite_array("knots", arrays["knots"], (2, sum(counts)))
        features: list[Feature] = []
        end = 0
        for part, count in zip(description, counts, strict=True):
            start, end = end, end + count
            if count:
                features.append(_numbers(values[start:end], levels[start:end]))
            elif part is None:
                features.append(Silent())
            else:
                features.append(Categories(tuple(part["known"]), part["others"]))
        n_inputs = sum(len(feature.categories) for feature in features)
        means = finite_array("means", arrays["means"], (n_inputs,))
        return cls(tuple(features), tuple(feature_names), means)

    @classmethod
    def by_range(cls, low: Array, high: Array, feature_names: Sequence[str]) -> "Inputs":
        """Numbers that are scaled by their range [low, high]; a missing one becomes its middle."""
        features = (
            Numbers(np.array([a, b]), np.array([0.0, 1.0])) if a < b else Silent()
            for a, b in zip(low, high, strict=True)
        )
        return cls(tuple(features), tuple(feature_names), np.where(low < high, 0.5, 0.0))


def _feature(column: Column, weight: Array, name: str) -> Feature:
    """What a feature with these values is."""
    missing = is_missing(column)
    known, weight = column[~missing], weight[~missing]
    distinct, of_value = np.unique(known, return_inverse=True)
    if len(distinct) < 2:
        return Silent()
    if not is_text(column):
        return Numbers(*knots(known, weight))
    if len(distinct) <= MOST_CATEGORIES:
        return Categories(tuple(distinct))
    if len(distinct) == len(known):
        raise ValueError(
            f"feature {name!r} holds {len(distinct)} different texts in as many rows, such as "
            f"{distinct[0]!r}; allowed: numbers, or categories that more than one row has"
        )
    frequent = np.argsort(-np.bincount(of_value.ravel(), weight), kind="stable")[:MOST_CATEGORIES]
    return Categories(tuple(sorted(distinct[frequent])), others=True)


def _means(encoded: Array, weight: Array) -> Array:
    """The mean of each input's known values (N, n), rounded so that the order of samples does not matter."""
    known = ~np.isnan(encoded)
    means = np.where(known, encoded, 0.0).T @ weight / np.maximum(known.T @ weight, np.finfo(float).tiny)
    return np.round(means, 9)


def _describe(feature: Feature) -> Any:
    """The number of knots, the categories, or None."""
    if isinstance(feature, Numbers):
        return len(feature.values)
    return {"known": feature.known, "others": feature.others} if isinstance(feature, Categories) else None


def _check_part(part: Any) -> None:
    """Refuse what `_describe` does not return."""
    if isinstance(part, Mapping):
        check("known categories", part.get("known"), ListOf(Text()))
        check("others", part.get("others"), Flag())
    else:
        check("features", part, OrNone(Integer(2)))


def _numbers(values: Array, levels: Array) -> Numbers:
    for what, items in (("values", values), ("levels", levels)):
        if (np.diff(items) <= 0).any():
            raise ValueError(f"the {what} of knots do not increase")
    return Numbers(np.asarray(values), np.asarray(levels))
