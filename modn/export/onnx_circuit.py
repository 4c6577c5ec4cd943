"""A circuit as an ONNX graph: `label` (N,) and `scores` (N, C)."""

import numpy as np

from modn.explain.circuit import AT_LEAST, BELOW, IS, IS_NOT, Circuit
from modn.export.onnx_graph import CATEGORIES, NUMBERS, Graph, Result, TensorProto, check_categories
from modn.export.parts import Parts, parts_of


def circuit_model(circuit: Circuit) -> bytes:
    """The model: a dendrite holds where none of its conditions is violated."""
    parts = parts_of(circuit, "onnx")
    check_categories([text for feature in parts.features for text in feature.categories or ()])
    graph = Graph()
    held = graph.add("Less", _violations(graph, parts), graph.constant(0.5))
    places = {j: k for k, j in enumerate(parts.dendrites)}
    weights = np.zeros((max(1, len(places)), len(parts.scores)))
    for c, score in enumerate(parts.scores):
        for j, weight in score.weights.items():
            weights[places[j], c] = weight
    offsets = np.array([score.offset for score in parts.scores], dtype=np.float64)
    scores = graph.add("Sub", graph.times(held, weights), graph.constant(offsets))
    integers = graph.add("Cast", scores, to=TensorProto.INT64)
    results = [
        graph.label(scores, parts.labels),
        Result("scores", integers, TensorProto.INT64, (len(parts.labels),)),
    ]
    return graph.model(_names(parts), results)


def _names(parts: Parts) -> dict[str, list[str]]:
    """The features of each input."""
    numbers = [feature.name for feature in parts.features if feature.categories is None]
    categories = [feature.name for feature in parts.features if feature.categories is not None]
    return {NUMBERS: numbers, CATEGORIES: categories}


def _column(parts: Parts, i: int) -> int:
    """The place of a feature in its input: how many of its kind come before it."""
    is_number = parts.features[i].categories is None
    return sum((feature.categories is None) == is_number for feature in parts.features[:i])


def _violations(graph: Graph, parts: Parts) -> str:
    """How many conditions of each dendrite (N, M) do not hold; one on a missing value always does."""
    M = max(1, len(parts.dendrites))  # a tensor cannot be empty everywhere
    terms = []
    for test in (AT_LEAST, BELOW, IS, IS_NOT):
        found = [
            (k, one) for k, some in enumerate(parts.dendrites.values()) for one in some if one.test == test
        ]
        if not found:
            continue
        tensor = NUMBERS if test in (AT_LEAST, BELOW) else CATEGORIES
        x = graph.columns(tensor, [_column(parts, one.feature) for _, one in found])
        value = graph.constant([one.value for _, one in found])
        if test == IS:
            other = graph.add("Not", graph.add("Equal", x, value))
            missing = graph.add("Equal", x, graph.constant([""]))
            violated = graph.add("And", other, graph.add("Not", missing))
        else:
            violated = graph.add({AT_LEAST: "Less", BELOW: "GreaterOrEqual", IS_NOT: "Equal"}[test], x, value)
        belongs = np.zeros((len(found), M))
        belongs[np.arange(len(found)), [k for k, _ in found]] = 1.0
        terms.append(graph.times(violated, belongs))
    if not terms:  # only the number of samples matters
        is_number = parts.features[0].categories is None
        x = graph.columns(NUMBERS if is_number else CATEGORIES, [0])
        known = graph.add("IsNaN", x) if is_number else graph.add("Equal", x, graph.constant([""]))
        terms.append(graph.times(known, np.zeros((1, M))))
    return graph.total(terms)
