"""A trained classifier as an ONNX graph: `label` (N,) and the calibrated `probabilities` (N, C).

All in double: the scaling of the inputs, Eqs. 1, 2 and 5, the potentials of Eq. 8 averaged over the
classifier's neurons, and their softmax at the classifier's temperature (Eq. 9 if it has none).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from modn.export.onnx_graph import CATEGORIES, NUMBERS, Graph, Result, TensorProto, check_categories
from modn.inputs import Categories, Inputs, Numbers
from modn.targets import SOFTMAX

Array = NDArray[np.float64]


def neuron_model(model: Any) -> bytes:
    """The model of a fitted MODNClassifier."""
    inputs: Inputs = model.inputs_
    if model.neuron_.target != SOFTMAX.name:
        raise ValueError("onnx: the model predicts several labels; allowed: one class for each sample")
    numbers = {i: feature for i, feature in enumerate(inputs.features) if isinstance(feature, Numbers)}
    categories = {i: feature for i, feature in enumerate(inputs.features) if isinstance(feature, Categories)}
    if not numbers and not categories:
        raise ValueError(
            "onnx cannot express a model whose features are all constant; allowed: one that varies"
        )
    graph = Graph()
    parts = [_numbers(graph, inputs, numbers)] if numbers else []
    parts += [_categories(graph, inputs, categories)] if categories else []
    missing = graph.add("Greater", graph.total([part[1] for part in parts]), graph.constant(0.5))
    known = graph.total([part[0] for part in parts])
    levels = graph.add("Where", missing, graph.constant(inputs.means), known)
    U = _potentials(graph, model.neurons_, levels)
    probabilities = _probabilities(graph, U, model.temperature_)
    labels = model.classes_.tolist()
    results = [
        graph.label(probabilities, labels),
        Result("probabilities", probabilities, TensorProto.DOUBLE, (len(labels),)),
    ]
    names = {
        NUMBERS: [inputs.feature_names[i] for i in numbers],
        CATEGORIES: [inputs.feature_names[i] for i in categories],
    }
    return graph.model(names, results)


def _numbers(graph: Graph, inputs: Inputs, features: dict[int, Numbers]) -> tuple[str, str]:
    """The levels of numbers (N, n_inputs), 0 for other inputs, and 1 where one is missing.

    Interpolation between knots, as a sum: each segment adds its step, times how much of it is passed.
    """
    low = np.concatenate([feature.values[:-1] for feature in features.values()])
    high = np.concatenate([feature.values[1:] for feature in features.values()])
    segments = np.repeat(np.arange(len(features)), [len(feature.values) - 1 for feature in features.values()])
    steps = np.concatenate([np.diff(feature.levels) for feature in features.values()])
    belongs = _belongs(inputs, list(features))
    is_missing = graph.add("IsNaN", NUMBERS)
    # NaN times 0 is NaN: a missing value must not enter a matrix product. Halves, as in modn.scaling.
    known = graph.add("Where", is_missing, graph.constant(0.0), NUMBERS)
    half = graph.columns(graph.add("Mul", known, graph.constant(0.5)), segments.tolist())
    above = graph.add("Sub", half, graph.constant(low / 2))
    passed = graph.add("Div", above, graph.constant(high / 2 - low / 2))
    passed = graph.add("Clip", passed, graph.constant(0.0), graph.constant(1.0))
    return graph.times(passed, steps[:, None] * belongs[segments]), graph.times(is_missing, belongs)


def _categories(graph: Graph, inputs: Inputs, features: dict[int, Categories]) -> tuple[str, str]:
    """The indicators of categories (N, n_inputs), 0 for other inputs, and 1 where one is missing.

    A feature is missing where its text is empty or, unless rare categories were seen in training, unknown.
    """
    texts = [text for feature in features.values() for text in feature.known]
    check_categories(texts)
    owners = np.repeat(np.arange(len(features)), [len(feature.known) for feature in features.values()])
    equal = graph.add("Equal", graph.columns(CATEGORIES, owners.tolist()), graph.constant(texts))
    belongs = _belongs(inputs, list(features))
    indicates = belongs[owners] * np.equal.outer(texts, [category or "" for _, category in inputs.columns])
    known = graph.add("Greater", graph.times(equal, np.eye(len(features))[owners]), graph.constant(0.5))
    empty = graph.add("Equal", CATEGORIES, graph.constant([""]))
    strict = graph.constant(np.array([[not feature.others for feature in features.values()]]))
    missing = graph.add("And", graph.add("Not", known), graph.add("Or", empty, strict))
    return graph.times(equal, indicates), graph.times(missing, belongs)


def _belongs(inputs: Inputs, features: list[int]) -> Array:
    """1 where an input (the columns) belongs to a feature (the rows)."""
    return np.equal.outer(features, [i for i, _ in inputs.columns]).astype(np.float64)


def _potentials(graph: Graph, neurons: list[Any], levels: str) -> str:
    """U (N, C), the mean over the neurons; their dendrites stand side by side."""
    slopes = np.concatenate([neuron.alpha_s * neuron.w_s for neuron in neurons], axis=1)
    offsets = np.concatenate([neuron.alpha_s * neuron.theta_s for neuron in neurons], axis=1)
    x = graph.add("Unsqueeze", levels, graph.constant(np.array([2])))
    exponent = graph.add("Sub", graph.add("Mul", x, graph.constant(slopes)), graph.constant(offsets))
    synapses = graph.add("Sigmoid", exponent)
    dendrites = graph.add("ReduceProd", synapses, graph.constant(np.array([1])), keepdims=0)
    weights = np.concatenate([neuron.alpha_t * neuron.w_t * neuron.feeds for neuron in neurons])
    thresholds = np.mean([neuron.alpha_t * neuron.theta_t for neuron in neurons], axis=0)
    return graph.add("Sub", graph.times(dendrites, weights / len(neurons)), graph.constant(thresholds))


def _probabilities(graph: Graph, U: str, temperature: float | None) -> str:
    if temperature is None:
        return graph.add("Softmax", graph.add("Tanh", U), axis=1)
    return graph.add("Softmax", graph.add("Mul", U, graph.constant(float(temperature))), axis=1)
