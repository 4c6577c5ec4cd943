"""The training loss (Eq. 10): the mean cross-entropy of the predicted class probabilities."""

import numpy as np
from numpy.typing import NDArray

from modn.validation import class_indices


def cross_entropy(proba: NDArray[np.float64], y: NDArray[np.int64]) -> float:
    """Return -1/N sum_n log O[n, y_n] for probabilities O (N, C) and class indices y (N,)."""
    n_samples, n_classes = proba.shape
    y = class_indices("y", y, n_samples, n_classes)
    return float(-np.mean(np.log(proba[np.arange(n_samples), y])))
