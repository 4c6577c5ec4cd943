"""Folds of a cross-validation."""

import numpy as np
from numpy.typing import NDArray


def stratified_folds(codes: NDArray[np.int64], n_folds: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """The fold (N,) of each sample; -1, never held out, for the only sample of a class."""
    folds = np.full(len(codes), -1)
    first = 0  # each class begins where the one before has ended, so that folds are of equal size
    for c in np.unique(codes):
        rows = rng.permutation(np.flatnonzero(codes == c))
        if len(rows) > 1:
            folds[rows] = (first + np.arange(len(rows))) % n_folds
            first += len(rows)
    return folds
