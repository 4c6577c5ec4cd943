"""Say what a run of the whole pipeline does and how long it takes, without running it: nothing is written.

Times are those of an earlier run, recorded in reports/<profile>/provenance.json, scaled by the work: for a
training, those of a search included, evaluated individuals x samples x features x dendrites; for a fit,
candidates x samples x features. They hold for the machine of the record. What the record lacks is
taken from the closest that it has.
"""

import argparse
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import timedelta
from statistics import mean
from typing import NamedTuple

import joblib
from sklearn.model_selection import ParameterGrid

from stages import fetch
from stages.config import composition
from stages.config.schema import Dataset, Parameters, estimators_of
from stages.io import entrypoint, files
from stages.io.entrypoint import StageError
from stages.study import baselines, families
from stages.study.cells import RETUNED, TUNING, all_cells, study_cells, training_of


class Part(NamedTuple):
    """The cells of a stage on one dataset, or a baseline on one."""

    study: str
    model: str  # of a fit: the baseline
    optimizer: str
    dataset: str
    size: int  # samples x features

    @property
    def stage(self) -> str:
        """Its name in the record."""
        return f"{self.study} {self.model}-{self.optimizer}".rstrip("-")

    @property
    def is_fit(self) -> bool:
        """Whether it is about a baseline."""
        return not self.optimizer

    def distance(self, other: "Part") -> tuple[float, ...]:
        """How different another part is: first by its optimizer, last by its size."""
        kinds = ((part.is_fit, part.optimizer, part.model, part.study) for part in (self, other))
        differs = [one != two for one, two in zip(*kinds, strict=True)]
        return *differs, self.dataset != other.dataset, abs(math.log(self.size / other.size))


class Work(NamedTuple):
    """How many tasks a part has, and how much all of them compute."""

    tasks: int
    amount: float


def work_of(parameters: Parameters) -> dict[Part, Work]:
    """All that a run trains and fits."""
    total: dict[Part, Work] = defaultdict(lambda: Work(0, 0.0))
    for part, amount, tasks in _tasks(parameters):
        total[part] = Work(total[part].tasks + tasks, total[part].amount + tasks * amount * part.size)
    return dict(total)


def _tasks(parameters: Parameters) -> Iterator[tuple[Part, float, int]]:
    """Parts, with the work per sample and feature of each task, and how many there are."""
    n_classes, sizes = _facts(parameters.datasets)
    # The paper's values stand for those that `tune` is going to find.
    known = dict.fromkeys(parameters.derived["searches"], parameters.derived["values"]["tuned"])
    for cell in all_cells(parameters, n_classes, known):
        part = Part(cell.study, cell.model, cell.optimizer, cell.dataset, sizes[cell.dataset])
        evaluations = families.get(cell.family).evaluations(cell.settings, *training_of(parameters, cell))
        yield part, evaluations * cell.n_dendrites, parameters.runs
        if cell.study == RETUNED:
            searched = parameters.tune
            size = evaluations * mean(searched.dendrites) * (searched.folds - 1) / searched.folds
            tasks = searched.trials * searched.folds * searched.repeats  # if none is pruned
            yield part._replace(study=TUNING), size, tasks
    yield from _targets(parameters)
    yield from _arena_tasks(parameters, n_classes, sizes)
    of_circuits = parameters.derived["circuits"]
    chosen = {name: parameters.datasets[name] for name in of_circuits["datasets"]}
    for study, datasets, further in (
        ("baselines", parameters.datasets, 1),  # the default, beside the best of the grid
        ("extra", parameters.extra.datasets, 1),
        ("circuits", chosen, len(of_circuits["sizes"])),
    ):
        n_classes, sizes = _facts(datasets)
        count = (
            of_circuits["count"] if study == "circuits" else parameters.derived["resplits"][study]["count"]
        )
        for name, baseline in (parameters.readable if study == "circuits" else parameters.baselines).items():
            if not baselines.installed(baseline):
                continue
            fits = further
            if study != "extra" and baseline.grid:
                # Each candidate on (folds - 1) / folds of the rows, folds times; the best on all rows.
                fits += len(ParameterGrid(baseline.grid)) * (parameters.grid_folds - 1) + 1
            for dataset, size in sizes.items():
                if baselines.suits(baseline, n_classes[dataset]):
                    yield Part(study, name, "", dataset, size), fits, count


def _targets(parameters: Parameters) -> Iterator[tuple[Part, float, int]]:
    """Those of the study `targets`; a model that predicts one target is fitted for each."""
    chosen = parameters.targets
    n_targets, sizes = _facts(chosen.datasets)
    for name, predictor in parameters.predictors.items():
        for dataset, size in sizes.items():
            own = getattr(predictor, chosen.datasets[dataset].task)
            if own is not None and baselines.installed(own):
                fits = n_targets[dataset] if own.per_output else 1
                yield Part("targets", name, "", dataset, size), fits, chosen.resplits


