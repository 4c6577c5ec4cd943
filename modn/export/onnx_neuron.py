"""A trained classifier as an ONNX graph: `label` (N,) and the calibrated `probabilities` (N, C).

All in double: the scaling of the inputs, Eqs. 1, 2 and 5, the potentials of Eq. 8 averaged over the classifier's
neurons, and their softmax at the classifier's temperature (Eq. 9 without one).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from modn.export.onnx_graph import CATEGORIES, NUMBERS, Graph, TensorProto, check_categories
from modn.inputs import Categories, Inputs, Numbers

Array = NDArray[np.float64]


def neuron_model(model: Any) -> bytes:
    """The model of a fitted MODNClassifier."""
    inputs: Inputs = model.inputs_
    kinds = [[i for i, feature in enumerate(inputs.features) if isinstance(feature, kind)] for kind in (Numbers, Categories)]
    if not any(kinds):
        raise ValueError("onnx cannot express a model whose features are all constant; allowed: one that varies")
    graph = Graph()
    levels, missing = _inputs(graph, inputs, *kinds)
    probabilities = _probabilities(graph, _potentials(graph, model.neurons_, levels, missing), model.temperature_)
    labels = model.classes_.tolist()
    outputs = {"label": graph.labels(probabilities, labels), "probabilities": probabilities}
    names = [[inputs.feature_names[i] for i in kind] for kind in kinds]
    return graph.model(*names, outputs, labels, TensorProto.DOUBLE)


def _inputs(graph: Graph, inputs: Inputs, numbers: list[int], categories: list[int]) -> tuple[str, str]:
    """The levels (N, n_inputs), 0 where missing, and which are missing."""
    parts = []
    if numbers:
        parts.append(_numbers(graph, inputs, numbers))
    if categories:
        parts.append(_categories(graph, inputs, categories))
    missing = graph.add("Greater", graph.total([part[1] for part in parts]), graph.constant(0.5))
    return graph.total([part[0] for part in parts]), missing


def _numbers(graph: Graph, inputs: Inputs, features: list[int]) -> tuple[str, str]:
    """Interpolation between knots, as a sum: each segment adds its step, times how much of it is passed."""
    n_inputs = len(inputs.columns)
    place = {i: k for k, (i, _) in enumerate(inputs.columns)}
    knots = [inputs.features[i] for i in features]
    counts = [len(part.values) - 1 for part in knots]
    low, high = (np.concatenate([part.values[ends] / 2 for part in knots]) for ends in (slice(None, -1), slice(1, None)))
    columns = np.repeat(np.arange(len(features)), counts)
    steps = np.zeros((len(columns), n_inputs))
    steps[np.arange(len(columns)), [place[features[k]] for k in columns]] = np.concatenate(
        [np.diff(part.levels) for part in knots]
    )
    is_missing = graph.add("IsNaN", NUMBERS)
    # NaN times 0 is NaN: a missing value must not enter a matrix product. Halves, as in modn.scaling.
    known = graph.add("Mul", graph.add("Where", is_missing, graph.constant(0.0), NUMBERS), graph.constant(0.5))
    above = graph.add("Sub", graph.columns(known, columns.tolist()), graph.constant(low))
    passed = graph.add("Div", above, graph.constant(high - low))
    passed = graph.add("Clip", passed, graph.constant(0.0), graph.constant(1.0))
    belongs = np.zeros((len(features), n_inputs))
    belongs[np.arange(len(features)), [place[i] for i in features]] = 1.0
    known_levels = graph.times(passed, steps)
    # Where a value is missing, the level of 0 would be left: it is not used.
    return known_levels, graph.times(is_missing, belongs)


def _categories(graph: Graph, inputs: Inputs, features: list[int]) -> tuple[str, str]:
    """Indicators; a feature is missing where its text is empty or, unless rare ones were seen, unknown."""
    check_categories([text for i in features for text in inputs.features[i].known])
    column = {i: k for k, i in enumerate(features)}
    pairs = [(i, text) for i in features for text in inputs.features[i].known]
    equal = graph.add(
        "Equal", graph.columns(CATEGORIES, [column[i] for i, _ in pairs]), graph.constant([text for _, text in pairs])
    )
    n_inputs = len(inputs.columns)
    place = {(i, category): k for k, (i, category) in enumerate(inputs.columns)}
    indicates = np.zeros((len(pairs), n_inputs))
    of_feature = np.zeros((len(pairs), len(features)))
    for row, (i, text) in enumerate(pairs):
        of_feature[row, column[i]] = 1.0
        if (i, text) in place:
            indicates[row, place[i, text]] = 1.0
    known = graph.add("Greater", graph.times(equal, of_feature), graph.constant(0.5))
    empty = graph.add("Equal", CATEGORIES, graph.constant([""]))
    strict = graph.constant(np.array([[not inputs.features[i].others for i in features]]))
    missing = graph.add("And", graph.add("Not", known), graph.add("Or", empty, strict))
    belongs = np.zeros((len(features), n_inputs))
    for k, (i, _) in enumerate(inputs.columns):
        if i in column:
            belongs[column[i], k] = 1.0
    return graph.times(equal, indicates), graph.times(missing, belongs)


def _potentials(graph: Graph, neurons: list[Any], levels: str, missing: str) -> str:
    """U (N, C), the mean over the neurons; their dendrites stand side by side."""
    slopes = np.concatenate([neuron.alpha_s * neuron.w_s for neuron in neurons], axis=1)
    offsets = np.concatenate([neuron.alpha_s * neuron.theta_s for neuron in neurons], axis=1)
    last = graph.constant(np.array([2]))
    x, unknown = graph.add("Unsqueeze", levels, last), graph.add("Unsqueeze", missing, last)
    exponent = graph.add("Sub", graph.add("Mul", x, graph.constant(slopes)), graph.constant(offsets))
    synapses = graph.add("Where", unknown, graph.constant(1.0), graph.add("Sigmoid", exponent))
    dendrites = graph.add("ReduceProd", synapses, graph.constant(np.array([1])), keepdims=0)
    weights = np.concatenate([neuron.alpha_t * neuron.P * neuron.w_t for neuron in neurons]) / len(neurons)
    thresholds = np.mean([neuron.alpha_t * neuron.theta_t for neuron in neurons], axis=0)
    return graph.add("Sub", graph.times(dendrites, weights), graph.constant(thresholds))


def _probabilities(graph: Graph, U: str, temperature: float | None) -> str:
    exponent = graph.add("Tanh", U) if temperature is None else graph.add("Mul", U, graph.constant(float(temperature)))
    return graph.add("Softmax", exponent, axis=1)
