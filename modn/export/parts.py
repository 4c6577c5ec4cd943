"""What the targets share: the parts of a circuit as they write them, and what none of them can express."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from modn.explain.circuit import Circuit, Condition, Feature
from modn.export.identifiers import identifiers

SURROGATES = r"\ud800-\udfff"  # halves of characters, which no encoding of text has
EXACT = 2**53  # beyond it, JavaScript and ONNX do not count exactly

Label = str | int | float | bool


class Samples:
    """A constraint: None, or an array or a data frame."""

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        return value is None or len(getattr(value, "shape", ())) == 2

    def __str__(self) -> str:
        return "an array or a data frame with a row for each sample"


@dataclass(frozen=True)
class Score:
    """The score of a class: the weights of its dendrites that hold, minus the offset."""

    weights: dict[int, int]  # by the dendrite's place in the circuit; none is 0
    offset: int

    def source(self, suffix: str = "") -> str:
        """The score in terms of d0, d1 and so on, as most languages write it; `suffix` follows numbers."""
        terms = [(w, f"{abs(w)}{suffix} * d{j}") for j, w in self.weights.items()]
        if self.offset or not terms:
            terms.append((-self.offset, f"{abs(self.offset)}{suffix}"))
        (sign, first), *others = terms
        return (
            ("-" if sign < 0 else "")
            + first
            + "".join(f" {'-' if w < 0 else '+'} {one}" for w, one in others)
        )


@dataclass(frozen=True)
class Parts:
    """A circuit in plain Python values, checked; `names` are the features' identifiers."""

    features: tuple[Feature, ...]
    names: tuple[str, ...]
    labels: tuple[Label, ...]
    dendrites: dict[int, tuple[Condition, ...]]  # those that a class counts, by their place in the circuit
    scores: tuple[Score, ...]  # of each class

    @property
    def largest(self) -> int:
        """A bound of the scores and of all sums on the way to them."""
        return max(sum(map(abs, score.weights.values())) + abs(score.offset) for score in self.scores)

    @property
    def tests_categories(self) -> bool:
        """Whether a condition is about a category."""
        return any(isinstance(one.value, str) for conditions in self.dendrites.values() for one in conditions)

    def code(self, condition: Condition) -> int:
        """The number of a condition's category, for targets that compare numbers only."""
        return (self.features[condition.feature].categories or ()).index(str(condition.value))


def conjunction(conditions: Sequence[str], word: str, nothing: str) -> str:
    """Conditions joined by a language's word for "and"; `nothing` stands for none."""
    return (
        f" {word} ".join(conditions if len(conditions) == 1 else [f"({one})" for one in conditions])
        or nothing
    )


def parts_of(circuit: Circuit, target: str, name: str = "") -> Parts:
    """The parts of a circuit for a program called `name`; a ValueError if the target cannot express it."""
    labels = tuple(_label(value, target) for value in np.asarray(circuit.classes).tolist())
    scores = tuple(
        Score({j: w for j, w in enumerate(column) if w}, int(offset))
        for column, offset in zip(circuit.weights.T.tolist(), circuit.theta_t, strict=True)
    )
    counted = sorted({j for score in scores for j in score.weights})
    dendrites = {
        j: tuple(_plain(condition, circuit, target) for condition in circuit.dendrites[j]) for j in counted
    }
    names = identifiers([feature.name for feature in circuit.features], taken=[name])
    parts = Parts(circuit.features, tuple(names), labels, dendrites, scores)
    check_texts(parts, target, SURROGATES, "unpaired surrogates")
    if parts.largest >= EXACT:
        raise ValueError(
            f"{target} cannot express the circuit: its scores reach {parts.largest}; "
            f"allowed: less than {EXACT}"
        )
    return parts


def check_texts(parts: Parts, target: str, characters: str, what: str) -> None:
    """Refuse texts from the data with characters (a class of a regular expression) that a target lacks."""
    categories = [text for feature in parts.features for text in feature.categories or ()]
    for text in [*(feature.name for feature in parts.features), *categories, *parts.labels]:
        if isinstance(text, str) and re.search(f"[{characters}]", text):
            raise ValueError(f"{target} cannot express the text {text!r}; allowed: texts without {what}")


def _label(value: Any, target: str) -> Label:
    plain = isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value))
    if not plain or (isinstance(value, int) and abs(value) > EXACT):
        raise ValueError(
            f"{target} cannot express the class {value!r}; allowed: texts, True, False, "
            f"integers up to {EXACT} and finite numbers"
        )
    return value


def _plain(condition: Condition, circuit: Circuit, target: str) -> Condition:
    """The condition with a plain value; a category must be one of its feature's."""
    feature, value = circuit.features[condition.feature], condition.value
    if not isinstance(value, str):
        return Condition(int(condition.feature), condition.test, float(value))
    if value not in (feature.categories or ()):
        raise ValueError(
            f"{target} cannot express the condition {feature.name!r} {condition.test} {value!r}; "
            f"allowed: one of its categories {', '.join(feature.categories or ())}"
        )
    return Condition(int(condition.feature), condition.test, value)
