"""The study `circuits`: what the readable models decided and cost, as tables; and a circuit to draw."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from modn.explain.circuit import Circuit, Condition, Feature
from modn.explain.learning.coding import short_between
from stages.config.schema import Parameters
from stages.io import files
from stages.study import tables
from stages.study.baselines import LEFT_OUT
from stages.study.measures.acc import MEASURE as ACC
from stages.study.reading import OWN

CELL = ["dataset", "title", "model", "name"]
RUN = [*CELL, "size", "run", "acc", "conditions", "gates"]
CELLS = ["dataset", "title", "conditions", "gates", "cells", "yosys"]

Arrays = dict[str, np.ndarray]


def runs(parameters: Parameters, titles: Mapping[str, str], baseline_runs: pd.DataFrame) -> pd.DataFrame:
    """A row per dataset, model, size and resplit; the size is missing where a model chose its own.

    The neurons that became circuits and the baselines of `circuits.beside` are models with no size.
    """
    rows: list[dict[str, Any]] = []
    datasets = parameters.derived["circuits"]["datasets"]
    for dataset in datasets:
        truth = files.read_arrays(files.resplits_of("circuits") / f"{dataset}.npz")["y_test"]
        cell = {"dataset": dataset, "title": titles[dataset]}
        for model, own in parameters.readable.items():
            path = files.MODELS / "circuits" / model / f"{dataset}.npz"
            if (path.parent / LEFT_OUT).exists():
                continue
            found = files.read_arrays(path)
            if "neuron_labels" in found:
                neuron = {**cell, "model": tables.NEURON, "name": "Neuron", "size": nan}
                rows += [
                    {**neuron, "run": run, "acc": ACC.compute(y, labels, labels)}
                    for run, (y, labels) in enumerate(zip(truth, found["neuron_labels"], strict=True))
                ]
            rows += _judged({**cell, "model": model, "name": own.title}, found, truth)
    beside = baseline_runs[
        (baseline_runs["search"] == "default")
        & baseline_runs["baseline"].isin(parameters.circuits.beside)
        & baseline_runs["dataset"].isin(datasets)
    ].rename(columns={"baseline": "model"})
    return pd.concat([pd.DataFrame(rows, columns=RUN), beside.reindex(columns=RUN)], ignore_index=True)


def _judged(cell: Mapping[str, Any], found: Arrays, truth: np.ndarray) -> list[dict[str, Any]]:
    return [
        {
            **cell,
            "size": nan if size == OWN else int(size),
            "run": run,
            "acc": ACC.compute(y, found["labels"][run][k], found["labels"][run][k]),
            **{cost: found[cost][run][k] for cost in ("conditions", "gates")},
        }
        for run, y in enumerate(truth)
        for k, size in enumerate(found["sizes"][run])
    ]


def summary(runs: pd.DataFrame) -> pd.DataFrame:
    """Every model on every dataset at its own size: accuracy, mean conditions and gates, and the neuron's.

    `to_neuron` is the difference of the mean accuracy to that of the neuron.
    """
    own = runs[runs["size"].isna()]
    table = _summary(own, CELL)
    neurons = table[table["model"] == tables.NEURON].set_index("dataset")["acc_mean"]
    return table.assign(to_neuron=table["acc_mean"] - table["dataset"].map(neurons))


def sizes(runs: pd.DataFrame) -> pd.DataFrame:
    """Every model on every dataset at every fixed size."""
    limited = runs[runs["size"].notna()]
    return _summary(limited.astype({"size": int}), [*CELL, "size"])


def _summary(runs: pd.DataFrame, cell: list[str]) -> pd.DataFrame:
    costs = runs.groupby(cell, sort=False, as_index=False)[["conditions", "gates"]].mean()
    return tables.summary(runs, cell, [ACC]).merge(costs, on=cell)


def headline(table: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Few and stable numbers of each model, for `dvc metrics diff`: means over datasets."""
    means = table.groupby("model")[["acc_mean", "conditions"]].mean().round(4)
    names = {"acc_mean": "acc", "conditions": "conditions"}
    return {
        str(model): {name: float(row[column]) for column, name in names.items() if row[column] == row[column]}
        for model, row in means.iterrows()
    }


# Circuits themselves


def first_circuits(parameters: Parameters) -> dict[str, str]:
    """The circuit of the first resplit of each dataset, as JSON; no result decides which."""
    found = {}
    for dataset in parameters.derived["circuits"]["datasets"]:
        for model in parameters.readable:
            path = files.MODELS / "circuits" / model / f"{dataset}.npz"
            arrays = files.read_arrays(path) if path.exists() else {}
            if "circuit" in arrays:
                found[dataset] = str(arrays["circuit"][0])
    return found


def digest(text: str) -> str:
    """The fingerprint by which a measured circuit is found again."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def cells(found: Mapping[str, str], titles: Mapping[str, str]) -> pd.DataFrame:
    """The gates of these circuits, and the cells that Yosys mapped them to, where these were measured.

    `python -m benchmarks.circuit_cells` does it: a report must not depend on what is installed.
    """
    known = files.read_csv(files.RAW / "measured/circuit_cells.csv").set_index("circuit").to_dict("index")
    rows = []
    for dataset, text in found.items():
        circuit, row = Circuit.from_dict(json.loads(text)), known.get(digest(text), {})
        costs = {"conditions": circuit.n_conditions, "gates": circuit.n_gates}
        yosys = {"cells": row.get("cells", nan), "yosys": row.get("yosys", "")}
        rows.append({"dataset": dataset, "title": titles[dataset], **costs, **yosys})
    return pd.DataFrame(rows, columns=CELLS)


def drawn(parameters: Parameters, found: Mapping[str, str]) -> Arrays:
    """The circuit of `figures.circuit`, or of the first dataset, in the features' own units and names."""
    if not found:
        return {}
    shown = parameters.figures.circuit
    dataset = shown if shown in found else next(iter(found))
    parts = files.read_arrays(files.resplits_of("circuits") / f"{dataset}.npz")
    own = parts["low"][0] + parts["X_train"][0] * (parts["high"][0] - parts["low"][0])
    circuit = in_own_units(
        Circuit.from_dict(json.loads(found[dataset])),
        parts["features"].tolist(),
        parts["classes"],
        own.round(9),  # without what scaling forth and back has added
        parts["X_train"][0],
    )
    text = json.dumps(circuit.to_dict(), sort_keys=True)
    return {
        f"{files.OF_CIRCUIT}{dataset}": np.array(text),
        f"{files.OF_CIRCUIT}seed": np.array(parameters.seed),
    }


def in_own_units(
    circuit: Circuit, features: list[str], classes: np.ndarray, own: np.ndarray, scaled: np.ndarray
) -> Circuit:
    """A circuit of features in [0, 1] and of class numbers, as one of the dataset's own values and names.

    A threshold becomes the shortest decimal between the neighbouring values of the samples (N, D).
    """

    def unscaled(condition: Condition) -> Condition:
        reached = scaled[:, condition.feature] >= float(condition.value)
        values = own[:, condition.feature]
        return replace(condition, value=short_between(values[~reached].max(), values[reached].min()))

    return replace(
        circuit,
        features=tuple(Feature(name) for name in features),
        classes=classes[circuit.classes],
        dendrites=tuple(tuple(map(unscaled, conditions)) for conditions in circuit.dendrites),
        evidence=None,
    )
