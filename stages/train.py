"""train: one model with one optimizer, on every dataset, in every run of the comparison (Table 3)."""

from collections import defaultdict
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

import numpy as np

from modn import optimizers, seeding, training
from modn.objective import Objective
from stages import entrypoint, files, provenance
from stages.entrypoint import StageError
from stages.progress import Progress
from stages.runtime import run_tasks
from stages.schema import Parameters


@dataclass(frozen=True)
class Cell:
    """What the runs of one model and optimizer on one dataset share."""

    dataset: str
    model: str
    optimizer: str
    filter: str
    schedule: training.Schedule
    algorithm: str
    algorithm_parameters: dict[str, Any]
    n_dendrites: int
    n_classes: int
    alpha_s: float
    alpha_t: float


def train(parameters: Parameters, model: str, optimizer: str) -> None:
    """Read data/splits, write data/models/<model>-<optimizer> and its provenance."""
    pair = f"{model}-{optimizer}"
    if pair not in parameters.derived["pairs"]:
        allowed = ", ".join(parameters.derived["pairs"])
        raise StageError(
            f"model={model} optimizer={optimizer} is no pair of the comparison; allowed: {allowed}"
        )
    parts = {name: files.read_arrays(files.SPLITS / f"{name}.npz") for name in parameters.derived["budgets"]}
    cells = [_cell(parameters, model, optimizer, name, len(parts[name]["classes"])) for name in parts]
    # the longest first, so that no core is left alone with one of them at the end
    cells.sort(key=lambda cell: -parts[cell.dataset]["X_train"][0].size * cell.n_dendrites)
    tasks = [
        (cell, run, parameters.seed + run, *_training_part(parts[cell.dataset], run))
        for cell in cells
        for run in range(parameters.runs)
    ]
    begin = perf_counter()
    done: dict[str, dict[int, dict[str, Any]]] = defaultdict(dict)
    seconds: dict[str, float] = defaultdict(float)
    with Progress(f"train {pair}", list(parts), parameters.runs) as progress:
        for dataset, run, result, spent in run_tasks(parameters.runtime, train_one, tasks):
            done[dataset][run] = result
            seconds[dataset] += spent
            progress.advance(dataset)
    for cell in cells:
        runs = [done[cell.dataset][run] for run in range(parameters.runs)]
        arrays = {key: np.stack([result[key] for result in runs]) for key in runs[0]}
        arrays |= {"alpha_s": np.array(cell.alpha_s), "alpha_t": np.array(cell.alpha_t)}
        files.write_arrays(files.MODELS / pair / f"{cell.dataset}.npz", arrays)
    record = provenance.record(
        wall_seconds=perf_counter() - begin,
        core_seconds=dict(seconds),
        seed=parameters.seed,
        runs=parameters.runs,
        cells=[asdict(cell) for cell in cells],
    )
    files.write_json(files.PROVENANCE / f"{pair}.json", record)


def train_one(
    cell: Cell, run: int, seed: int, X: np.ndarray, y: np.ndarray
) -> tuple[str, int, dict[str, Any], float]:
    """One run of a cell: a function of its arguments alone."""
    begin = perf_counter()
    objective = Objective(X, y, cell.n_dendrites, cell.n_classes, cell.alpha_s, cell.alpha_t)
    result = training.train(
        objective,
        optimizers.make(cell.algorithm, **cell.algorithm_parameters),
        cell.schedule,
        seeding.generator(seed, "comparison", cell.dataset, cell.model, cell.optimizer),
        cell.filter,
    )
    arrays = {
        "parameters": result.parameters,
        "P": result.P,
        "curve": result.curve,
        "evaluations": np.int64(result.evaluations),
    }
    return cell.dataset, run, arrays, perf_counter() - begin


def _cell(parameters: Parameters, model: str, optimizer: str, dataset: str, n_classes: int) -> Cell:
    chosen = parameters.models[model]
    own = dict(parameters.optimizers[optimizer])
    budget = parameters.derived["budgets"][dataset] if own["iterations"] is None else own["iterations"]
    cap = parameters.max_iterations or budget
    return Cell(
        dataset=dataset,
        model=model,
        optimizer=optimizer,
        filter=chosen.filter,
        schedule=training.Schedule(
            min(budget, cap), min(chosen.filter_iterations, cap), chosen.rounds, chosen.repair
        ),
        algorithm=own.pop("algorithm"),
        algorithm_parameters=own,
        n_dendrites=parameters.dendrites or parameters.dendrites_per_class * n_classes,
        n_classes=n_classes,
        alpha_s=parameters.alpha_s,
        alpha_t=parameters.alpha_t,
    )


def _training_part(parts: dict[str, np.ndarray], run: int) -> tuple[np.ndarray, np.ndarray]:
    """The run's own split, or the only one."""
    k = run if len(parts["y_train"]) > 1 else 0
    return parts["X_train"][k], parts["y_train"][k]


if __name__ == "__main__":
    entrypoint.run(
        "train",
        __doc__,
        train,
        {"model": "one of models in params.yaml", "optimizer": "one of optimizers in params.yaml"},
    )
