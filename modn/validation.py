"""Checks of arguments, in one place: each error names the argument, what was wrong and what is allowed."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def positive_integer(name: str, value: Any) -> int:
    """Return `value` as an int; it must be 1 or more."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral) or value < 1:
        raise ValueError(f"{name} must be a positive integer; got {value!r}")
    return int(value)


def positive_number(name: str, value: Any) -> float:
    """Return `value` as a float; it must be finite and greater than 0."""
    number = finite_number(name, value)
    if number <= 0:
        raise ValueError(f"{name} must be greater than 0; got {value!r}")
    return number


def finite_number(name: str, value: Any) -> float:
    """Return `value` as a float; it must be finite."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real) or not np.isfinite(float(value)):
        raise ValueError(f"{name} must be a finite number; got {value!r}")
    return float(value)


def finite_array(name: str, value: ArrayLike, shape: tuple[int | str, ...]) -> NDArray[np.float64]:
    """Return `value` as a float64 array of finite numbers.

    `shape` holds the required lengths; a string in it stands for any length of at least 1 and is its name.
    """
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of numbers: {error}") from None
    _check_shape(name, array.shape, shape)
    if not np.isfinite(array).all():
        where = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite; {name}{list(where)} is {array[where]}")
    return array


def boolean_filter(
    name: str, value: ArrayLike, shape: tuple[int | str, ...] = ("n_dendrites", "n_classes")
) -> NDArray[np.bool_]:
    """Return `value` as a Boolean array; numbers are refused, even 0 and 1: nothing is rounded unseen."""
    array = np.asarray(value)
    if array.dtype != np.bool_:
        raise ValueError(f"{name} must be Boolean (dtype bool); got dtype {array.dtype}")
    _check_shape(name, array.shape, shape)
    return array


def class_indices(name: str, value: ArrayLike, n_samples: int, n_classes: int) -> NDArray[np.int64]:
    """Return `value` as int64 class indices, one per sample, within 0..C-1."""
    array = np.asarray(value)
    if not (np.issubdtype(array.dtype, np.integer) or array.dtype == np.bool_):
        raise ValueError(f"{name} must hold integer class indices; got dtype {array.dtype}")
    _check_shape(name, array.shape, (n_samples,))
    array = array.astype(np.int64)
    if array.min() < 0 or array.max() >= n_classes:
        outside = array[(array < 0) | (array >= n_classes)][0]
        raise ValueError(f"{name} must lie within 0..{n_classes - 1}; it holds {outside}")
    return array


def sample_weights(name: str, value: ArrayLike | None, n_samples: int) -> NDArray[np.float64] | None:
    """Return `value` as float64 weights, one per sample, none negative and not all 0; None stays None."""
    if value is None:
        return None
    weights = finite_array(name, value, (n_samples,))
    if weights.min() < 0 or weights.max() == 0:
        raise ValueError(f"{name} must hold no negative number, and not only zeros")
    return weights


def _check_shape(name: str, got: tuple[int, ...], expected: tuple[int | str, ...]) -> None:
    fits = len(got) == len(expected) and all(
        length > 0 if isinstance(wanted, str) else length == wanted
        for length, wanted in zip(got, expected, strict=True)
    )
    if not fits:
        wanted = ", ".join(str(length) for length in expected) + ("," if len(expected) == 1 else "")
        raise ValueError(f"{name} must have the shape ({wanted}); got {got}")
