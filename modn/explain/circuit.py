"""A circuit: a neuron whose synapses are steps, so that each dendrite is a conjunction of conditions.

Each dendrite holds or does not; each class counts its dendrites that hold (Eq. 5), times the weight of the class,
minus its offset (Eq. 8 without the tanh, which changes no order). The class with the highest score wins; the first
of them, if there are several. Weights and offsets are integers: hardware needs comparators, ANDs and adders.

A condition on a missing value holds, as a synapse without an input is 1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn.export.methods import ExportMethods

AT_LEAST, BELOW, IS, IS_NOT = ">=", "<", "is", "is not"


@dataclass(frozen=True)
class Feature:
    """An input of a circuit: a number, or one of some categories."""

    name: str
    categories: tuple[str, ...] | None = None  # None: a number


@dataclass(frozen=True)
class Condition:
    """One synapse: a number compared with a threshold, or a category with another."""

    feature: int
    test: str  # ">=" or "<" and a number, "is" or "is not" and a category
    value: float | str

    def holds(self, column: NDArray[Any]) -> NDArray[np.bool_]:
        """Whether it holds (N,) for each value of its feature; for a missing one it does."""
        if self.test == AT_LEAST:
            return ~(column < self.value)
        if self.test == BELOW:
            return ~(column >= self.value)
        missing = np.array([value is None or value != value for value in column], dtype=bool)
        equal = np.array([str(value) == self.value for value in column], dtype=bool)
        return missing | (equal if self.test == IS else ~equal)


@dataclass(frozen=True, eq=False)
class Circuit(ExportMethods):
    """Dendrites as conjunctions, and what each of them counts for each class."""

    features: tuple[Feature, ...]
    classes: NDArray[Any]  # (C,)
    dendrites: tuple[tuple[Condition, ...], ...]  # M conjunctions
    P: NDArray[np.bool_]  # (M, C) which dendrites a class counts
    w_t: NDArray[np.int64]  # (C,) what each of them adds to the score
    theta_t: NDArray[np.int64]  # (C,) what is taken from the score

    def dendrites_hold(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Whether each dendrite holds (N, M), for samples in the features' own units."""
        columns = self._columns(X)
        n = len(columns[0])
        held = np.ones((n, len(self.dendrites)), dtype=bool)
        for j, conditions in enumerate(self.dendrites):
            for condition in conditions:
                held[:, j] &= condition.holds(columns[condition.feature])
        return held

    def scores(self, X: ArrayLike) -> NDArray[np.int64]:
        """The score of each class (N, C)."""
        counts = self.dendrites_hold(X).astype(np.int64) @ self.P.astype(np.int64)
        return self.w_t * counts - self.theta_t

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class (N,) with the highest score."""
        return self.classes[self.scores(X).argmax(axis=1)]

    @property
    def n_conditions(self) -> int:
        """The number of comparators."""
        return len({condition for conditions in self.dendrites for condition in conditions})

    def _columns(self, X: ArrayLike) -> list[NDArray[Any]]:
        """The features of the samples, each a column (N,) of numbers or of categories."""
        if hasattr(X, "iloc"):
            parts = [X.iloc[:, i].to_numpy() for i in range(X.shape[1])]
        else:
            parts = list(np.asarray(X).T)
        if len(parts) != len(self.features):
            raise ValueError(f"X has {len(parts)} features; allowed: {len(self.features)}, as in training")
        return [
            part.astype(np.float64) if feature.categories is None else part
            for part, feature in zip(parts, self.features, strict=True)
        ]
