"""Missing values: a NaN in X says nothing about its sample."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def mean_and_deviation(X: Array) -> tuple[Array, Array]:
    """Return the mean (D,) and the standard deviation (D,) of each feature's known values.

    The deviation of a constant is 1, so that it can be divided by; so are those of a feature without values,
    whose mean is 0.
    """
    known = ~np.isnan(X)
    if known.all():
        mean, deviation = X.mean(axis=0), X.std(axis=0)
    else:
        count = np.maximum(known.sum(axis=0), 1)
        mean = np.where(known, X, 0.0).sum(axis=0) / count
        deviation = np.sqrt((np.where(known, X - mean, 0.0) ** 2).sum(axis=0) / count)
    return mean, np.where(deviation > 0, deviation, 1.0)
