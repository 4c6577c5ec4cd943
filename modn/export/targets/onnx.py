"""ONNX: the circuit, or a fitted MODNClassifier itself with its calibrated probabilities.

The inputs are `numbers` (N, n) of doubles, NaN where missing, and `categories` (N, n) of strings, "" where
missing; either is left out if there are none. The model's metadata list the features of each. The outputs are
`label` (N,) and, for a circuit, `scores` (N, C), else `probabilities` (N, C).
"""

from typing import Any

from modn.estimators import MODNClassifier
from modn.explain.circuit import Circuit

KINDS = (Circuit, MODNClassifier)
ALLOWED: dict[str, Any] = {}


def write(model: Circuit | MODNClassifier) -> bytes:
    """The bytes of the file."""
    if isinstance(model, Circuit):
        from modn.export.onnx_circuit import circuit_model

        return circuit_model(model)
    from modn.export.onnx_neuron import neuron_model

    return neuron_model(model)
