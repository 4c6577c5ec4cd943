"""Features that training has selected: which they are, and the neuron of them as one of all features.

A selection (`modn.methods.Descent`) brings the weights of features that do not help to 0, but makes those of
the others too small. A second training on what it has selected is free of that, and has less to learn.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from modn.neuron import Neuron

Array = NDArray[np.float64]

SMALLEST_SHARE = 0.01  # of the largest feature's weights: with smaller ones, a feature is left out
SATURATION = 40.0  # sigmoid(40) is 1 in double precision


def selected_features(neurons: list[Neuron], X: Array) -> NDArray[np.bool_]:
    """The features (D,) that any of the neurons, trained on samples X (N, D), makes use of."""
    sizes = np.array([np.sqrt((n.w_s**2).mean(axis=1)) for n in neurons]) * np.nanstd(X, axis=0)
    return (sizes > SMALLEST_SHARE * sizes.max(axis=1, keepdims=True)).any(axis=0)


def with_all_features(neuron: Neuron, selected: NDArray[np.bool_]) -> Neuron:
    """The neuron of the selected features as one of all of them: the other synapses are always 1."""
    M = neuron.w_s.shape[1]
    w_s, theta_s = np.zeros((len(selected), M)), np.full((len(selected), M), -SATURATION / neuron.alpha_s)
    w_s[selected], theta_s[selected] = neuron.w_s, neuron.theta_s
    return replace(neuron, w_s=w_s, theta_s=theta_s)
