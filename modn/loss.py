"""The training loss (Eq. 10): the mean cross-entropy of the predicted class probabilities."""

import numpy as np
from numpy.typing import ArrayLike

from modn.validation import class_indices, finite_array


def cross_entropy(proba: ArrayLike, y: ArrayLike) -> float:
    """Return -1/N sum_n log O[n, y_n] for probabilities O (N, C) and class indices y (N,)."""
    proba = finite_array("proba", proba, ("n_samples", "n_classes"))
    y = class_indices("y", y, *proba.shape)
    return float(-np.mean(np.log(proba[np.arange(len(y)), y])))


def binary_cross_entropy(potential: ArrayLike, y: ArrayLike) -> float:
    """Return the same for the DNM's O = 1 / (1 + exp(-u)), from its potential u (N,) and y of 0 and 1.

    From u rather than O: where O rounds to 1, log(1 - O) is lost.
    """
    potential = finite_array("potential", potential, ("n_samples",))
    y = class_indices("y", y, len(potential), 2)
    return float(np.mean(np.logaddexp(0.0, potential) - y * potential))
