"""A circuit in words: one line for each rule."""

import numpy as np

from modn.explain.circuit import AT_LEAST, BELOW, Circuit, Condition, Feature


def text(circuit: Circuit) -> str:
    """What the scores start at, and what each rule adds to which class."""
    starts = [f"{label} at {-theta:d}" for label, theta in zip(circuit.classes, circuit.theta_t, strict=True)]
    first = f"Scores start with {', '.join(starts)}; each rule that holds adds to them, and the highest wins."
    rules = [f"{j + 1}. {premise(circuit, j)}: {effect(circuit, j)}" for j in range(len(circuit.dendrites))]
    return "\n".join([first, *rules])


def premise(circuit: Circuit, dendrite: int) -> str:
    """The conditions of a dendrite, joined by "and"; both ends of an interval stand together."""
    by_feature: dict[int, list[Condition]] = {}
    for condition in circuit.dendrites[dendrite]:
        by_feature.setdefault(condition.feature, []).append(condition)
    parts = [_phrase(circuit.features[i], conditions) for i, conditions in by_feature.items()]
    return " and ".join(parts) or "always"


def effect(circuit: Circuit, dendrite: int) -> str:
    """What the dendrite adds to the scores."""
    row = circuit.weights[dendrite]
    return ", ".join(f"{circuit.classes[c]} {row[c]:+d}" for c in np.flatnonzero(row)) or "nothing"


def condition_text(feature: Feature, condition: Condition) -> str:
    """One condition."""
    return f"{feature.name} {condition.test} {_value(condition)}"


def _phrase(feature: Feature, conditions: list[Condition]) -> str:
    tests = {condition.test: condition for condition in conditions}
    if len(conditions) == 2 and tests.keys() == {AT_LEAST, BELOW}:
        return f"{_value(tests[AT_LEAST])} <= {feature.name} < {_value(tests[BELOW])}"
    return " and ".join(condition_text(feature, condition) for condition in conditions)


def _value(condition: Condition) -> str:
    return condition.value if isinstance(condition.value, str) else f"{condition.value:.12g}"
