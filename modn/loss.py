"""The training loss (Eq. 10): the mean cross-entropy of the predicted class probabilities."""

import numpy as np
from numpy.typing import ArrayLike

from modn.validation import class_indices, finite_array


def cross_entropy(proba: ArrayLike, y: ArrayLike) -> float:
    """Return -1/N sum_n log O[n, y_n] for probabilities O (N, C) and class indices y (N,)."""
    proba = finite_array("proba", proba, ("n_samples", "n_classes"))
    y = class_indices("y", y, *proba.shape)
    return float(-np.mean(np.log(proba[np.arange(len(y)), y])))
