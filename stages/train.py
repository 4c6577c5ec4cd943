"""train: one model with one optimizer, in every run of every cell of a study.

Studies: `comparison` at common values of M, alpha_s and alpha_t (Table 3, Fig. 5), `tuned` at each dataset's
own (Tables 4 and 5), `retuned` at those that `tune` has found, `sensitivity` over ranges of them (Fig. 4).
Runs that are in data/store are taken from there.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from stages.config.schema import Parameters
from stages.io import entrypoint, files, provenance
from stages.io.entrypoint import StageError
from stages.io.store import Task
from stages.io.work import Work
from stages.study import families
from stages.study.cells import RETUNED, TUNING, Cell, Values, study_cells, training_of
from stages.study.training import train_one

ARGUMENTS = {
    "study": "comparison, tuned, retuned or sensitivity",
    "model": "one of models in params.yaml",
    "optimizer": "one of optimizers in params.yaml",
}

Arrays = dict[str, np.ndarray]


def train(parameters: Parameters, study: str, model: str, optimizer: str) -> None:
    """Read data/splits, write data/models/<study>/<model>-<optimizer> and its provenance."""
    trainings = parameters.derived["trainings"]
    if f"{study}-{model}-{optimizer}" not in trainings:
        raise StageError(
            f"study={study} model={model} optimizer={optimizer} is not planned; "
            f"allowed: {', '.join(trainings)}"
        )
    parts = {name: files.read_arrays(files.SPLITS / f"{name}.npz") for name in parameters.derived["budgets"]}
    found = (
        files.read_json(files.MODELS / TUNING / f"{model}-{optimizer}" / files.VALUES)
        if study == RETUNED
        else None
    )
    train_pair(
        parameters,
        (study, model, optimizer),
        parts,
        parameters.runs,
        train_one,
        lambda cell: training_of(parameters, cell),
        found,
    )


def train_pair(
    parameters: Parameters,
    pair: tuple[str, str, str],
    parts: Mapping[str, Arrays],
    runs: int,
    task: Task,
    arguments: Callable[[Cell], tuple[Any, ...]],
    found: Values | None = None,
) -> None:
    """Train a model with an optimizer (study, model, optimizer) on the parts of some datasets.

    Writes data/models/<study>/<model>-<optimizer> and its provenance. The task is called with the cell, the
    arguments that its runs share, the run's seed, and its training part. `found`: the values by dataset, if
    they are those of `tune`.
    """
    study, model, optimizer = pair
    name = f"{model}-{optimizer}"
    n_classes = {dataset: len(arrays["classes"]) for dataset, arrays in parts.items()}
    cells = study_cells(parameters, study, model, optimizer, n_classes, found)
    work = Work(f"train {study} {name}")
    # The longest first, so that no core is left alone with one of them at the end.
    for cell in sorted(cells, key=lambda cell: -parts[cell.dataset]["X_train"][0].size * cell.n_dendrites):
        for run, seed in enumerate(range(parameters.seed, parameters.seed + runs)):
            X, y = _training_part(parts[cell.dataset], run)
            label = f"{cell.path}, seed {seed}"
            work.add(label, cell.dataset, cell.path.rpartition("/")[2], (cell, *arguments(cell), seed, X, y))
    work.do(parameters.runtime, task, registries=_registries(parameters, model, optimizer))
    work.write(files.MODELS / study / name)
    record = provenance.record(
        **work.clocks(),
        seed=parameters.seed,
        runs=runs,
        cells=[asdict(cell) for cell in cells],
        optimizer=parameters.optimizers[optimizer],
    )
    provenance.write(study, name, record)


def _registries(parameters: Parameters, model: str, optimizer: str) -> dict[str, Collection[str]]:
    """The modules of registries that a result depends on: of its own optimizers and family only."""
    modules = families.modules_of(parameters.optimizers[optimizer])
    family = parameters.models[model]["family"]
    return {
        "modn.optimizers": {f"modn.optimizers.{module}" for module in modules},
        "stages.study.families": {f"stages.study.families.{family}"},
    }


def _training_part(parts: Arrays, run: int) -> tuple[np.ndarray, np.ndarray]:
    """The run's own split, or the only one."""
    k = run if len(parts["y_train"]) > 1 else 0
    return parts["X_train"][k], parts["y_train"][k]


if __name__ == "__main__":
    entrypoint.run("train", __doc__, train, ARGUMENTS)
