"""Checks of arguments: each error names the argument, says what is wrong, and what is allowed."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn.constraints import Constraint, Integer, Label, ListOf, Number, Text, check

FINITE = Number()
MOST_LABEL_BYTES = 2**26
MISSING = f"{FINITE}, or NaN where a value is missing"


def positive_integer(name: str, value: Any) -> int:
    """Return `value` as an int; it must be 1 or more."""
    check(name, value, Integer(1))
    return int(value)


def positive_number(name: str, value: Any) -> float:
    """Return `value` as a float; it must be finite and greater than 0."""
    check(name, value, Number(0, ends="(]"))
    return float(value)


def finite_number(name: str, value: Any) -> float:
    """Return `value` as a float; it must be finite."""
    check(name, value, FINITE)
    return float(value)


def finite_array(
    name: str, value: ArrayLike, shape: tuple[int | str, ...], missing: bool = False
) -> NDArray[np.float64]:
    """Return `value` as a float64 array of finite numbers.

    `shape` holds the required lengths; a string in it stands for any length of at least 1 and is its name.
    `missing`: NaN is allowed, too, and stands for a value that is missing.
    """
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} is not an array of numbers ({error}); allowed: finite numbers") from None
    _check_shape(name, array.shape, shape)
    good = np.isfinite(array)
    if missing:
        good |= np.isnan(array)
    _check_items(name, array, good, MISSING if missing else FINITE)
    return array


def boolean_filter(
    name: str, value: ArrayLike, shape: tuple[int | str, ...] = ("n_dendrites", "n_classes")
) -> NDArray[np.bool_]:
    """Return `value` as a Boolean array; numbers are refused, even 0 and 1: nothing is rounded unseen."""
    array = np.asarray(value)
    if array.dtype != np.bool_:
        raise ValueError(f"{name} has the dtype {array.dtype}; allowed: bool")
    _check_shape(name, array.shape, shape)
    return array


def class_indices(name: str, value: ArrayLike, n_samples: int, n_classes: int) -> NDArray[np.int64]:
    """Return `value` as int64 class indices, one per sample, within 0..C-1."""
    array = np.asarray(value)
    if not (np.issubdtype(array.dtype, np.integer) or array.dtype == np.bool_):
        raise ValueError(f"{name} has the dtype {array.dtype}; allowed: integers, the indices of classes")
    _check_shape(name, array.shape, (n_samples,))
    _check_items(name, array, (array >= 0) & (array < n_classes), Integer(0, n_classes - 1))
    return array.astype(np.int64)


def label_indicators(name: str, value: ArrayLike, n_samples: int, n_labels: int) -> NDArray[np.float64]:
    """Return `value` as float64 indicators (N, L): 1 where a sample has a label, else 0."""
    array = finite_array(name, value, (n_samples, n_labels))
    _check_items(name, array, (array == 0) | (array == 1), "0 or 1")
    return array


def sample_weights(name: str, value: ArrayLike | None, n_samples: int) -> NDArray[np.float64] | None:
    """Return `value` as float64 weights, one per sample, none negative and not all 0; None stays None."""
    if value is None:
        return None
    weights = finite_array(name, value, (n_samples,))
    _check_items(name, weights, weights >= 0, Number(0))
    if not weights.any():
        raise ValueError(f"{name} is zero for all samples; allowed: at least one number > 0")
    return weights


def labels_of(values: Any, dtype: Any, kinds: str = "biufU") -> NDArray[Any]:
    """Labels (C,) from a list in a file, with the dtype that the file names, one of NumPy's `kinds`."""
    check("classes", values, ListOf(Label()))
    check("classes_dtype", dtype, Text())
    allowed = f"numbers, Booleans or texts, of {MOST_LABEL_BYTES} bytes in all"
    try:
        kind = np.dtype(dtype)
    except TypeError:
        raise ValueError(f"classes_dtype is {dtype!r}; allowed: {allowed}") from None
    if kind.kind not in kinds or kind.itemsize * len(values) > MOST_LABEL_BYTES:
        raise ValueError(f"classes_dtype is {dtype!r}; allowed: {allowed}")
    return np.array(values, dtype=kind)


def _check_items(name: str, array: NDArray[Any], good: NDArray[np.bool_], allowed: Constraint | str) -> None:
    if not good.all():
        where = tuple(int(k) for k in np.argwhere(~good)[0])
        raise ValueError(f"{name}{list(where)} is {array[where]}; allowed: {allowed}")


def _check_shape(name: str, got: tuple[int, ...], expected: tuple[int | str, ...]) -> None:
    if got == expected:
        return
    fits = len(got) == len(expected) and all(
        length > 0 if isinstance(wanted, str) else length == wanted
        for length, wanted in zip(got, expected, strict=True)
    )
    if not fits:
        wanted = ", ".join(str(length) for length in expected) + ("," if len(expected) == 1 else "")
        raise ValueError(f"{name} has the shape {got}; allowed: ({wanted})")
