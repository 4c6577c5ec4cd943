"""split: make the training and test parts of every dataset by the chosen protocol."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from modn import csv_file
from stages.config.schema import Parameters, Split
from stages.io import entrypoint, files
from stages.io.entrypoint import StageError
from stages.study import cleaning, splits


def split(parameters: Parameters) -> None:
    """Read data/tables, write data/splits: per dataset, the parts of each split stacked."""
    write_parts("split", parameters.derived["test_sizes"], parameters.split, files.SPLITS)


def write_parts(
    stage: str,
    test_sizes: dict[str, int | float],
    choice: Split,
    target: Path,
    columns: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Split every dataset as chosen, and print how many; `columns`: the targets of those without classes."""
    columns = columns or {}
    stacked = {
        name: parts_of(
            (files.TABLES / f"{name}.csv").read_bytes(), name, test_size, choice, columns.get(name, ())
        )
        for name, test_size in test_sizes.items()
    }
    with files.replaced_folder(target) as folder:
        for name, arrays in stacked.items():
            files.write_arrays(folder / f"{name}.npz", arrays)
    count = f"{choice.count} split" + "s" * (choice.count > 1)
    print(f"{stage}: {len(test_sizes)} datasets, {choice.protocol}, {count} each")


def parts_of(
    content: bytes, name: str, test_size: int | float, choice: Split, columns: Sequence[str] = ()
) -> dict[str, np.ndarray]:
    """The parts of each split of a tidy dataset, stacked; `content` is its CSV file.

    `columns` are its targets; none: its last column is the class.
    """
    make = splits.PROTOCOLS[choice.protocol]
    try:
        tidy = csv_file.parse(content, f"data/tables/{name}.csv")
        if columns:
            X, y = cleaning.features_and_targets(tidy, columns)
            predicted = {"targets": np.array(columns)}
        else:
            X, labels = cleaning.features_and_labels(tidy)
            classes = cleaning.sorted_classes(labels)
            y = np.array([np.flatnonzero(classes == label)[0] for label in labels])
            predicted = {"classes": classes}
        parts = [make(X, y, test_size, choice.seed + k) for k in range(choice.count)]
    except ValueError as error:
        raise StageError(f"{name}: {error}") from None
    stacked = {part: np.stack([getattr(p, part) for p in parts]) for part in splits.Parts._fields}
    features = tidy.columns[: X.shape[1]].to_numpy(dtype=np.str_)
    return stacked | predicted | {"features": features}


if __name__ == "__main__":
    entrypoint.run("split", __doc__, split)
