"""Samples, labels and weights as scikit-learn's users give them."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import assert_all_finite, check_array, check_consistent_length, column_or_1d
from sklearn.utils.validation import validate_data

from modn.frames import as_array, is_frame
from modn.validation import sample_weights

Array = NDArray[np.float64]


def read_samples(model: Any, X: Any, reset: bool = False) -> Any:
    """A data frame as it is, anything else as an array (N, D); both with the features that the model knows.

    `reset`: the model learns the number and the names of the features instead.
    """
    samples = _checked(model, X)
    validate_data(model, X if is_frame(X) else samples, reset=reset, skip_check_array=True)
    return samples


def read_training_set(
    model: Any, X: Any, y: Any, sample_weight: ArrayLike | None, read_y: Callable[[Any], NDArray[Any]]
) -> tuple[Any, NDArray[Any], Array]:
    """Samples, y as `read_y` returns it, and weights (N,), 1 by default."""
    if y is None:
        raise ValueError(f"{type(model).__name__} requires y to be passed, but the target y is None.")
    samples = read_samples(model, X, reset=not model._continues)
    wanted = read_y(y)
    check_consistent_length(samples, wanted)
    weights = sample_weights("sample_weight", sample_weight, len(wanted))
    return samples, wanted, np.ones(len(wanted)) if weights is None else weights


def as_labels(y: Any) -> NDArray[Any]:
    """One label for each sample (N,)."""
    labels = column_or_1d(y, warn=True)
    assert_all_finite(labels, input_name="y")
    return labels


def weights_of(
    class_weight: str | Mapping[Any, float] | None,
    classes: NDArray[Any],
    codes: NDArray[np.int64],
    sample_weight: Array,
) -> Array:
    """The weight (N,) of each sample's class, 1 where `class_weight` does not say; codes index classes."""
    if class_weight is None:
        return np.ones(len(codes))
    if isinstance(class_weight, str):  # balanced: all classes have the same weight
        totals = np.bincount(codes, sample_weight)
        return (totals.sum() / (len(classes) * totals))[codes]
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown and not set(labels) <= set(class_weight):
        allowed = ", ".join(map(repr, labels))
        raise ValueError(f"class_weight has the class {unknown[0]!r}; allowed: {allowed}")
    return np.array([float(class_weight.get(label, 1.0)) for label in labels])[codes]


def merged(X: Array, wanted: NDArray[Any], weights: Array) -> tuple[Array, NDArray[Any], Array]:
    """The distinct samples, sorted, each with the sum of its weights: a weight of 2 equals two copies.

    `wanted` (N,) or (N, C) is what they should have; samples that should have something else are distinct.
    """
    # As bytes, each row is one key; those of numbers >= 0 are in their order if the highest byte comes first.
    D, last = X.shape[1], wanted.reshape(len(X), -1)
    rows = np.empty((len(X), D + last.shape[1]), dtype=">f8")
    rows[:, :D], rows[:, D:] = X, last
    keys = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    order = np.argsort(keys, kind="stable")
    changes = keys[order[1:]] != keys[order[:-1]]
    first = np.flatnonzero(np.append(True, changes))
    chosen = order[first]
    return X[chosen], wanted[chosen], np.add.reduceat(weights[order], first)


def _checked(model: Any, X: Any) -> Any:
    if not is_frame(X):
        array = X if issparse(X) else as_array(X)
        return check_array(array, dtype=None, ensure_all_finite=False, estimator=model, input_name="X")
    for axis, what in enumerate(("sample", "feature")):
        if X.shape[axis] == 0:
            name = type(model).__name__
            raise ValueError(
                f"Found array with 0 {what}(s) (shape={X.shape}) while a minimum of 1 is required by {name}."
            )
    return X
