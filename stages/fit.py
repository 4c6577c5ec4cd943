"""fit: one classifier of the baselines on every resplit of every dataset, default and tuned by a grid."""

import warnings
from collections import defaultdict
from dataclasses import asdict, replace
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from stages.config.schema import Baseline, Parameters
from stages.io import entrypoint, files, provenance
from stages.io.entrypoint import StageError
from stages.io.progress import Progress
from stages.io.runtime import run_tasks
from stages.study import baselines, seeding

ARGUMENTS = {"baseline": "one of baselines in params.yaml"}
SEARCHES = ("default", "grid")

Arrays = dict[str, np.ndarray]


def fit(parameters: Parameters, baseline: str) -> None:
    """Read data/resplits, write data/models/baselines/<baseline>: its predictions on the test parts."""
    if baseline not in parameters.baselines:
        raise StageError(f"baseline={baseline} is unknown; allowed: {', '.join(parameters.baselines)}")
    chosen = capped(parameters.baselines[baseline], parameters.max_iterations)
    _check_names(f"baselines.{baseline}", chosen)
    datasets = parameters.derived["test_sizes"]
    parts = {name: files.read_arrays(files.RESPLITS / f"{name}.npz") for name in datasets}
    parts = {
        name: arrays for name, arrays in parts.items() if baselines.suits(chosen, len(arrays["classes"]))
    }
    tasks = {
        f"baselines/{baseline}/{dataset}, seed {parameters.seed + run}": (
            chosen,
            parameters.grid_folds,
            dataset,
            run,
            seeding.generator(parameters.seed + run, "baselines", dataset, baseline).integers(2**31),
            arrays["X_train"][run],
            arrays["y_train"][run],
            arrays["X_test"][run],
        )
        # The longest first, so that no core is left alone with one of them at the end
        for dataset, arrays in sorted(parts.items(), key=lambda item: -item[1]["X_train"].size)
        for run in range(parameters.resplits)
    }
    begin = perf_counter()
    done: dict[str, dict[int, Arrays]] = defaultdict(dict)
    core_seconds = dict.fromkeys(parts, 0.0)
    fit_seconds: dict[str, list[float]] = {search: [] for search in SEARCHES}
    with Progress(f"fit {baseline}", [dataset for _, _, dataset, *_ in tasks.values()]) as progress:
        for dataset, run, predictions, spent in run_tasks(parameters.runtime, fit_one, tasks):
            done[dataset][run] = predictions
            core_seconds[dataset] += sum(spent.values())
            for search in SEARCHES:
                fit_seconds[search].append(spent[search])
            progress.advance(dataset)
    with files.replaced_folder(files.BASELINES / baseline) as folder:
        for dataset in parts:
            runs = [done[dataset][run] for run in range(parameters.resplits)]
            stacked = {key: np.stack([predictions[key] for predictions in runs]) for key in runs[0]}
            files.write_arrays(folder / f"{dataset}.npz", stacked)
    record = provenance.record(
        wall_seconds=perf_counter() - begin,
        core_seconds=core_seconds,
        # The median: a worker's first fit loads or compiles its kernels
        fit_seconds={search: median(spent) for search, spent in fit_seconds.items() if spent},
        seed=parameters.seed,
        runs=parameters.resplits,
        baseline=asdict(chosen),
    )
    files.write_json(files.PROVENANCE / "baselines" / f"{baseline}.json", record)


def fit_one(
    chosen: Baseline,
    folds: int,
    dataset: str,
    run: int,
    seed: int,
    X: np.ndarray,
    y: np.ndarray,
    X_test: np.ndarray,
) -> tuple[str, int, Arrays, dict[str, float]]:
    """One resplit: a function of its arguments alone."""
    models: dict[str, Any] = {
        "default": baselines.make(chosen, int(seed)),
        "grid": baselines.searched(chosen, folds, int(seed)),
    }
    predictions, spent = Arrays(), {}
    for search, model in models.items():
        begin = perf_counter()
        with warnings.catch_warnings():
            # With its defaults a library may stop before it has converged: that is part of the comparison.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y)
        spent[search] = perf_counter() - begin
        predictions[f"{search}_labels"] = model.predict(X_test)
        predictions[f"{search}_scores"] = baselines.class_scores(model, X_test)
    return dataset, run, predictions, spent


def capped(chosen: Baseline, max_iterations: int | None) -> Baseline:
    """The baseline with at most so many iterations, if its classifier counts them."""
    if max_iterations is None or "max_iter" not in baselines.parameter_names(chosen.estimator):
        return chosen
    own = chosen.parameters.get("max_iter") or max_iterations
    parameters = {**chosen.parameters, "max_iter": min(own, max_iterations)}
    return replace(chosen, parameters=parameters)


def _check_names(key: str, chosen: Baseline) -> None:
    allowed = baselines.parameter_names(chosen.estimator)
    for block in ("parameters", "grid"):
        unknown = [parameter for parameter in getattr(chosen, block) if parameter not in allowed]
        if unknown:
            raise StageError(f"there is no key '{key}.{block}.{unknown[0]}'; allowed: {', '.join(allowed)}")


if __name__ == "__main__":
    entrypoint.run("fit", __doc__, fit, ARGUMENTS)
