"""From a raw dataset to a tidy one: numbers in every feature column, the class last.

The recipes of the paper's 11 datasets (ids and rare classes dropped, ordinal codes, rows with missing values
dropped) are in conf/datasets. This module follows them, or names the cell at fault.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Recipe:
    """How a raw dataset is cleaned."""

    class_column: str
    drop_columns: Sequence[str] = ()
    drop_classes: Sequence[str] = ()
    codes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # column -> category -> number
    one_hot: Sequence[str] = ()  # columns that become one for each category; of two categories, one
    missing: str = "refuse"  # values of features; or drop_rows, or median: imputed after the split


def clean(raw: pd.DataFrame, recipe: Recipe) -> pd.DataFrame:
    """The tidy dataset; `raw` has texts, "" where a value is missing."""
    needed = [recipe.class_column, *recipe.drop_columns, *recipe.codes, *recipe.one_hot]
    absent = [column for column in needed if column not in raw.columns]
    if absent:
        raise ValueError(f"column {absent[0]!r} is missing; allowed: {', '.join(map(str, raw.columns))}")
    if recipe.class_column in recipe.drop_columns:
        raise ValueError(f"column {recipe.class_column!r} is the class and cannot be dropped")
    if raw.columns.has_duplicates:
        raise ValueError(f"column {raw.columns[raw.columns.duplicated()][0]!r} occurs more than once")
    kept = raw.drop(columns=list(recipe.drop_columns))
    kept = kept[~kept[recipe.class_column].isin(list(recipe.drop_classes))]
    labels = kept.pop(recipe.class_column)
    if (labels == "").any():
        raise ValueError(f"the class is missing in {_rows(labels == '')}, column {recipe.class_column!r}")
    if kept.shape[1] == 0:
        raise ValueError("there is no feature column beside the class")
    features = [
        feature
        for column in kept
        for feature in (
            _indicators(kept[column])
            if column in recipe.one_hot
            else [_numbers(kept[column], recipe.codes.get(column))]
        )
    ]
    tidy = pd.concat([*features, labels], axis=1)
    if tidy.columns.has_duplicates:
        raise ValueError(f"column {tidy.columns[tidy.columns.duplicated()][0]!r} occurs more than once")
    empty = tidy.isna().any(axis=1)
    if recipe.missing == "drop_rows":
        tidy = tidy[~empty]
    elif recipe.missing == "refuse" and empty.any():
        column = tidy.columns[tidy.isna().any()][0]
        raise ValueError(
            f"a value is missing in {_rows(tidy[column].isna())}, column {column!r}; "
            "set the missing-value rule to drop_rows or median to allow it"
        )
    counts = tidy[recipe.class_column].value_counts()
    if len(counts) < 2:
        raise ValueError(
            f"{len(counts)} class(es) in column {recipe.class_column!r}; at least two are needed"
        )
    if counts.min() < 2:
        raise ValueError(f"class {counts.idxmin()!r} has a single row; at least two are needed to split")
    return tidy.reset_index(drop=True)


def features_and_labels(tidy: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """X (N, D) float64, NaN where missing, and the labels (N,) of a tidy dataset read as text."""
    X = tidy.iloc[:, :-1].apply(_numbers, codes=None).to_numpy(np.float64)
    return X, tidy.iloc[:, -1].to_numpy(dtype=np.str_)


def sorted_classes(labels: np.ndarray) -> np.ndarray:
    """The distinct labels, in numerical order where all are numbers."""
    distinct = np.unique(labels)
    try:
        return distinct[np.argsort(distinct.astype(np.float64), kind="stable")]
    except ValueError:
        return distinct


def _numbers(column: pd.Series, codes: Mapping[str, float] | None) -> pd.Series:
    """The column as floats; "" becomes NaN."""
    present = column != ""
    if codes is not None:
        unknown = present & ~column.isin(list(codes))
        if unknown.any():
            raise ValueError(
                f"{column[unknown].iloc[0]!r} in {_rows(unknown)}, column {column.name!r}, has no code; "
                f"allowed: {', '.join(codes)}"
            )
        return column.map(dict(codes)).astype(np.float64)
    numbers = pd.to_numeric(column, errors="coerce").astype(np.float64)
    wrong = present & ~np.isfinite(numbers)
    if wrong.any():
        raise ValueError(
            f"{column[wrong].iloc[0]!r} in {_rows(wrong)}, column {column.name!r}, is not a finite number; "
            "give the column codes, or drop it"
        )
    return numbers


def _indicators(column: pd.Series) -> list[pd.Series]:
    """One-hot codes: for each category a column of ones and zeros, NaN where "" is; of two, the second's."""
    categories = sorted(set(column) - {""})
    shown = categories[1:] if len(categories) == 2 else categories
    present = column != ""
    return [
        (column == category).astype(np.float64).where(present).rename(f"{column.name}={category}")
        for category in shown
    ]


def _rows(mask: pd.Series) -> str:
    lines = [str(line) for line in mask.index[mask]]
    return (
        f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(lines[:5])}{', ...' * (len(lines) > 5)}"
    )
