"""Why a circuit decides as it does for one sample, and what would change the decision."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn.explain.circuit import AT_LEAST, BELOW, IS, Circuit, Condition, columns_of, is_missing
from modn.explain.circuit_text import condition_text, effect, premise


@dataclass(frozen=True)
class Change:
    """One feature that, were the condition true and all else the same, would change the decision."""

    condition: Condition
    decision: Any
    distance: float  # in standard deviations of the feature, where they are known; categories: 1

    def __lt__(self, other: "Change") -> bool:
        return self.distance < other.distance


@dataclass(frozen=True, eq=False)
class Explanation:
    """The decision for one sample; `str()` is the text."""

    circuit: Circuit
    decision: Any
    scores: NDArray[np.int64]  # (C,)
    rules: tuple[int, ...]  # the numbers of the rules that hold: 1, 2, ...
    changes: tuple[Change, ...]  # the nearest of each feature, the nearest of all first

    def __str__(self) -> str:
        circuit = self.circuit
        scores = ", ".join(
            f"{label} {score:d}" for label, score in zip(circuit.classes, self.scores, strict=True)
        )
        held = [f"{rule}. {premise(circuit, rule - 1)}: {effect(circuit, rule - 1)}" for rule in self.rules]
        features = circuit.features
        changes = [
            f"{condition_text(features[one.condition.feature], one.condition)} -> {one.decision}"
            for one in self.changes
        ]
        return "\n".join(
            [
                f"{self.decision} (scores: {scores})",
                "Rules that hold:" if held else "No rule holds.",
                *held,
                "A change of one feature that would change the decision, the nearest first:"
                if changes
                else "No change of one feature would change the decision.",
                *changes,
            ]
        )


def explain(circuit: Circuit, x: ArrayLike) -> Explanation:
    """Explain the decision for one sample: a row (D,) or (1, D), or a data frame of one row."""
    sample = _one_row(x)
    held = circuit.dendrites_hold(sample)[0]
    scores = circuit.scores(sample)[0]
    decision = circuit.classes[scores.argmax()]
    changes = []
    for i in range(len(circuit.features)):
        candidates = [change for change in _changes(circuit, sample, i) if change.decision != decision]
        if candidates:
            changes.append(min(candidates))
    return Explanation(
        circuit, decision, scores, tuple((np.flatnonzero(held) + 1).tolist()), tuple(sorted(changes))
    )


def _one_row(x: Any) -> NDArray[Any]:
    row = np.asarray(x.iloc[0] if hasattr(x, "iloc") and np.ndim(x) == 2 else x, dtype=object)
    sample = row.reshape(1, -1) if row.ndim < 2 else row
    if (hasattr(x, "iloc") and np.ndim(x) == 2 and len(x) != 1) or sample.shape[0] != 1 or row.ndim > 2:
        raise ValueError(f"x has the shape {np.shape(x)}; allowed: one sample, (n_features,)")
    return sample


def _changes(circuit: Circuit, sample: NDArray[Any], i: int) -> Iterator[Change]:
    """What the decision would be if feature i had another value: every value that tells conditions apart."""
    present = columns_of(sample)[i][0]
    spread = 1.0
    if circuit.evidence is not None and circuit.evidence.spread[i] > 0:
        spread = float(circuit.evidence.spread[i])
    for condition in _alternatives(circuit, i):
        moved = sample.copy()
        if condition.test == IS:
            moved[0, i], distance = condition.value, 1.0
        else:
            threshold = float(condition.value)
            moved[0, i] = threshold if condition.test == AT_LEAST else np.nextafter(threshold, -np.inf)
            distance = np.inf if is_missing(present) else abs(threshold - float(present)) / spread
            if not is_missing(present) and (float(present) >= threshold) == (condition.test == AT_LEAST):
                continue  # it is true already
        yield Change(condition, circuit.predict(moved)[0], distance)


def _alternatives(circuit: Circuit, i: int) -> Iterator[Condition]:
    categories = circuit.features[i].categories
    if categories is not None:
        yield from (Condition(i, IS, category) for category in categories)
        return
    own = {c.value for conditions in circuit.dendrites for c in conditions if c.feature == i}
    for threshold in sorted(own):
        yield Condition(i, AT_LEAST, threshold)
        yield Condition(i, BELOW, threshold)
