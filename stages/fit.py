"""fit: one model on every resplit of every dataset of a study.

In the study `baselines` with default parameters and tuned by a grid, in `extra` with default parameters, in
`circuits` at several sizes, in `targets` for numbers and labels. Resplits that are in data/store are taken
from there. A model whose package is not installed is left out.
"""

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, TypeVar

from stages.config.schema import TASKS, Baseline, Estimator, Parameters, Predictor, Readable, estimators_of
from stages.io import entrypoint, files, provenance
from stages.io.entrypoint import StageError
from stages.io.store import Task
from stages.io.work import Work
from stages.study import baselines, reading, seeding
from stages.study.fitting import fit_one
from stages.study.predicting import predict_one

GROUPS = {**dict.fromkeys(baselines.SEARCHES, "baselines"), "circuits": "readable", "targets": "predictors"}
FUNCTIONS: dict[str, Task] = {"circuits": reading.read_one, "targets": predict_one}  # the others: fit_one
ARGUMENTS = {
    "study": " or ".join(GROUPS),
    "baseline": "one of baselines, of readable or of predictors, in params.yaml",
}

E = TypeVar("E", bound=Estimator)


class Fit(NamedTuple):
    """An estimator on one dataset, and what else its task needs."""

    chosen: Estimator
    arguments: tuple[Any, ...]


def fit(parameters: Parameters, study: str, baseline: str) -> None:
    """Read the study's resplits, write data/models/<study>/<baseline>: predictions on the test parts."""
    if study not in GROUPS:
        raise StageError(f"study={study} is unknown; allowed: {', '.join(GROUPS)}")
    known: Mapping[str, Estimator | Predictor] = getattr(parameters, GROUPS[study])
    if baseline not in known:
        raise StageError(f"baseline={baseline} is unknown; allowed: {', '.join(known)}")
    folder = files.MODELS / study / baseline
    estimators = estimators_of(known[baseline])
    for own in estimators:
        if not baselines.installed(own):
            _leave_out(folder, baselines.left_out(baseline, own))
            return
    _check(f"{GROUPS[study]}.{baseline}", known[baseline])
    fits = _fits(parameters, study, known[baseline])
    resplits = files.resplits_of(study)
    parts = {name: files.read_arrays(resplits / f"{name}.npz") for name in fits}
    parts = {
        name: arrays
        for name, arrays in parts.items()
        if "classes" not in arrays or baselines.suits(fits[name].chosen, len(arrays["classes"]))
    }
    count = _wanted(parameters, study)["count"]
    seeded = study, baseline
    if any(isinstance(own, Readable) and reading.has_circuit(own) for own in estimators):
        seeded = reading.NEURON  # the circuit of that very neuron
    work = Work(f"fit {study} {baseline}")
    # The longest first, so that no core is left alone with one of them at the end.
    for dataset, arrays in sorted(parts.items(), key=lambda item: -item[1]["X_train"].size):
        untitled = replace(fits[dataset].chosen, title="")  # no prediction depends on it
        for run in range(count):
            first, last = seeded
            seed = seeding.generator(parameters.seed + run, first, dataset, last).integers(2**31)
            part = (arrays[key][run] for key in ("X_train", "y_train", "X_test"))
            task = (untitled, *fits[dataset].arguments, int(seed), *part)
            work.add(f"{study}/{baseline}/{dataset}, seed {parameters.seed + run}", dataset, dataset, task)
    versions = {name: v for own in estimators for name, v in baselines.package_versions(own).items()}
    modules = [baselines.estimator_class(own.estimator).__module__ for own in estimators]
    work.do(parameters.runtime, FUNCTIONS.get(study, fit_one), modules, versions=versions)
    work.write(folder)
    spent = [result.seconds for result in work.results.values()]
    record = provenance.record(
        **work.clocks(),
        # The median: a worker's first fit loads or compiles its kernels
        fit_seconds={search: median(own[search] for own in spent) for search in spent[0]} if spent else {},
        seed=parameters.seed,
        runs=count,
        baseline=asdict(known[baseline]),
    )
    record["versions"] |= versions
    provenance.write(study, baseline, record)


def _wanted(parameters: Parameters, study: str) -> dict[str, Any]:
    """The view of the parameters that a study's fits depend on."""
    derived = parameters.derived
    wanted: dict[str, Any] = derived["circuits"] if study == "circuits" else derived["resplits"][study]
    return wanted


def _fits(parameters: Parameters, study: str, model: Estimator | Predictor) -> dict[str, Fit]:
    """What is fitted on each dataset."""
    wanted, most = _wanted(parameters, study), parameters.max_iterations
    if isinstance(model, Predictor):
        return {
            name: Fit(capped(own, most), (task,))
            for name, task in wanted["tasks"].items()
            if (own := getattr(model, task)) is not None
        }
    chosen = capped(model, most)
    if isinstance(chosen, Readable):
        datasets, asked = wanted["datasets"], wanted["sizes"]
    else:
        assert isinstance(chosen, Baseline)
        datasets = wanted["test_sizes"]
        asked = [name for name in baselines.SEARCHES[study] if name == "default" or chosen.grid]
    return dict.fromkeys(datasets, Fit(chosen, (asked, parameters.grid_folds)))


def _leave_out(folder: Path, reason: str) -> None:
    """No predictions, and the reason instead; DVC does not see when a package has been installed."""
    with files.replaced_folder(folder) as fresh:
        files.write_text(fresh / baselines.LEFT_OUT, f"{reason}\n")
    print(f"fit: {reason}, and `dvc repro --force --single-item` fits it", flush=True)


def capped(chosen: E, max_iterations: int | None) -> E:
    """The estimator with at most so many iterations, if it counts them."""
    if max_iterations is None or "max_iter" not in baselines.parameter_names(chosen.estimator):
        return chosen
    own = chosen.parameters.get("max_iter") or max_iterations
    parameters = {**chosen.parameters, "max_iter": min(own, max_iterations)}
    return replace(chosen, parameters=parameters)


def _check(key: str, model: Estimator | Predictor) -> None:
    """Names of parameters are the estimator's own, and it is of the kind that its task needs."""
    if isinstance(model, Estimator):
        _check_estimator(key, model, "classification")
        return
    for task in TASKS:
        if (own := getattr(model, task)) is not None:
            _check_estimator(f"{key}.{task}", own, task)


def _check_estimator(key: str, chosen: Estimator, task: str) -> None:
    allowed = baselines.parameter_names(chosen.estimator)
    if not baselines.predicts(chosen, task):
        kind = "regressor" if task == "regression" else "classifier"
        raise StageError(f"{key}.estimator is {chosen.estimator!r}; allowed: a {kind}")
    for block in ("parameters", "grid"):
        unknown = [parameter for parameter in getattr(chosen, block, {}) if parameter not in allowed]
        if unknown:
            raise StageError(f"there is no key '{key}.{block}.{unknown[0]}'; allowed: {', '.join(allowed)}")
    if not isinstance(chosen, Readable) or reading.has_circuit(chosen):
        return
    if chosen.size not in (None, *allowed):
        raise StageError(f"{key}.size is {chosen.size!r}; allowed: {', '.join(allowed)}")


if __name__ == "__main__":
    entrypoint.run("fit", __doc__, fit, ARGUMENTS)
