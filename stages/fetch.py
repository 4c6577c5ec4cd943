"""fetch: verify and clean each raw dataset, write it tidy; and write Table 1, checked against the paper's."""

import hashlib
import math
from typing import Any

import numpy as np
import pandas as pd

from modn import csv_file
from stages.config.schema import Dataset, Parameters
from stages.io import entrypoint, files
from stages.io.entrypoint import StageError
from stages.study import cleaning


def fetch(parameters: Parameters) -> None:
    """Read data/raw, write data/tables and data/table1.csv, which has the paper's datasets only."""
    tidy = {}
    studies = {"extra": parameters.extra.datasets, "targets": parameters.targets.datasets}
    for name, dataset in (parameters.datasets | studies["extra"] | studies["targets"]).items():
        raw = read(dataset)
        if parameters.fetch.source == "uci" and dataset.uci_id is not None:
            _compare_with_uci(raw, dataset)
        tidy[name] = clean(raw, name, dataset)
    table1 = pd.DataFrame(
        [describe(name, dataset, tidy[name]) for name, dataset in parameters.datasets.items()]
    )
    _compare_with_paper(table1)
    with files.replaced_folder(files.TABLES) as folder:
        for name, frame in tidy.items():
            files.write_csv(folder / f"{name}.csv", frame)
        files.write_csv(files.TABLE1, table1)
    for row in table1.itertuples():
        counts = f"{row.train} + {row.test} rows, {row.classes} classes, {row.features} features"
        print(f"fetch: {row.title}: {counts}")
    for study, datasets in studies.items():
        if datasets:
            print(f"fetch: {len(datasets)} datasets of the study {study}")


def read(dataset: Dataset) -> pd.DataFrame:
    """The raw dataset, every cell as text, after its checksum was verified."""
    path = files.ROOT / dataset.file
    if not path.resolve().is_relative_to((files.ROOT / "data/raw").resolve()):
        raise StageError(f"{dataset.file} is a link to {path.resolve()}; allowed: a file below data/raw")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise StageError(f"{dataset.file} cannot be read: {error.strerror}") from None
    digest = hashlib.sha256(content).hexdigest()
    if dataset.sha256 is not None and digest != dataset.sha256:
        raise StageError(
            f"{dataset.file} is damaged or changed: its SHA-256 is {digest}, expected {dataset.sha256}; "
            "restore it (git checkout), or set sha256 in conf/datasets if the change is intended"
        )
    try:
        return csv_file.parse(content, dataset.file)
    except ValueError as error:
        raise StageError(str(error)) from None


def clean(raw: pd.DataFrame, name: str, dataset: Dataset) -> pd.DataFrame:
    """The tidy dataset, made from the raw one by its recipe."""
    recipe = cleaning.Recipe(
        dataset.class_column,
        dataset.drop_columns,
        dataset.drop_classes,
        dataset.codes,
        dataset.one_hot,
        dataset.missing,
        dataset.targets,
        dataset.task == "labels",
    )
    try:
        tidy = cleaning.clean(raw, recipe)
    except ValueError as error:
        group = "conf/datasets/targets" if dataset.targets else "conf/datasets"
        raise StageError(f"{dataset.file}: {error} (recipe: {group}/{name}.yaml)") from None
    n_classes = None if dataset.class_column is None else tidy[dataset.class_column].nunique()
    if dataset.n_classes not in (None, n_classes):
        raise StageError(
            f"{dataset.file} has {n_classes} classes; datasets.{name}.n_classes says {dataset.n_classes}"
        )
    return tidy


def describe(name: str, dataset: Dataset, tidy: pd.DataFrame) -> dict[str, Any]:
    """A row of Table 1; for datasets with targets, their number replaces that of the classes."""
    size = dataset.test_size
    test = size if isinstance(size, int) else math.ceil(size * len(tidy))
    if not 0 < test < len(tidy):
        raise StageError(f"datasets.{name}.test_size is {size}; allowed: fewer than its {len(tidy)} rows")
    return {
        "dataset": name,
        "title": dataset.title,
        "train": len(tidy) - test,
        "test": test,
        "classes": len(dataset.targets) or tidy[dataset.class_column].nunique(),
        "features": tidy.shape[1] - max(1, len(dataset.targets)),
    }


def _compare_with_paper(table1: pd.DataFrame) -> None:
    """A dataset of the paper must have the paper's counts."""
    printed = pd.read_csv(files.RAW / "paper/table1_datasets.csv").set_index("dataset")
    for row in table1.itertuples():
        if row.dataset not in printed.index:
            continue
        paper = printed.loc[row.dataset]
        ours = (row.train + row.test, row.classes, row.features)
        theirs = (paper["train"] + paper["test"], paper["classes"], paper["features"])
        if ours != theirs:
            raise StageError(
                f"{row.dataset}: {ours[0]} rows, {ours[1]} classes, {ours[2]} features; "
                f"the paper's Table 1 has {theirs[0]}, {theirs[1]}, {theirs[2]}"
            )


def _compare_with_uci(raw: pd.DataFrame, dataset: Dataset) -> None:
    """The values that UCI serves now must be those of the bundled dataset."""
    from stages.study import uci  # late: the network is imported only when it is used

    assert dataset.uci_id is not None
    try:
        theirs, targets = uci.serve(dataset.uci_id)
    except (OSError, ValueError) as error:
        raise StageError(
            f"UCI's dataset {dataset.uci_id} ({dataset.title}) cannot be fetched: {error}; "
            "fetch.source=bundled needs no network"
        ) from None
    if dataset.class_column is None:  # numbers are compared like features
        theirs, predicted = pd.concat([theirs, targets], axis=1), []
    else:
        predicted = [dataset.class_column]
    ours = raw.drop(columns=[*predicted, *dataset.drop_columns])
    if ours.shape != theirs.shape:
        raise StageError(
            f"{dataset.title}: UCI's dataset is {theirs.shape[0]} x {theirs.shape[1]}, ours {ours.shape}"
        )
    for column, (name, values) in zip(ours, theirs.items(), strict=True):
        differs = ~_equal(ours[column], values)
        if differs.any():
            row = int(np.argmax(differs))
            raise StageError(
                f"{dataset.title}, row {row + 1}, column {column!r}: ours is {ours[column].iloc[row]!r}, "
                f"UCI's {name!r} is {str(values.iloc[row])!r}"
            )
    if dataset.class_column is None:
        return
    labels = pd.DataFrame(
        {"uci": targets.iloc[:, 0].astype(str), "ours": raw[dataset.class_column].to_numpy()}
    )
    if labels.groupby("uci")["ours"].nunique().max() > 1:
        raise StageError(f"{dataset.title}: rows of one class at UCI are of several classes in ours")


def _equal(ours: pd.Series, theirs: pd.Series) -> np.ndarray:
    """Cell by cell: as numbers where both are, else as text; missing equals missing."""
    a, b = (pd.to_numeric(s, errors="coerce").to_numpy(np.float64) for s in (ours, theirs))
    text = ours.to_numpy(str) == theirs.astype(object).where(theirs.notna(), "").to_numpy(str)
    return np.isclose(a, b, rtol=1e-9, atol=0) | text


if __name__ == "__main__":
    entrypoint.run("fetch", __doc__, fetch)