def _arena_tasks(
    parameters: Parameters, n_classes: Mapping[str, int], sizes: Mapping[str, int]
) -> Iterator[tuple[Part, float, int]]:
    """Of an optimizer that plans ahead, one training for each budget; of the others one for all."""
    wanted = parameters.derived["arena"]
    classes = {name: n_classes[name] for name in wanted["datasets"]}
    for model, optimizer in (pair.split("-") for pair in wanted["pairs"]):
        for cell in study_cells(parameters, "arena", model, optimizer, classes):
            family = families.get(cell.family)
            method = family.method(cell.settings, parameters.optimizers[optimizer])
            evaluations = sum(wanted["budgets"]) if method.plans_ahead else wanted["budgets"][-1]
            part = Part(cell.study, model, optimizer, cell.dataset, sizes[cell.dataset])
            yield part, evaluations * cell.n_dendrites, wanted["runs"]


def _facts(datasets: Mapping[str, Dataset]) -> tuple[dict[str, int], dict[str, int]]:
    """The number of classes or targets, and of training samples x features, of each dataset."""
    facts = {
        name: fetch.describe(name, dataset, fetch.clean(fetch.read(dataset), name, dataset))
        for name, dataset in datasets.items()
    }
    n_classes = {name: row["classes"] for name, row in facts.items()}
    return n_classes, {name: row["train"] * row["features"] for name, row in facts.items()}


def plan(parameters: Parameters, profile: str) -> str:
    """The text of the plan, by the record of a profile's run."""
    path = files.report_folder(profile) / "provenance.json"
    if not path.exists():
        raise StageError(f"{path.relative_to(files.ROOT)} is missing; allowed: a profile that has a report")
    try:
        record = files.read_json(path)
        seconds = {name: dict(stage["core_seconds"]) for name, stage in record["stages"].items()}
    except (KeyError, TypeError, ValueError, AttributeError):
        raise StageError(f"{path.relative_to(files.ROOT)} is damaged; `dvc repro` restores it") from None
    recorded = {  # seconds per work
        part: seconds[part.stage][part.dataset] / work.amount
        for part, work in work_of(composition.compose_plan([f"profile={profile}"])).items()
        if part.dataset in seconds.get(part.stage, {})
    }
    if not recorded:
        raise StageError(f"{path.relative_to(files.ROOT)} has no times of its profile's trainings")
    stages: dict[str, list[tuple[int, float]]] = defaultdict(list)  # tasks and seconds of each dataset
    # By stage, and by the one that it is taken from: the datasets of both.
    lacking: dict[tuple[str, str], tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    for part, work in work_of(parameters).items():
        closest = min(recorded, key=part.distance)
        stages[part.stage].append((work.tasks, recorded[closest] * work.amount))
        if closest[:4] != part[:4]:
            for datasets, one in zip(lacking[part.stage, closest.stage], (part, closest), strict=True):
                datasets.add(one.dataset)
    totals = {name: tuple(map(sum, zip(*own, strict=True))) for name, own in stages.items()}
    totals["all"] = tuple(map(sum, zip(*totals.values(), strict=True)))
    width = max(map(len, totals))
    groups = (parameters.baselines, parameters.readable, parameters.predictors)
    fitted = [(name, own) for group in groups for name, both in group.items() for own in estimators_of(both)]
    absent = dict(item for item in fitted if not baselines.installed(item[1]))
    cores = parameters.runtime.workers or joblib.cpu_count()
    # Beside its tasks a stage starts workers and loads kernels; it did not wait for what was in the store.
    starts = (
        s["wall_seconds"] - (sum(s["core_seconds"].values()) - s.get("stored_seconds", 0.0)) / record["cores"]
        for s in record["stages"].values()
    )
    wall = len(stages) * max(0.0, mean(starts))
    for own in stages.values():  # all cores are busy, or one is with the longest task
        wall += max(sum(s for _, s in own) / cores, *(s / tasks for tasks, s in own))
    return "\n".join(
        [
            f"Profile {parameters.profile}, by the record of profile {profile}",
            "",
            f"{'stage':{width}}  {'tasks':>7}  {'core time':>10}",
            *(f"{name:{width}}  {tasks:>7}  {_clock(s):>10}" for name, (tasks, s) in totals.items()),
            "",
            *(
                f"Not in the record: {stage} on {_named(own)}: as {other} on {_named(closest)}"
                for (stage, other), (own, closest) in lacking.items()
            ),
            *(baselines.left_out(name, own) for name, own in absent.items()),
            f"Expected on {cores} core{'s' * (cores > 1)}: {_clock(wall)}, without DVC's own time",
        ]
    )


def _recorded(profile: str) -> str:
    """The profile itself, if its last run had its own parameters: that record has all studies."""
    path = files.report_folder(profile) / "provenance.json"
    whole = composition.compose_plan([f"profile={profile}"]).derived["sha256"]
    return profile if path.exists() and whole in path.read_text(encoding="utf-8") else "quick"


def _named(datasets: set[str]) -> str:
    return min(datasets) if len(datasets) == 1 else f"{len(datasets)} datasets"


def _clock(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 100 else str(timedelta(seconds=round(seconds)))  # h:mm:ss


def main() -> None:
    """Print the plan, or what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m stages.tools.plan", description=__doc__)
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="in Hydra's syntax: profile=paper")
    parser.add_argument("--record", help="a profile that was run (default: the planned one, or quick)")
    arguments = parser.parse_intermixed_args()
    with entrypoint.reported("plan"):
        parameters = composition.compose_plan(arguments.overrides)
        print(plan(parameters, arguments.record or _recorded(parameters.profile)))


if __name__ == "__main__":
    main()
