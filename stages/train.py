"""train: one model with one optimizer, in every run of every cell of a study.

Studies: `comparison` at common values of M, alpha_s and alpha_t (Table 3, Fig. 5), `tuned` at each dataset's
own (Tables 4 and 5), `sensitivity` over ranges of them (Fig. 4). Runs that are in data/store are taken from
there.
"""

from dataclasses import asdict

import numpy as np

from stages.config.schema import Parameters
from stages.io import entrypoint, files, provenance
from stages.io.entrypoint import StageError
from stages.io.work import Work
from stages.study.cells import study_cells, training_of
from stages.study.training import train_one

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
    training = trainings[f"{study}-{pair}"]
    parts = {name: files.read_arrays(files.SPLITS / f"{name}.npz") for name in parameters.derived["budgets"]}
    n_classes = {name: len(arrays["classes"]) for name, arrays in parts.items()}
    cells = study_cells(parameters, study, model, optimizer, n_classes)
    work = Work(f"train {study} {pair}")
    # The longest first, so that no core is left alone with one of them at the end.
    for cell in sorted(cells, key=lambda cell: -parts[cell.dataset]["X_train"][0].size * cell.n_dendrites):
        for run, seed in enumerate(range(parameters.seed, parameters.seed + parameters.runs)):
            X, y = _training_part(parts[cell.dataset], run)
            task = (cell, *training_of(parameters, cell), seed, X, y)
            work.add(f"{cell.path}, seed {seed}", cell.dataset, cell.path.rpartition("/")[2], task)
    registries = {
        "modn.optimizers": {f"modn.optimizers.{training[part]}" for part in ("first", "then")},
        "stages.study.families": {f"stages.study.families.{training['family']}"},
    }
    work.do(parameters.runtime, train_one, registries=registries)
    work.write(files.MODELS / study / pair)
    record = provenance.record(
        **work.clocks(),
        seed=parameters.seed,
        runs=parameters.runs,
        cells=[asdict(cell) for cell in cells],
        optimizer=parameters.optimizers[optimizer],
    )
    provenance.write(study, pair, record)


def _training_part(parts: Arrays, run: int) -> tuple[np.ndarray, np.ndarray]:
    """The run's own split, or the only one."""
    k = run if len(parts["y_train"]) > 1 else 0
    return parts["X_train"][k], parts["y_train"][k]


if __name__ == "__main__":
    entrypoint.run("train", __doc__, train, ARGUMENTS)
