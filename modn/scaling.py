"""Scale features to [0, 1], where the synapses work, and back to their own units.

Values beyond the training data are clipped, so that a neuron never sees inputs that it was not trained for.

`to_unit` scales by the range. A few values that are orders of magnitude larger than the others would leave no
room for these. `knots` therefore compares the range with the middle 90 % of the values. Where it is much
wider, values are scaled by their rank instead, to the normal distribution's quantile of that rank (normal
scores). Either way the scaling is linear between knots, increasing, and can be inverted.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

Array = NDArray[np.float64]

# How much wider than the middle 90 % of the values the range may be; 1,000 values of a normal distribution
# reach this. docs/classifier.md has the accuracies by which this was chosen.
WIDEST = 2.0
MOST_KNOTS = 256


def to_unit(X: Array, low: Array, high: Array) -> Array:
    """X (N, D) by the range [low, high] of each feature, clipped; a constant feature becomes 0."""
    # Halves: the width of a range from -1e308 to 1e308 would overflow.
    half = high / 2 - low / 2
    scaled = (X / 2 - low / 2) / np.where(half > 0, half, 1.0)
    return np.where(half > 0, np.clip(scaled, 0.0, 1.0), 0.0)


def knots(x: Array, weight: Array) -> tuple[Array, Array]:
    """The scaling of a feature by its values x (N,): increasing values (K,) and their levels in [0, 1].

    The values are not all the same. One with weight 2 counts as two values.
    """
    values, of_value = np.unique(x, return_inverse=True)
    each = np.bincount(of_value.ravel(), weight)
    ranks = (np.cumsum(each) - each / 2) / each.sum()
    # Made small by a power of two, which rounds nothing: slopes over small steps of rank would overflow.
    small = values / 2.0**64
    low, high = np.interp([0.05, 0.95], ranks, small)
    if (small[-1] - small[0]) / WIDEST <= high - low:
        return values[[0, -1]], np.array([0.0, 1.0])
    scores = ndtri(ranks)
    if len(values) > MOST_KNOTS:  # evenly spaced scores, so that the tails are not cut short
        chosen = np.unique(np.searchsorted(ranks, ndtr(np.linspace(scores[0], scores[-1], MOST_KNOTS))))
        chosen = np.unique([0, *chosen[chosen < len(values)], len(values) - 1])
        values, scores = values[chosen], scores[chosen]
    return values, (scores - scores[0]) / (scores[-1] - scores[0])


def to_levels(x: Array, values: Array, levels: Array) -> Array:
    """The levels of x (N,) between knots, clipped; NaN stays NaN."""
    return np.interp(x / 2, values / 2, levels)  # halves, as above


def from_levels(level: Array, values: Array, levels: Array) -> Array:
    """The values that `to_levels` takes to these levels."""
    return np.interp(level, levels, values / 2) * 2
