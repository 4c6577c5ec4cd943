"""tune: find M, alpha_s and alpha_t of one model with one optimizer, for every dataset.

Candidates are judged by cross-validation within the training part of the first run; no test row is read.
Trainings that are in data/store are taken from there, so that a search that was killed resumes.
"""

from dataclasses import asdict
from importlib.metadata import version

import numpy as np

from stages.config.schema import Parameters
from stages.io import entrypoint, files, provenance
from stages.io.entrypoint import StageError
from stages.io.progress import Progress
from stages.io.work import Work
from stages.study import families
from stages.study.cells import TUNING
from stages.study.cross_validation import CrossValidation
from stages.study.validating import validate_one

ARGUMENTS = {"model": "one of models in params.yaml", "optimizer": "one of optimizers in params.yaml"}

Arrays = dict[str, np.ndarray]


def tune(parameters: Parameters, model: str, optimizer: str) -> None:
    """Read data/splits, write data/models/tuning/<model>-<optimizer>: the values found, and all trials."""
    pair = f"{model}-{optimizer}"
    known = parameters.derived["searches"]
    if pair not in known:
        allowed = ", ".join(known) or "none, unless tuned.values is ours or both"
        raise StageError(f"model={model} optimizer={optimizer} is not tuned; allowed: {allowed}")
    chosen = parameters.tune
    searches = [(own, own.new_search()) for own in _cross_validations(parameters, model, optimizer)]
    work = Work(f"tune {pair}")
    registries = {
        "modn.optimizers": {f"modn.optimizers.{known[pair][part]}" for part in ("first", "then")},
        "stages.study.families": {f"stages.study.families.{known[pair]['family']}"},
    }
    per_trial = chosen.repeats * chosen.folds
    due = [own.dataset for own, _ in searches for _ in range(chosen.trials * per_trial)]
    with Progress(work.label, due) as progress:
        for first in range(0, chosen.trials, chosen.batch):
            last = min(first + chosen.batch, chosen.trials)
            for _, search in searches:
                search.ask(last - first)
            for _ in range(chosen.repeats):
                for own, search in searches:
                    own.add_trainings(search, work)
                work.do(parameters.runtime, validate_one, registries=registries, progress=progress)
                for own, search in searches:
                    own.tell(search, work)
            for own, _ in searches:  # the trainings that were pruned
                progress.advance(own.dataset, last * per_trial - progress.done[own.dataset])
    work.say_stored()
    with files.replaced_folder(files.MODELS / TUNING / pair) as fresh:
        for own, search in searches:
            files.write_arrays(fresh / f"{own.dataset}.npz", own.trials(search, work))
        files.write_json(
            fresh / files.VALUES, {own.dataset: search.best().values for own, search in searches}
        )
    record = provenance.record(
        **work.clocks(), seed=parameters.seed, tune=asdict(chosen), optimizer=parameters.optimizers[optimizer]
    )
    record["versions"] |= {"optuna": version("optuna")}
    provenance.write(TUNING, pair, record)


def _cross_validations(parameters: Parameters, model: str, optimizer: str) -> list[CrossValidation]:
    """The searches on the datasets that suit the model, the longest first."""
    family = families.get(parameters.models[model]["family"])
    found = []
    for dataset in parameters.derived["budgets"]:
        parts = files.read_arrays(files.SPLITS / f"{dataset}.npz")
        n_classes, (X, y) = len(parts["classes"]), (parts[f"{name}_train"][0] for name in "Xy")
        if family.suits(n_classes):
            found.append(CrossValidation(parameters, model, optimizer, dataset, n_classes, X, y))
    return sorted(found, key=lambda own: -own.X.size)


if __name__ == "__main__":
    entrypoint.run("tune", __doc__, tune, ARGUMENTS)
