"""From a tidy dataset to training and test parts in [0, 1].

Two protocols. `published` does what the authors did: one split for all runs, not stratified, and each part
scaled by its own range, so that their figures can stand beside ours. `sound` is for claims of our own: a
split per run, stratified where there are classes, everything fitted on the training part, test values clipped
to [0, 1].
"""

from typing import NamedTuple

import numpy as np

from modn.scaling import to_unit


class Parts(NamedTuple):
    """One split; X in [0, 1], y in 0..C-1 (N,) or targets (N, C), rows are positions in the dataset.

    `low` and `high` are the training part's range of each feature, which became [0, 1].
    """

    X_train: np.ndarray
    y_train: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    train_rows: np.ndarray
    test_rows: np.ndarray
    low: np.ndarray
    high: np.ndarray


def published(X: np.ndarray, y: np.ndarray, test_size: int | float, seed: int) -> Parts:
    """The authors' split: scikit-learn's shuffle with a fixed seed; each part scaled by its own range."""
    train, test = _choose_rows(y, test_size, seed, stratify=False)
    X_train, X_test = _imputed(X[train], X[test])
    return _parts(X_train, _scaled(X_test, X_test), y, train, test)


def sound(X: np.ndarray, y: np.ndarray, test_size: int | float, seed: int) -> Parts:
    """A split, of classes a stratified one; medians and ranges are the training part's."""
    train, test = _choose_rows(y, test_size, seed, stratify=y.ndim == 1)
    X_train, X_test = _imputed(X[train], X[test])
    return _parts(X_train, _scaled(X_test, X_train), y, train, test)


PROTOCOLS = {"published": published, "sound": sound}  # by name


def _parts(
    X_train: np.ndarray, scaled_test: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray
) -> Parts:
    low, high = X_train.min(axis=0), X_train.max(axis=0)
    return Parts(_scaled(X_train, X_train), y[train], scaled_test, y[test], train, test, low, high)


def _choose_rows(
    y: np.ndarray, test_size: int | float, seed: int, stratify: bool
) -> tuple[np.ndarray, np.ndarray]:
    from sklearn.model_selection import train_test_split  # late: it takes a second to import

    if isinstance(test_size, int) and not 1 <= test_size < len(y):
        raise ValueError(f"test_size is {test_size}; allowed: 1 to {len(y) - 1} of the {len(y)} rows")
    train, test = train_test_split(
        np.arange(len(y)), test_size=test_size, random_state=seed, stratify=y if stratify else None
    )
    if y.ndim > 1:
        constant = np.ptp(y[train], axis=0) == 0
        if constant.any():
            number = int(np.argmax(constant))
            raise ValueError(
                f"target number {number} has one value in the training part; allowed: two or more"
            )
        return train, test
    absent = np.setdiff1d(y, y[train])
    if absent.size:
        raise ValueError(
            f"class number {absent[0]} has no row in the training part; allowed: fewer test rows"
        )
    return train, test


def _imputed(X_train: np.ndarray, X_test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Missing values become the training part's median of their feature."""
    empty = np.isnan(X_train).all(axis=0)
    if empty.any():
        raise ValueError(f"feature number {int(np.argmax(empty))} has no value in the training part")
    median = np.nanmedian(X_train, axis=0)
    return np.where(np.isnan(X_train), median, X_train), np.where(np.isnan(X_test), median, X_test)


def _scaled(X: np.ndarray, reference: np.ndarray) -> np.ndarray:
    return to_unit(X, reference.min(axis=0), reference.max(axis=0))
