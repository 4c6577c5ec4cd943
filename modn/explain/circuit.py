"""A circuit: a neuron whose synapses are steps, so that each dendrite is a conjunction of conditions.

Each dendrite holds or does not; each class adds the weights of its dendrites that hold, minus its offset
(Eqs. 5 and 8 with a weight for each dot of P, and without the tanh, which changes no order). The class with
the highest score wins; the first of them, if there are several. Weights and offsets are integers: hardware
needs comparators, ANDs and adders.

A condition on a missing value holds, as a synapse without an input is 1.

>>> import numpy as np
>>> petal = Feature("petal length")
>>> circuit = Circuit((petal,), np.array(["setosa", "other"]), ((Condition(0, "<", 2.5),),),
...                   np.array([[2, 0]]), np.array([1, 0]))
>>> circuit.predict([[1.4], [4.7]]).tolist()
['setosa', 'other']
>>> print(circuit)
Scores start with setosa at -1, other at 0; each rule that holds adds to them, and the highest wins.
1. petal length < 2.5: setosa +2
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn.constraints import Integer, OneOf, check, is_number
from modn.export.methods import ExportMethods

if TYPE_CHECKING:
    from modn.explain.explanation import Explanation

AT_LEAST, BELOW, IS, IS_NOT = ">=", "<", "is", "is not"
TESTS = (AT_LEAST, BELOW, IS, IS_NOT)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Feature:
    """An input of a circuit: a number, or one of some categories.

    >>> Feature("length").categories is None, Feature("colour", ("dark", "light")).categories
    (True, ('dark', 'light'))
    """

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
        missing = np.array([is_missing(value) for value in column], dtype=bool)
        equal = np.array([str(value) == self.value for value in column], dtype=bool)
        return missing | (equal if self.test == IS else ~equal)


class Evidence(NamedTuple):
    """What the rules do on some samples, usually those of training."""

    n_samples: int
    accuracy: float
    support: Array  # (M,) share of the samples where the rule holds
    precision: Array  # (M,) share of these that are of a class whose score it raises
    worth: Array  # (M,) by how much the accuracy falls without the rule
    spread: Array  # (D,) standard deviation of each feature; NaN for categories


class SizePath(NamedTuple):
    """The cross-validated accuracy of circuits of each size."""

    sizes: NDArray[np.int64]  # (K,) allowed numbers of conditions, ascending
    accuracy: Array  # (K,) mean over the folds
    standard_error: Array  # (K,)
    chosen: int  # the default size
    neuron: float  # the accuracy of the neuron on the same folds; NaN if there is none

    @property
    def one_standard_error(self) -> int:
        """The smallest size whose accuracy is within one standard error of the highest."""
        if np.isnan(self.accuracy).any():
            return self.chosen
        best = int(self.accuracy.argmax())
        near = self.accuracy >= self.accuracy[best] - self.standard_error[best]
        return int(self.sizes[near.argmax()])


@dataclass(frozen=True, eq=False)
class Circuit(ExportMethods):
    """Dendrites as conjunctions, and what each of them counts for each class.

    >>> circuit = Circuit(
    ...     features=(Feature("length"), Feature("colour", ("dark", "light"))),
    ...     classes=np.array(["ant", "bee"]),
    ...     dendrites=((Condition(0, ">=", 8.5), Condition(1, "is", "light")),),
    ...     weights=np.array([[0, 2]]),
    ...     theta_t=np.array([0, 1]),
    ... )
    >>> circuit.predict([[9.0, "light"], [9.0, "dark"]]).tolist()
    ['bee', 'ant']
    >>> circuit.n_conditions
    2
    """

    features: tuple[Feature, ...]
    classes: NDArray[Any]  # (C,)
    dendrites: tuple[tuple[Condition, ...], ...]  # M conjunctions
    weights: NDArray[np.int64]  # (M, C) what each dendrite that holds adds to the scores
    theta_t: NDArray[np.int64]  # (C,) what is taken from the scores
    evidence: Evidence | None = None
    path: SizePath | None = None

    def __post_init__(self) -> None:
        M, C = len(self.dendrites), len(self.classes)
        for name, shape in (("weights", (M, C)), ("theta_t", (C,))):
            array = np.asarray(getattr(self, name))
            if array.shape != shape:
                raise ValueError(f"{name} has the shape {array.shape}; allowed: {shape}")
            if array.dtype.kind != "i":
                raise ValueError(f"{name} has the dtype {array.dtype}; allowed: int64")
            object.__setattr__(self, name, array.astype(np.int64))
        for conditions in self.dendrites:
            for condition in conditions:
                self._check(condition)

    def _check(self, condition: Condition) -> None:
        check("feature of a condition", condition.feature, Integer(0, len(self.features) - 1))
        feature = self.features[condition.feature]
        check(f"test of {feature.name}", condition.test, OneOf(TESTS))
        is_category = isinstance(condition.value, str)
        if is_category != (condition.test in (IS, IS_NOT)) or is_category == (feature.categories is None):
            kind = "number" if feature.categories is None else "category"
            raise ValueError(
                f"{feature.name} {condition.test} {condition.value!r}: {feature.name} is a {kind}"
            )
        if not is_category and not is_number(condition.value):
            raise ValueError(f"threshold of {feature.name} is {condition.value!r}; allowed: a finite number")

    # What it decides

    def dendrites_hold(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Whether each dendrite holds (N, M), for samples in the features' own units."""
        columns = self.columns(X)
        held = np.ones((len(columns[0]), len(self.dendrites)), dtype=bool)
        for j, conditions in enumerate(self.dendrites):
            for condition in conditions:
                held[:, j] &= condition.holds(columns[condition.feature])
        return held

    def scores(self, X: ArrayLike) -> NDArray[np.int64]:
        """The score of each class (N, C)."""
        return self.dendrites_hold(X).astype(np.int64) @ self.weights - self.theta_t

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class (N,) with the highest score."""
        return self.classes[self.scores(X).argmax(axis=1)]

    def columns(self, X: ArrayLike) -> list[NDArray[Any]]:
        """The features of the samples, each a column (N,) of numbers or of categories."""
        parts = columns_of(X)
        if len(parts) != len(self.features):
            raise ValueError(f"X has {len(parts)} features; allowed: {len(self.features)}, as in training")
        return [
            numbers(part, feature.name) if feature.categories is None else part
            for part, feature in zip(parts, self.features, strict=True)
        ]

    # What it costs

    @property
    def n_conditions(self) -> int:
        """The number of conditions of all dendrites: what a reader reads."""
        return sum(len(conditions) for conditions in self.dendrites)

    @property
    def n_gates(self) -> int:
        """Comparators, two-input ANDs, adders and the comparisons of the scores.

        A comparator serves all conditions with its threshold, or its category: the opposite test is an
        inverted wire. A dendrite of k conditions needs k - 1 ANDs; each weight other than 0 is one addition;
        the highest of C scores is found by C - 1 comparisons.
        """
        comparators = {
            (condition.feature, condition.value) for conditions in self.dendrites for condition in conditions
        }
        ands = sum(max(len(conditions) - 1, 0) for conditions in self.dendrites)
        return len(comparators) + ands + int(np.count_nonzero(self.weights)) + len(self.classes) - 1

    @property
    def raises(self) -> NDArray[np.bool_]:
        """Whether each dendrite (M, C) adds more to a class than to the classes in the mean."""
        return self.weights > self.weights.mean(axis=1, keepdims=True)

    # What it says

    def __str__(self) -> str:
        from modn.explain.circuit_text import text

        return text(self)

    @property
    def rules(self) -> Any:
        """A pandas data frame with a row for each rule: conditions, classes, support, precision, worth."""
        from modn.explain.evidence import rules_frame

        return rules_frame(self)

    def measured(self, X: ArrayLike, y: ArrayLike) -> "Circuit":
        """The same circuit with the support, precision and worth of its rules on these samples."""
        from modn.explain.evidence import evidence

        return replace(self, evidence=evidence(self, X, y))

    def explain(self, x: ArrayLike) -> "Explanation":
        """Which rules hold for one sample, and which change of one feature would change the decision."""
        from modn.explain.explanation import explain

        return explain(self, x)

    # What can be made of it

    def without(self, rule: int) -> "Circuit":
        """The circuit without one rule, by its number in the text: 1, 2, ..."""
        check("rule", rule, Integer(1, len(self.dendrites)))
        kept = [j for j in range(len(self.dendrites)) if j != rule - 1]
        dendrites = tuple(self.dendrites[j] for j in kept)
        return replace(self, dendrites=dendrites, weights=self.weights[kept], evidence=None, path=None)

    def refit(self, X: ArrayLike, y: ArrayLike) -> "Circuit":
        """The circuit with the weights and offsets that suit these samples; its conditions stay."""
        from modn.explain.learning.integers import integer_weights

        targets = np.eye(len(self.classes))[class_codes(self.classes, y)]
        weights, theta_t = integer_weights(np.ascontiguousarray(self.dendrites_hold(X).T), targets)
        return replace(self, weights=weights, theta_t=theta_t, path=None).measured(X, y)

    def to_dict(self) -> dict[str, Any]:
        """The circuit as values that JSON knows; `from_dict` is the way back."""
        from modn.explain.circuit_file import to_dict

        return to_dict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Circuit":
        """The circuit that `to_dict` wrote; anything else raises a ValueError."""
        from modn.explain.circuit_file import from_dict

        return from_dict(values)


def is_missing(value: Any) -> bool:
    """Whether a value is None, or not equal to itself, as NaN; pandas' NA says neither."""
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def columns_of(X: Any) -> list[NDArray[Any]]:
    """The columns (N,) of a data frame or of an array."""
    if hasattr(X, "iloc"):
        return [X.iloc[:, i].to_numpy() for i in range(X.shape[1])]
    samples = np.asarray(X)
    if samples.ndim != 2:
        raise ValueError(f"X has the shape {samples.shape}; allowed: (n_samples, n_features)")
    return list(samples.T)


def numbers(column: NDArray[Any], name: str) -> Array:
    """The column as float64, NaN where a value is missing."""
    if column.dtype.kind in "biuf":
        return column.astype(np.float64)
    try:
        return np.array([np.nan if is_missing(value) else float(value) for value in column], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is not a number ({error}); allowed: numbers, NaN where missing") from None


def class_codes(classes: NDArray[Any], y: ArrayLike) -> NDArray[np.int64]:
    """The position (N,) of each label among the classes."""
    position = {label: c for c, label in enumerate(classes.tolist())}
    labels = np.asarray(y).ravel().tolist()
    unknown = [label for label in labels if label not in position]
    if unknown:
        allowed = ", ".join(map(repr, position))
        raise ValueError(f"y has the label {unknown[0]!r}; allowed: {allowed}")
    return np.array([position[label] for label in labels], dtype=np.int64)
