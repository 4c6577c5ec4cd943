"""fit: one classifier on every resplit of every dataset of a study.

In the study `baselines` with default parameters and tuned by a grid, in `extra` with default parameters, in
`circuits` at several sizes. Resplits that are in data/store are taken from there. A classifier whose package
is not installed is left out.
"""

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from statistics import median
from typing import TypeVar

from stages.config.schema import Baseline, Parameters, Readable
from stages.io import entrypoint, files, provenance
from stages.io.entrypoint import StageError
from stages.io.store import Task
from stages.io.work import Work
from stages.study import baselines, reading, seeding
from stages.study.fitting import fit_one

STUDIES = (*baselines.SEARCHES, "circuits")
ARGUMENTS = {"study": " or ".join(STUDIES), "baseline": "one of baselines, or of readable, in params.yaml"}

B = TypeVar("B", bound=Baseline)


def fit(parameters: Parameters, study: str, baseline: str) -> None:
    """Read the study's resplits, write data/models/<study>/<baseline>: predictions on the test parts."""
    if study not in STUDIES:
        raise StageError(f"study={study} is unknown; allowed: {', '.join(STUDIES)}")
    group = "readable" if study == "circuits" else "baselines"
    known: Mapping[str, Baseline] = getattr(parameters, group)
    if baseline not in known:
        raise StageError(f"baseline={baseline} is unknown; allowed: {', '.join(known)}")
    folder = files.MODELS / study / baseline
    if not baselines.installed(known[baseline]):
        _leave_out(folder, baselines.left_out(baseline, known[baseline]))
        return
    chosen = capped(known[baseline], parameters.max_iterations)
    _check_names(f"{group}.{baseline}", chosen)
    seeded = study, baseline
    if isinstance(chosen, Readable):
        wanted = parameters.derived["circuits"]
        function: Task = reading.read_one
        datasets, asked = wanted["datasets"], wanted["sizes"]
        if reading.has_circuit(chosen):
            seeded = reading.NEURON  # the circuit of that very neuron
    else:
        wanted = parameters.derived["resplits"][study]
        function, datasets = fit_one, wanted["test_sizes"]
        asked = [name for name in baselines.SEARCHES[study] if name == "default" or chosen.grid]
    resplits = files.resplits_of(study)
    parts = {name: files.read_arrays(resplits / f"{name}.npz") for name in datasets}
    parts = {
        name: arrays for name, arrays in parts.items() if baselines.suits(chosen, len(arrays["classes"]))
    }
    untitled = replace(chosen, title="")  # no prediction depends on it
    work = Work(f"fit {study} {baseline}")
    # The longest first, so that no core is left alone with one of them at the end.
    for dataset, arrays in sorted(parts.items(), key=lambda item: -item[1]["X_train"].size):
        for run in range(wanted["count"]):
            first, last = seeded
            seed = seeding.generator(parameters.seed + run, first, dataset, last).integers(2**31)
            part = (arrays[key][run] for key in ("X_train", "y_train", "X_test"))
            task = (untitled, asked, parameters.grid_folds, int(seed), *part)
            work.add(f"{study}/{baseline}/{dataset}, seed {parameters.seed + run}", dataset, dataset, task)
    versions = baselines.package_versions(chosen)
    modules = [baselines.estimator_class(chosen.estimator).__module__]
    work.do(parameters.runtime, function, modules, versions=versions)
    work.write(folder)
    spent = [result.seconds for result in work.results.values()]
    record = provenance.record(
        **work.clocks(),
        # The median: a worker's first fit loads or compiles its kernels
        fit_seconds={search: median(own[search] for own in spent) for search in spent[0]} if spent else {},
        seed=parameters.seed,
        runs=wanted["count"],
        baseline=asdict(chosen),
    )
    record["versions"] |= versions
    provenance.write(study, baseline, record)


def _leave_out(folder: Path, reason: str) -> None:
    """No predictions, and the reason instead; DVC does not see when a package has been installed."""
    with files.replaced_folder(folder) as fresh:
        files.write_text(fresh / baselines.LEFT_OUT, f"{reason}\n")
    print(f"fit: {reason}, and `dvc repro --force --single-item` fits it", flush=True)


def capped(chosen: B, max_iterations: int | None) -> B:
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
    if not isinstance(chosen, Readable) or reading.has_circuit(chosen):
        return
    if chosen.size not in (None, *allowed):
        raise StageError(f"{key}.size is {chosen.size!r}; allowed: {', '.join(allowed)}")


if __name__ == "__main__":
    entrypoint.run("fit", __doc__, fit, ARGUMENTS)
