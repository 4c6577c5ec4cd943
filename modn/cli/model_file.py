"""A model that `modn fit` or `modn circuit` wrote, with its notes: what the command knows of the CSV file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from modn.cli.arguments import MISSING
from modn.cli.tasks import names, task
from modn.cli.tasks.base import Task
from modn.constraints import Constraint, ListOf, Number, OneOf, OrNone, Text, check, check_all
from modn.explain.circuit import Circuit
from modn.explain.rules import Accuracy
from modn.inputs import Categories, Inputs
from modn.persistence import FormatError, read

NOTES: dict[str, Constraint] = {
    "target": ListOf(Text()),
    "task": OneOf(names()),
    "missing": ListOf(Text(), empty=True),
    "training_accuracy": ListOf(Number(0)),
}


def read_model(path: Path) -> tuple[Any, dict[str, Any]]:
    """A model and its notes: target (a list), task and missing are always there."""
    model, notes = read(path)
    if "target" not in notes:
        raise ValueError(f"{path} was not written by `modn fit`: it does not hold the columns of a CSV file")
    if isinstance(notes["target"], str):
        notes["target"] = [notes["target"]]
    # Earlier versions knew one task.
    notes = {"missing": MISSING, "task": "classification"} | notes
    try:
        check_all(notes, NOTES)
        _check_fit(model, notes, task(notes["task"]))
        if "columns" in notes:
            _adopt_categories(model, notes["columns"])
    except ValueError as error:
        raise FormatError(f"{path} is damaged: {error}") from None
    return model, notes


def _check_fit(model: Any, notes: Mapping[str, Any], chosen: Task) -> None:
    """Refuse notes that are not about the model."""
    n_outputs = 1
    if isinstance(model, Circuit):
        check("task of a circuit", chosen.name, OneOf(["classification"]))
    else:
        if not isinstance(model, chosen.estimator):
            kind, allowed = type(model).__name__, chosen.estimator.__name__
            raise ValueError(f"model is a {kind}; allowed for {chosen.name}: a {allowed}")
        n_outputs = chosen.n_targets(model)
    if len(notes["target"]) != n_outputs:
        raise ValueError(f"target is {notes['target']}; allowed: {n_outputs} of them, as the model has")
    measured = notes.get("training_accuracy")
    if measured is not None and len(measured) != len(Accuracy._fields):
        raise ValueError(f"training_accuracy is {measured}; allowed: {len(Accuracy._fields)} numbers")


def _adopt_categories(model: Any, columns: Any) -> None:
    """In files of format 1 the command had encoded the categories; now the model does."""
    numbers = dict(zip(model.inputs_.feature_names, model.inputs_.features, strict=True))
    if not isinstance(columns, Mapping) or not columns:
        raise ValueError(f"columns is {columns!r}; allowed: the columns' names and categories")
    features: list[Any] = []
    for name, known in columns.items():
        check(f"columns of {name}", known, OrNone(ListOf(Text())))
        if known is None and name not in numbers:
            raise ValueError(f"columns has {name!r}; allowed: the model's features, {', '.join(numbers)}")
        features.append(numbers[name] if known is None else Categories(tuple(known)))
    inputs = Inputs(tuple(features), tuple(columns), model.inputs_.means)
    if len(inputs.columns) != len(model.inputs_.means):
        raise ValueError(f"columns make {len(inputs.columns)} inputs; allowed: {len(model.inputs_.means)}")
    model.inputs_ = inputs
    model.feature_names_in_ = np.array(list(columns), dtype=object)
    model.n_features_in_ = len(columns)
