"""A CSV file as a data frame: columns of numbers or of texts, None or NaN where a cell is missing.

Numbers and texts are told apart once, by the training file. The model remembers it, so that a later file is
read in the same way, or refused with the place of the cell at fault.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from modn.cli.arguments import MISSING
from modn.explain.circuit import Circuit
from modn.extras import needs
from modn.inputs import Categories, Numbers

with needs("cli"):
    import pandas as pd

    from modn import csv_file


def read_csv(path: Path, separator: str = ",", missing: Collection[str] = MISSING) -> pd.DataFrame:
    """The cells as text, None where missing; the index is the line in the file, the header being line 1."""
    table = csv_file.parse(path.read_bytes(), str(path), separator)
    header = table.columns.tolist()
    for name in header:
        if not name or header.count(name) > 1:
            what = f"the column {name!r} more than once" if name else "a column without a name"
            raise ValueError(f"{path} has {what}: {', '.join(map(repr, header))}")
    if table.empty:
        raise ValueError(f"{path} has a header, but no rows")
    return table.mask(table.isin(list(missing)), None)


def labels(table: pd.DataFrame, target: str) -> np.ndarray:
    """The target's texts (N,); none may be missing."""
    column = _column(table, target)
    if column.isna().any():
        raise ValueError(f"line {column.index[column.isna()][0]}, column {target!r}: the value is missing")
    csv_file.check_labels(column)
    return column.to_numpy(dtype=np.str_)


def target_numbers(table: pd.DataFrame, targets: Sequence[str]) -> pd.DataFrame:
    """The targets as numbers; none may be missing."""
    for name in targets:
        labels(table, name)
    return pd.DataFrame({name: _numbers(table[name]) for name in targets}, index=table.index)


def training_features(table: pd.DataFrame, categories: Sequence[str]) -> pd.DataFrame:
    """The features of a training file: columns of numbers as numbers, but those named as categories."""
    if table.shape[1] == 0:
        raise ValueError("the file has no feature column beside the target")
    return pd.DataFrame(
        {name: table[name] if name in categories else _numbers_or_texts(table[name]) for name in table},
        index=table.index,
    )


def known_features(table: pd.DataFrame, model: Any) -> pd.DataFrame:
    """The features that a model was trained on; columns that it does not know are ignored."""
    columns = {}
    for name, is_number in _features_of(model):
        column = _column(table, name)
        columns[name] = _numbers(column) if is_number else column
    return pd.DataFrame(columns, index=table.index)


def unseen_categories(features: pd.DataFrame, model: Any) -> Iterator[str]:
    """A line for each column with categories that training did not see, about the first of them."""
    for name, feature in zip(features, model.inputs_.features, strict=True):
        if isinstance(feature, Categories) and not feature.others:
            known = features[name].dropna()
            unseen = known[~known.isin(feature.known)]
            if len(unseen):
                yield (
                    f"line {unseen.index[0]}, column {name!r}: {unseen.iloc[0]!r} was not in the training "
                    f"file and counts as missing ({len(unseen)} such cells in the column)"
                )


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Name the file in errors about its lines and columns."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _features_of(model: Any) -> list[tuple[str, bool]]:
    """The name of each feature of an estimator or a circuit, and whether it is a number."""
    if isinstance(model, Circuit):
        return [(feature.name, feature.categories is None) for feature in model.features]
    inputs = model.inputs_
    return [
        (name, isinstance(feature, Numbers))
        for name, feature in zip(inputs.feature_names, inputs.features, strict=True)
    ]


def _column(table: pd.DataFrame, name: str) -> pd.Series:
    if name not in table:
        raise ValueError(f"column {name!r} is missing; the file has {', '.join(map(repr, table.columns))}")
    return table[name]


def _numbers_or_texts(column: pd.Series) -> pd.Series:
    """Numbers, unless half of the cells or more are something else; a few such cells are an error."""
    known = column.dropna()
    others = ~np.isfinite(pd.to_numeric(known, errors="coerce").astype(np.float64))
    if 2 * others.sum() >= len(known) > 0:
        return column
    if others.any():
        raise ValueError(
            f"line {known.index[others][0]}, column {column.name!r}: {known[others].iloc[0]!r} is not a "
            "finite number, as most cells of the column are; correct it, or use --missing or --categories"
        )
    return _numbers(column)


def _numbers(column: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(column, errors="coerce").astype(np.float64)
    wrong = column.notna() & ~np.isfinite(numbers)
    if wrong.any():
        line, value = column.index[wrong][0], column[wrong].iloc[0]
        raise ValueError(f"line {line}, column {column.name!r}: {value!r} is not a finite number")
    return numbers
