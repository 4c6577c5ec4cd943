"""Every cell of every study: one model with one optimizer on one dataset at given values.

`train` works through them, `evaluate` reads them again; what is no cell is not looked at, whatever lies on
disk.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from modn.methods.training import Schedule

from stages.config.schema import Parameters


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
    family: str  # modn, dnm or mlp
    filter: str | None  # MODN: learned, partition or full
    theta_o: tuple[float, ...]  # DNM: the thresholds it may choose from
    schedule: Schedule
    algorithm: str
    algorithm_parameters: dict[str, Any]

    @property
    def path(self) -> str:
        """Of its results, below data/models."""
        folder = f"{self.study}/{self.model}-{self.optimizer}"
        if self.study != "sensitivity":
            return f"{folder}/{self.dataset}"
        return f"{folder}/{self.dataset}-M{self.n_dendrites}-s{self.alpha_s:g}-t{self.alpha_t:g}"


def study_cells(
    parameters: Parameters, study: str, model: str, optimizer: str, n_classes: Mapping[str, int]
) -> list[Cell]:
    """The cells that one train stage works through; `n_classes` by dataset."""
    chosen = parameters.models[model]
    own = dict(parameters.optimizers[optimizer])
    algorithm, own_budget = own.pop("algorithm"), own["iterations"]
    result = []
    for dataset, M, alpha_s, alpha_t in _points(parameters, study, n_classes):
        if chosen.family == "dnm" and n_classes[dataset] != 2:
            continue  # one output: two classes
        if chosen.filter == "partition" and M % n_classes[dataset]:
            raise ValueError(
                f"{dataset}: {chosen.title} shares out M = {M} dendrites among {n_classes[dataset]} classes; "
                "allowed: multiples of the classes"
            )
        budget = parameters.derived["budgets"][dataset] if own_budget is None else own_budget
        cap = parameters.max_iterations or budget
        cell = Cell(
            study=study,
            dataset=dataset,
            model=model,
            optimizer=optimizer,
            n_dendrites=M,
            n_classes=n_classes[dataset],
            alpha_s=alpha_s,
            alpha_t=alpha_t,
            family=chosen.family,
            filter=chosen.filter,
            theta_o=tuple(chosen.theta_o),
            schedule=Schedule(
                min(budget, cap), min(chosen.filter_iterations, cap), chosen.rounds, chosen.repair
            ),
            algorithm=algorithm,
            algorithm_parameters=own,
        )
        result.append(cell)
    return list({cell.path: cell for cell in result}.values())  # a point of both sweeps of Fig. 4 is one cell


def all_cells(parameters: Parameters, n_classes: Mapping[str, int]) -> list[Cell]:
    """Every cell of every study."""
    return [
        cell
        for study, pairs in parameters.derived["pairs"].items()
        for pair in pairs.values()
        for cell in study_cells(parameters, study, pair["model"], pair["optimizer"], n_classes)
    ]


def _points(
    parameters: Parameters, study: str, n_classes: Mapping[str, int]
) -> Iterator[tuple[str, int, float, float]]:
    """Dataset, M, alpha_s and alpha_t of each cell of a study."""
    common = parameters.alpha_s, parameters.alpha_t
    own = parameters.derived["own_values"]
    if study == "comparison":
        for dataset, C in n_classes.items():
            yield dataset, parameters.dendrites or parameters.dendrites_per_class * C, *common
    elif study == "tuned":
        for dataset, C in n_classes.items():
            yield dataset, _own_dendrites(own[dataset], C), own[dataset]["alpha_s"], own[dataset]["alpha_t"]
    else:
        for dataset in parameters.derived["sensitivity_datasets"]:
            for M in parameters.sensitivity.dendrites:
                yield dataset, M, *common
            for alpha_s in parameters.sensitivity.alpha_s:
                for alpha_t in parameters.sensitivity.alpha_t:
                    yield dataset, _own_dendrites(own[dataset], n_classes[dataset]), alpha_s, alpha_t


def _own_dendrites(values: Mapping[str, Any], n_classes: int) -> int:
    return int(values["dendrites"] or values["dendrites_per_class"] * n_classes)
