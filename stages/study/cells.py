"""Every cell of every study: one model with one optimizer on one dataset at given values.

`train` works through them, `evaluate` reads them again. Files that match no cell are ignored.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

from modn.methods import Method
from stages.config.schema import Parameters
from stages.study import families

Values = Mapping[str, Any]

TUNING = "tuning"  # the study of the candidates of `tune` ...
RETUNED = "retuned"  # ... and of the models at the values that it found
COMMON_VALUES = ("comparison", "arena")  # studies with the same values for all datasets


@dataclass(frozen=True)
class Cell:
    """What the runs of a cell share."""

    study: str
    dataset: str
    model: str
    optimizer: str
    n_dendrites: int  # MLP: hidden units
    n_classes: int
    alpha_s: float
    alpha_t: float  # DNM: alpha_o
    settings: Mapping[str, Any]  # the model's block in conf/models, without its title

    @property
    def family(self) -> str:
        """The name of the model's family."""
        return str(self.settings["family"])

    @property
    def path(self) -> str:
        """Where its results are, below data/models."""
        folder = f"{self.study}/{self.model}-{self.optimizer}"
        if self.study != "sensitivity":
            return f"{folder}/{self.dataset}"
        return f"{folder}/{self.dataset}-M{self.n_dendrites}-s{self.alpha_s:g}-t{self.alpha_t:g}"


def study_cells(
    parameters: Parameters,
    study: str,
    model: str,
    optimizer: str,
    n_classes: Mapping[str, int],
    found: Values | None = None,
) -> list[Cell]:
    """The cells that one train stage works through; `n_classes` by dataset; `found`: by `tune`, likewise."""
    block = parameters.models[model]
    family = families.get(block["family"])
    cells = {}
    values: Values = (found or {}) if study == RETUNED else parameters.derived["values"][study]
    for dataset, M, alpha_s, alpha_t in _points(values, study, n_classes):
        C = n_classes[dataset]
        if family.suits(C):
            family.check_dendrites(f"n_dendrites of {dataset}", block, M, C)
            cell = Cell(study, dataset, model, optimizer, M, C, alpha_s, alpha_t, _settings(block))
            cells[cell.path] = cell  # a point of both sweeps of Fig. 4 is one cell
    return list(cells.values())


def all_cells(
    parameters: Parameters, n_classes: Mapping[str, int], found: Mapping[str, Values]
) -> list[Cell]:
    """Every cell of every study; `found`: by `tune`, for each model-optimizer of the study `retuned`."""
    return [
        cell
        for study, model, optimizer in (pair.split("-") for pair in parameters.derived["pairs"])
        for cell in study_cells(
            parameters, study, model, optimizer, n_classes, found.get(f"{model}-{optimizer}")
        )
    ]


def retuned_pairs(parameters: Parameters) -> list[str]:
    """The methods that `tune` finds values for: model-optimizer."""
    pairs = (pair.partition("-") for pair in parameters.derived["pairs"])
    return [method for study, _, method in pairs if study == RETUNED]


def candidate(
    parameters: Parameters, model: str, optimizer: str, dataset: str, n_classes: int, values: Values
) -> Cell:
    """The cell of a candidate of `tune`."""
    M, settings = _dendrites(values, n_classes), _settings(parameters.models[model])
    return Cell(TUNING, dataset, model, optimizer, M, n_classes, *_alphas(values), settings)


def training_of(parameters: Parameters, cell: Cell) -> tuple[Method, int]:
    """The method by which a cell is trained, and its iterations on the parameters."""
    cap = parameters.max_iterations
    optimizer = parameters.optimizers[cell.optimizer]
    method = families.get(cell.family).method(cell.settings, optimizer, cap)
    budget = method.iterations
    if budget is None:
        budget = parameters.derived["budgets"][cell.dataset]
    return method, budget if cap is None else min(budget, cap)


def _points(
    values: Mapping[str, Any], study: str, n_classes: Mapping[str, int]
) -> Iterator[tuple[str, int, float, float]]:
    """Dataset, M, alpha_s and alpha_t of each cell of a study."""
    if study != "sensitivity":
        for dataset, C in n_classes.items():
            if study == RETUNED and dataset not in values:
                continue  # it does not suit the model
            own = values if study in COMMON_VALUES else values[dataset]
            yield dataset, _dendrites(own, C), *_alphas(own)
        return
    common = values["common"]
    for dataset, own in values["own"].items():
        for M in values["dendrites"]:
            yield dataset, M, common["alpha_s"], common["alpha_t"]
        for alpha_s in values["alpha_s"]:
            for alpha_t in values["alpha_t"]:
                yield dataset, _dendrites(own, n_classes[dataset]), alpha_s, alpha_t


def _settings(block: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in block.items() if key != "title"}


def _alphas(values: Values) -> tuple[float, float]:
    """NaN: the model has none, so that none was searched."""
    return values.get("alpha_s", nan), values.get("alpha_t", nan)


def _dendrites(values: Mapping[str, Any], n_classes: int) -> int:
    return int(values["dendrites"] if "dendrites" in values else values["dendrites_per_class"] * n_classes)
