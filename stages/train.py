"""train: one model with one optimizer, in every run of every cell of a study.

Studies: `comparison` at common values of M, alpha_s and alpha_t (Table 3, Fig. 5), `tuned` at each dataset's
own (Tables 4 and 5), `sensitivity` over ranges of them (Fig. 4).
"""

from collections import defaultdict
from dataclasses import asdict
from time import perf_counter

import numpy as np

from modn.methods import Method
from stages.config.schema import Parameters
from stages.io import entrypoint, files, provenance
from stages.io.entrypoint import StageError
from stages.io.progress import Progress
from stages.io.runtime import run_tasks
from stages.study import families, seeding
from stages.study.cells import Cell, study_cells, training_of

ARGUMENTS = {
    "study": "comparison, tuned or sensitivity",
    "model": "one of models in params.yaml",
    "optimizer": "one of optimizers in params.yaml",
}

Arrays = dict[str, np.ndarray]


def train(parameters: Parameters, study: str, model: str, optimizer: str) -> None:
    """Read data/splits, write data/models/<study>/<model>-<optimizer> and its provenance."""
    pair = f"{model}-{optimizer}"
    trainings = parameters.derived["trainings"]
    if f"{study}-{pair}" not in trainings:
        raise StageError(
            f"study={study} model={model} optimizer={optimizer} is not planned; "
            f"allowed: {', '.join(trainings)}"
        )
    parts = {name: files.read_arrays(files.SPLITS / f"{name}.npz") for name in parameters.derived["budgets"]}
    n_classes = {name: len(arrays["classes"]) for name, arrays in parts.items()}
    cells = study_cells(parameters, study, model, optimizer, n_classes)
    # The longest first, so that no core is left alone with one of them at the end.
    cells.sort(key=lambda cell: -parts[cell.dataset]["X_train"][0].size * cell.n_dendrites)
    tasks = {
        f"{cell.path}, seed {seed}": (
            cell,
            *training_of(parameters, cell),
            run,
            seed,
            *_training_part(parts[cell.dataset], run),
        )
        for cell in cells
        for run, seed in enumerate(range(parameters.seed, parameters.seed + parameters.runs))
    }
    begin = perf_counter()
    done: dict[str, dict[int, Arrays]] = defaultdict(dict)
    seconds: dict[str, float] = defaultdict(float)
    with Progress(f"train {study} {pair}", [cell.dataset for cell, *_ in tasks.values()]) as progress:
        for cell, run, arrays, spent in run_tasks(parameters.runtime, train_one, tasks):
            done[cell.path][run] = arrays
            seconds[cell.dataset] += spent
            progress.advance(cell.dataset)
    with files.replaced_folder(files.MODELS / study / pair) as folder:
        for cell in cells:
            runs = [done[cell.path][run] for run in range(parameters.runs)]
            stacked = {key: np.stack([arrays[key] for arrays in runs]) for key in runs[0]}
            files.write_arrays(folder / f"{cell.path.rpartition('/')[2]}.npz", stacked)
    record = provenance.record(
        wall_seconds=perf_counter() - begin,
        core_seconds=dict(seconds),
        seed=parameters.seed,
        runs=parameters.runs,
        cells=[asdict(cell) for cell in cells],
        optimizer=parameters.optimizers[optimizer],
    )
    files.write_json(files.PROVENANCE / study / f"{pair}.json", record)


def train_one(
    cell: Cell, method: Method, budget: int, run: int, seed: int, X: np.ndarray, y: np.ndarray
) -> tuple[Cell, int, Arrays, float]:
    """One run: a function of its arguments alone."""
    begin = perf_counter()
    rng = seeding.generator(seed, cell.study, cell.dataset, cell.model, cell.optimizer)
    arrays = families.get(cell.family).train(cell, method, budget, X, y, rng)
    return cell, run, arrays, perf_counter() - begin


def _training_part(parts: Arrays, run: int) -> tuple[np.ndarray, np.ndarray]:
    """The run's own split, or the only one."""
    k = run if len(parts["y_train"]) > 1 else 0
    return parts["X_train"][k], parts["y_train"][k]


if __name__ == "__main__":
    entrypoint.run("train", __doc__, train, ARGUMENTS)
