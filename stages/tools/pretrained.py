"""Write the neurons and circuits of the last run as files for modn.load: python -m stages.tools.pretrained.

Each is the first run of its dataset and method, so that nothing is chosen by its test part. A file takes
samples in the dataset's own units. data/pretrained/table.csv says what each reaches on the rows that it was
not trained on, and docs/pretrained.md shows that table.
"""

import argparse
import json
import re
from collections.abc import Iterator
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from modn import MODNClassifier, csv_file, load, save
from modn.calibration import best_temperature
from modn.explain.circuit import Circuit
from modn.inputs import Inputs
from modn.neuron import Neuron
from stages.config import composition
from stages.config.schema import Parameters
from stages.io import entrypoint, files
from stages.io.entrypoint import StageError
from stages.study import circuits, cleaning, families, markdown, names
from stages.study.cells import Cell, study_cells

METHODS = ("modn-bbo", "modn-adam")  # the paper's, and the classifier's default
STUDY = "comparison"
CIRCUIT = "circuit"
FOLDER = files.ROOT / "data/pretrained"
PAGE = files.ROOT / "docs/pretrained.md"
BLOCK = re.compile(r"(?<=<!-- pretrained -->\n).*?(?=<!-- /pretrained -->)", re.DOTALL)
NONE = "None is in the repository at present; `make pretrained` writes them after a run.\n"

Arrays = dict[str, np.ndarray]


class Model(NamedTuple):
    """A model to write, and the rows of its dataset that it was not trained on."""

    method: str
    dataset: str
    model: Any
    rows: np.ndarray
    conditions: int | None = None


def write(parameters: Parameters) -> pd.DataFrame:
    """Replace data/pretrained by the files of the last run; return the table of what they reach."""
    names.use(parameters.derived["titles"])
    found = [*_neurons(parameters), *_circuits(parameters)]
    if not found:
        raise StageError(f"the run has none of {', '.join(METHODS)} and no circuit; `dvc repro` first")
    rows = []
    with files.replaced_folder(FOLDER) as fresh:
        for one in found:
            path = fresh / one.method / f"{one.dataset}.modn"
            path.parent.mkdir(exist_ok=True)
            notes = {"dataset": one.dataset, "method": one.method, "profile": parameters.profile}
            save(one.model, path, notes | {"seed": parameters.seed})
            rows.append(_reached(one, path, parameters.datasets[one.dataset].title, parameters.profile))
        table = pd.DataFrame(rows)
        files.write_csv(fresh / "table.csv", table)
    return table


def update_page(table: pd.DataFrame | None, page: Path = PAGE) -> None:
    """Write the table into docs/pretrained.md; None: there are no models."""
    text = page.read_text(encoding="utf-8")
    files.write_text(page, BLOCK.sub(lambda _: shown(table), text))


def shown(table: pd.DataFrame | None) -> str:
    """The table as it stands on the page."""
    if table is None:
        return NONE
    accuracy = table.set_index(["title", "method"])["accuracy"]
    methods = list(dict.fromkeys(table["method"]))
    rows = [
        {"dataset": title, **{name: markdown.number(accuracy.get((title, name), nan)) for name in methods}}
        for title in dict.fromkeys(table["title"])
    ]
    (profile,) = set(table["profile"])
    count = f"{len(table)} files of profile `{profile}`, {table['bytes'].sum() / 1000:.0f} kB"
    return f"{markdown.table(rows)}\n\n{count}; accuracy on the rows that took no part in training.\n"


def _neurons(parameters: Parameters) -> Iterator[Model]:
    parts = {name: files.read_arrays(files.SPLITS / f"{name}.npz") for name in parameters.datasets}
    n_classes = {name: len(arrays["classes"]) for name, arrays in parts.items()}
    for method in METHODS:
        if f"{STUDY}-{method}" not in parameters.derived["pairs"]:
            continue
        model, optimizer = method.split("-")
        for cell in study_cells(parameters, STUDY, model, optimizer, n_classes):
            trained = files.read_arrays(files.MODELS / f"{cell.path}.npz")
            first = {name: array[0] for name, array in trained.items()}
            split = parts[cell.dataset]
            neuron = families.get(cell.family).model(cell, first, split["X_train"].shape[2])
            assert isinstance(neuron, Neuron)
            classifier = _classifier(cell, neuron, first["curve"], split)
            yield Model(method, cell.dataset, classifier, split["test_rows"][0])


def _classifier(cell: Cell, neuron: Neuron, curve: np.ndarray, split: Arrays) -> MODNClassifier:
    """The neuron as a fitted classifier of the dataset's own numbers and labels."""
    features = split["features"].tolist()
    model = MODNClassifier(
        filter=cell.settings["filter"],
        n_dendrites=cell.n_dendrites,
        alpha_s=cell.alpha_s,
        alpha_t=cell.alpha_t,
    )
    model.inputs_ = Inputs.by_range(split["low"][0], split["high"][0], features)
    model.n_features_in_, model.feature_names_in_ = len(features), np.array(features, dtype=object)
    model.classes_ = split["classes"]
    model.neurons_, model.neuron_ = [neuron], neuron
    U = neuron.potentials(split["X_train"][0])
    model.temperature_ = best_temperature(U, split["y_train"][0], None)
    model.loss_curve_, model.n_iter_ = curve, max(1, len(curve) - 1)
    return model


def _circuits(parameters: Parameters) -> Iterator[Model]:
    for dataset, text in circuits.first_circuits(parameters).items():
        split = files.read_arrays(files.resplits_of("circuits") / f"{dataset}.npz")
        scaled, low, high = (split[name][0] for name in ("X_train", "low", "high"))
        circuit = circuits.in_own_units(
            Circuit.from_dict(json.loads(text)),
            split["features"].tolist(),
            split["classes"],
            (low + scaled * (high - low)).round(9),  # without what scaling forth and back has added
            scaled,
        )
        yield Model(CIRCUIT, dataset, circuit, split["test_rows"][0], circuit.n_conditions)


def _reached(one: Model, path: Path, title: str, profile: str) -> dict[str, Any]:
    """A row of the table, by the file as it is read again."""
    tidy = csv_file.parse(
        (files.TABLES / f"{one.dataset}.csv").read_bytes(), f"data/tables/{one.dataset}.csv"
    )
    X, labels = cleaning.features_and_labels(tidy)
    frame = pd.DataFrame(X, columns=tidy.columns[:-1])
    predictions = load(path).predict(frame.iloc[one.rows])
    return {
        "dataset": one.dataset,
        "title": title,
        "method": one.method,
        "file": f"{one.method}/{one.dataset}.modn",
        "accuracy": round(float(np.mean(predictions == labels[one.rows])), 6),
        "test_rows": len(one.rows),
        "conditions": one.conditions,
        "bytes": path.stat().st_size,
        "profile": profile,
    }


def main() -> None:
    """Write the files and the table."""
    argparse.ArgumentParser(
        prog="python -m stages.tools.pretrained",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    ).parse_args()
    with entrypoint.reported("pretrained"):
        table = write(composition.compose_stage([]))
        update_page(table)
        print(f"pretrained: {len(table)} files in data/pretrained, {table['bytes'].sum() / 1000:.0f} kB")


if __name__ == "__main__":
    main()
