"""Read samples column by column, from a pandas data frame or an array.

A column holds numbers (float64, NaN where missing) or texts (objects, None where missing). Booleans and
pandas' categories are texts, whatever they are made of.
"""

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

Column = NDArray[Any]  # (N,) of float64, or of objects: str or None

NUMBERS = "iuf"  # kinds of NumPy's dtypes
BOOLEANS = (str(False), str(True))


def is_frame(X: Any) -> bool:
    """Whether the samples are a pandas data frame."""
    return hasattr(X, "iloc") and hasattr(X, "dtypes")


def as_array(X: Any) -> NDArray[Any]:
    """Samples as an array; numbers stay numbers beside the texts of a list."""
    array = np.asarray(X)
    return np.asarray(X, dtype=object) if array.dtype.kind == "U" and array is not X else array


def columns_of(X: Any, names: Sequence[str]) -> list[Column]:
    """The columns of a data frame or of an array (N, D); `names` are those of the features, for messages."""
    X = X if is_frame(X) else as_array(X)
    if len(X.shape) != 2 or X.shape[1] != len(names):
        raise ValueError(f"X has the shape {X.shape}; allowed: (n_samples, {len(names)})")
    if is_frame(X):
        return [_of_series(X.iloc[:, i], name) for i, name in enumerate(names)]
    if X.dtype.kind in NUMBERS:
        return [_finite(X[:, i].astype(np.float64, copy=False), name) for i, name in enumerate(names)]
    return [_of_objects(X[:, i].astype(object), name) for i, name in enumerate(names)]


def is_text(column: Column) -> bool:
    """Whether a column holds texts."""
    return column.dtype == object


def is_missing(column: Column) -> NDArray[np.bool_]:
    """Where (N,) a value is missing."""
    return np.array([text is None for text in column]) if is_text(column) else np.isnan(column)


def as_texts(column: Column, known: Sequence[str]) -> Column:
    """A column as texts: numbers become the known texts they stand for, 1.0 "1" or, for Booleans, "True"."""
    if is_text(column):
        return column
    whole = dict(enumerate(BOOLEANS)) if tuple(known) == BOOLEANS else {}
    return _texts(np.array([whole.get(value, value) for value in column], dtype=object), np.isnan(column))


def as_numbers(column: Column, name: str) -> Column:
    """A column as numbers: texts that are numbers, and Booleans as 0 and 1; any other text is an error."""
    return np.array([_number(text, name) for text in column]) if is_text(column) else column


def _of_series(series: Any, name: str) -> Column:
    kind = series.dtype.kind
    if kind in NUMBERS:
        return _finite(series.to_numpy(dtype=np.float64, na_value=np.nan), name)
    if kind not in "bO":  # such as dates
        allowed = "numbers, texts, categories or bool"
        raise TypeError(f"feature {name!r} has the dtype {series.dtype}; allowed: {allowed}")
    values, missing = series.astype(object).to_numpy(), series.isna().to_numpy()
    if kind == "b" or str(series.dtype) == "category":
        return _texts(values, missing)
    return _of_objects(values, name, missing)


def _of_objects(values: Column, name: str, missing: NDArray[np.bool_] | None = None) -> Column:
    if missing is None:
        missing = _each(values, _is_nothing)
    known = values[~missing]
    if _each(known, _is_number).all():
        numbers = np.full(len(values), np.nan)
        try:
            numbers[~missing] = known.astype(np.float64)
        except OverflowError:
            message = f"feature {name!r} has a number beyond all floats; allowed: finite numbers"
            raise ValueError(message) from None
        return _finite(numbers, name)
    texts = _each(known, _is_plain)
    if not texts.all():
        wrong = type(known[~texts][0]).__name__
        raise TypeError(f"feature {name!r}: argument must be a string or a number, not {wrong}")
    return _texts(values, missing)


def _texts(values: Column, missing: NDArray[np.bool_]) -> Column:
    texts = np.empty(len(values), dtype=object)
    texts[~missing] = [_text(value) for value in values[~missing]]
    return texts


def _text(value: Any) -> str:
    whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value)) if whole else str(value)


def _number(text: str | None, name: str) -> float:
    if text is None:
        return np.nan
    try:
        number = float(BOOLEANS.index(text)) if text in BOOLEANS else float(text)
    except ValueError:
        number = np.inf
    if np.isinf(number):
        raise ValueError(f"feature {name!r} holds {text!r}; allowed: numbers, as in training")
    return number


def _finite(numbers: Column, name: str) -> Column:
    infinite = np.isinf(numbers)
    if infinite.any():
        row = int(infinite.argmax())
        raise ValueError(
            f"feature {name!r} is {numbers[row]} in row {row} (counted from 0); "
            "allowed: finite numbers, or NaN where missing"
        )
    return numbers


def _each(values: Column, test: Callable[[Any], bool]) -> NDArray[np.bool_]:
    return np.fromiter(map(test, values), dtype=bool, count=len(values))


def _is_nothing(value: Any) -> bool:
    # pandas' NA is not equal to anything, and has no truth value either.
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ == "NAType"


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | Real | np.bool_)
