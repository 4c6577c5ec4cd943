"""A CSV file as numbers: which columns a model was trained on, and how their texts are coded.

A column whose values are all finite numbers stays as it is. Any other column holds categories: each becomes
an indicator feature ("colour=red"); two categories need only one. The coding is saved with the model, so that
a later file is coded in the same way, or refused with the place of the cell at fault.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from modn.extras import needs

with needs("cli"):
    import pandas as pd

    from modn import csv_file

MISSING = ["", "NA", "N/A", "NaN", "nan", "NULL", "null"]
MOST_CATEGORIES = 50  # more is an identifier or a free text, not a category


def read_csv(path: Path, separator: str = ",") -> pd.DataFrame:
    """The cells as text, None where missing; the index is the line in the file, the header being line 1."""
    table = csv_file.parse(path.read_bytes(), str(path), separator)
    header = table.columns.tolist()
    for name in header:
        if not name or header.count(name) > 1:
            what = f"the column {name!r} more than once" if name else "a column without a name"
            raise ValueError(f"{path} has {what}: {', '.join(map(repr, header))}")
    if table.empty:
        raise ValueError(f"{path} has a header, but no rows")
    return table.mask(table.isin(MISSING), None)


def labels(table: pd.DataFrame, target: str) -> np.ndarray:
    """The target's texts (N,)."""
    column = _column(table, target)
    return column.to_numpy(dtype=np.str_)


@dataclass(frozen=True)
class Columns:
    """The feature columns of a training file, in order."""

    categories: Mapping[str, Sequence[str] | None]  # of each column; None: it holds numbers

    @classmethod
    def of(cls, table: pd.DataFrame) -> "Columns":
        """Learn the coding from the cells of a training file without its target."""
        if table.shape[1] == 0:
            raise ValueError("the file has no feature column beside the target")
        return cls({name: _categories(_column(table, name)) for name in table})

    def encode(self, table: pd.DataFrame) -> pd.DataFrame:
        """The features as numbers; columns that the model does not know are ignored."""
        features: dict[str, Any] = {}
        for name, categories in self.categories.items():
            column = _column(table, name)
            if categories is None:
                features[name] = _numbers(column)
                continue
            _refuse_others(column, ~column.isin(list(categories)), f"; allowed: {', '.join(categories)}")
            for category in categories[1:] if len(categories) == 2 else categories:
                features[f"{name}={category}"] = (column == category).astype(np.float64)
        return pd.DataFrame(features, index=table.index)


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Name the file in errors about its lines and columns."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def read_model(path: Path) -> tuple[Any, Columns, dict[str, Any]]:
    """A model that `modn fit` wrote, its columns, and its notes."""
    from modn.persistence import read

    model, notes = read(path)
    if "columns" not in notes:
        raise ValueError(f"{path} was not written by `modn fit`: it does not hold the columns of a CSV file")
    return model, Columns(notes["columns"]), notes


def answers_csv(
    target: str, predictions: np.ndarray, classes: np.ndarray, proba: np.ndarray | None = None
) -> str:
    """Predictions (N,) and, where given, probabilities (N, C) as a CSV file."""
    answers = pd.DataFrame({target: predictions})
    if proba is not None:
        answers = answers.join(pd.DataFrame(proba, columns=[f"P({label})" for label in classes]))
    return answers.to_csv(index=False, lineterminator="\n", float_format="%.6f")


def _categories(column: pd.Series) -> list[str] | None:
    numbers = pd.to_numeric(column, errors="coerce")
    if np.isfinite(numbers.astype(np.float64)).all():
        return None
    categories = sorted(column.unique())
    if len(categories) > MOST_CATEGORIES:
        raise ValueError(
            f"column {column.name!r} holds {len(categories)} different texts, such as {categories[0]!r}; "
            f"allowed: numbers, or at most {MOST_CATEGORIES} categories (ignore the column with --drop)"
        )
    return categories


def _column(table: pd.DataFrame, name: str) -> pd.Series:
    if name not in table:
        raise ValueError(f"column {name!r} is missing; the file has {', '.join(map(repr, table.columns))}")
    column = table[name]
    if column.isna().any():
        raise ValueError(f"line {column.index[column.isna()][0]}, column {name!r}: the value is missing")
    return column


def _numbers(column: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(column, errors="coerce").astype(np.float64)
    _refuse_others(column, ~np.isfinite(numbers), " is not a finite number")
    return numbers


def _refuse_others(column: pd.Series, wrong: pd.Series, why: str) -> None:
    if wrong.any():
        line, value = column.index[wrong][0], column[wrong].iloc[0]
        raise ValueError(f"line {line}, column {column.name!r}: {value!r}{why}")
