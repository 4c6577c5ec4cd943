"""From a raw dataset to a tidy one: numbers in every feature column, the class or the targets last.

The recipes of the paper's 11 datasets (ids and rare classes dropped, ordinal codes, rows with missing values
dropped) are in conf/datasets. This module follows them, or names the cell at fault.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from modn import csv_file


@dataclass(frozen=True)
class Recipe:
    """How a raw dataset is cleaned."""

    class_column: str | None  # None: there are targets instead
    drop_columns: Sequence[str] = ()
    drop_classes: Sequence[str] = ()
    codes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # column -> category -> number
    one_hot: Sequence[str] = ()  # columns that become one for each category; of two categories, one
    missing: str = "refuse"  # values of features; or drop_rows, or median: imputed after the split
    targets: Sequence[str] = ()  # columns of numbers
    indicators: bool = False  # the targets are labels: 0 or 1


def clean(raw: pd.DataFrame, recipe: Recipe) -> pd.DataFrame:
    """The tidy dataset; `raw` has texts, "" where a value is missing."""
    predicted = list(recipe.targets) if recipe.class_column is None else [recipe.class_column]
    what = "a target" if recipe.class_column is None else "the class"
    needed = [*predicted, *recipe.drop_columns, *recipe.codes, *recipe.one_hot]
    absent = [column for column in needed if column not in raw.columns]
    if absent:
        raise ValueError(f"column {absent[0]!r} is missing; allowed: {', '.join(map(str, raw.columns))}")
    for column in predicted:
        if column in recipe.drop_columns:
            raise ValueError(f"column {column!r} is {what} and cannot be dropped")
    for option, columns in (("codes", recipe.codes), ("one_hot", recipe.one_hot)):
        if recipe.class_column in columns:
            raise ValueError(f"column {recipe.class_column!r} is the class; allowed in {option}: features")
    if raw.columns.has_duplicates:
        raise ValueError(f"column {raw.columns[raw.columns.duplicated()][0]!r} occurs more than once")
    kept = raw.drop(columns=list(recipe.drop_columns))
    if recipe.class_column is not None:
        classes = set(kept[recipe.class_column])
        for name in recipe.drop_classes:
            if name not in classes:
                raise ValueError(f"drop_classes is {name!r}; allowed: {', '.join(sorted(classes))}")
        kept = kept[~kept[recipe.class_column].isin(list(recipe.drop_classes))]
    last = [kept.pop(column) for column in predicted]
    for column in last:
        if (column == "").any():
            raise ValueError(f"{what} is missing in {_rows(column == '')}, column {column.name!r}")
    if recipe.class_column is not None:
        csv_file.check_labels(last[0])
    if kept.shape[1] == 0:
        raise ValueError(f"there is no feature column beside {what}")
    if recipe.class_column is None:
        last = [_numbers(column, recipe.codes.get(str(column.name))) for column in last]
    features = [
        feature
        for column in kept
        for feature in (
            _indicators(kept[column])
            if column in recipe.one_hot
            else [_numbers(kept[column], recipe.codes.get(column))]
        )
    ]
    tidy = pd.concat([*features, *last], axis=1)
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
    if recipe.class_column is None:
        _check_targets(tidy[predicted], recipe.indicators)
    else:
        _check_classes(tidy[recipe.class_column])
    return tidy.reset_index(drop=True)


def _check_classes(column: pd.Series) -> None:
    counts = column.value_counts()
    if len(counts) < 2:
        raise ValueError(f"{len(counts)} class(es) in column {column.name!r}; at least two are needed")
    if counts.min() < 2:
        raise ValueError(f"class {counts.idxmin()!r} has a single row; at least two are needed to split")


def _check_targets(targets: pd.DataFrame, indicators: bool) -> None:
    for name, column in targets.items():
        other = ~column.isin([0.0, 1.0])
        if indicators and other.any():
            raise ValueError(
                f"{column[other].iloc[0]:g} in {_rows(other)}, column {name!r}, is no label; allowed: 0 and 1"
            )
        if column.nunique() < 2:
            raise ValueError(f"column {name!r} has one value; at least two are needed")


def features_and_labels(tidy: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """X (N, D) float64, NaN where missing, and the labels (N,) of a tidy dataset read as text."""
    X = tidy.iloc[:, :-1].apply(_numbers, codes=None).to_numpy(np.float64)
    return X, tidy.iloc[:, -1].to_numpy(dtype=np.str_)


def features_and_targets(tidy: pd.DataFrame, columns: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """X (N, D) and the numbers or indicators Y (N, C) of a tidy dataset read as text."""
    numbers = tidy.apply(_numbers, codes=None)
    return numbers.drop(columns=list(columns)).to_numpy(np.float64), numbers[list(columns)].to_numpy()


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
