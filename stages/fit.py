"""fit: one classifier of the baselines on every resplit of every dataset, default and tuned by a grid.

Resplits that are in data/store are taken from there.
"""

from dataclasses import asdict, replace
from statistics import median

from stages.config.schema import Baseline, Parameters
from stages.io import entrypoint, files, provenance
from stages.io.entrypoint import StageError
from stages.io.work import Work
from stages.study import baselines, seeding
from stages.study.fitting import fit_one

ARGUMENTS = {"baseline": "one of baselines in params.yaml"}


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
    untitled = replace(chosen, title="")  # no prediction depends on it
    work = Work(f"fit {baseline}")
    # The longest first, so that no core is left alone with one of them at the end.
    for dataset, arrays in sorted(parts.items(), key=lambda item: -item[1]["X_train"].size):
        for run in range(parameters.resplits):
            seed = seeding.generator(parameters.seed + run, "baselines", dataset, baseline).integers(2**31)
            part = (arrays[key][run] for key in ("X_train", "y_train", "X_test"))
            task = (untitled, parameters.grid_folds, int(seed), *part)
            work.add(f"baselines/{baseline}/{dataset}, seed {parameters.seed + run}", dataset, dataset, task)
    work.do(parameters.runtime, fit_one, [baselines.estimator_class(chosen.estimator).__module__])
    work.write(files.BASELINES / baseline)
    spent = [result.seconds for result in work.results.values()]
    record = provenance.record(
        **work.clocks(),
        # The median: a worker's first fit loads or compiles its kernels
        fit_seconds={search: median(own[search] for own in spent) for search in spent[0]} if spent else {},
        seed=parameters.seed,
        runs=parameters.resplits,
        baseline=asdict(chosen),
    )
    provenance.write("baselines", baseline, record)


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
