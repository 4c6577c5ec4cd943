"""Scale features to [0, 1], where the synapses work, and back to their own units.

The range is that of the training data. Values beyond it are clipped, so that a neuron never sees inputs that
it was not trained for. A feature that is constant in the training data becomes 0.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def to_unit(X: Array, low: Array, high: Array) -> Array:
    """X (N, D) by the range [low, high] of each feature, clipped."""
    # Halves: the width of a range from -1e308 to 1e308 would overflow.
    half = high / 2 - low / 2
    scaled = (X / 2 - low / 2) / np.where(half > 0, half, 1.0)
    return np.where(half > 0, np.clip(scaled, 0.0, 1.0), 0.0)


def from_unit(x: Array, low: Array, high: Array) -> Array:
    """The value in the feature's own units that `to_unit` takes to x."""
    return low + x * high - x * low
