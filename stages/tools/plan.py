"""Say what a run of the whole pipeline does and how long it takes, without running it: nothing is written.

Times are those of an earlier run, recorded in reports/<profile>/provenance.json, scaled by the work: for a
training, evaluated individuals x samples x features x dendrites; for a fit, candidates x samples x features.
They hold for the machine of the record. What the record lacks is taken from the closest that it has.
"""

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from statistics import mean
from typing import NamedTuple

import joblib
from sklearn.model_selection import ParameterGrid

from stages import fetch
from stages.config import composition
from stages.config.schema import Parameters
from stages.io import entrypoint, files
from stages.io.entrypoint import StageError
from stages.study import baselines, families
from stages.study.cells import all_cells, training_of


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

    def distance(self, other: "Part") -> tuple[float, ...]:
        """How different another part is: first by its optimizer, last by its size."""
        kinds = (
            (part.study == "baselines", part.optimizer, part.model, part.study) for part in (self, other)
        )
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
    facts = {
        name: fetch.describe(name, dataset, fetch.clean(fetch.read(dataset), name, dataset))
        for name, dataset in parameters.datasets.items()
    }
    n_classes = {name: row["classes"] for name, row in facts.items()}
    sizes = {name: row["train"] * row["features"] for name, row in facts.items()}
    for cell in all_cells(parameters, n_classes):
        part = Part(cell.study, cell.model, cell.optimizer, cell.dataset, sizes[cell.dataset])
        evaluations = families.get(cell.family).evaluations(cell.settings, *training_of(parameters, cell))
        yield part, evaluations * cell.n_dendrites, parameters.runs
    for name, baseline in parameters.baselines.items():
        # The default; each candidate on (folds - 1) / folds of the rows, folds times; the best on all rows.
        fits = 2 + len(ParameterGrid(baseline.grid)) * (parameters.grid_folds - 1)
        for dataset, size in sizes.items():
            if baselines.suits(baseline, n_classes[dataset]):
                yield Part("baselines", name, "", dataset, size), fits, parameters.resplits


def plan(parameters: Parameters, profile: str) -> str:
    """The text of the plan, by the record of a profile's run."""
    path = files.report_folder(profile) / "provenance.json"
    if not path.exists():
        raise StageError(f"{path.relative_to(files.ROOT)} is missing; allowed: a profile that has a report")
    record = json.loads(path.read_text(encoding="utf-8"))
    seconds = {name: stage["core_seconds"] for name, stage in record["stages"].items()}
    recorded = {  # seconds per work
        part: seconds[part.stage][part.dataset] / work.amount
        for part, work in work_of(composition.compose_plan([f"profile={profile}"])).items()
        if part.dataset in seconds.get(part.stage, {})
    }
    if not recorded:
        raise StageError(f"{path.relative_to(files.ROOT)} has no times of its profile's trainings")
    stages: dict[str, list[tuple[int, float]]] = defaultdict(list)  # tasks and seconds of each dataset
    lacking = []
    for part, work in work_of(parameters).items():
        closest = min(recorded, key=part.distance)
        stages[part.stage].append((work.tasks, recorded[closest] * work.amount))
        if closest[:4] != part[:4]:
            lacking.append(f"{part.stage} on {part.dataset}: as {closest.stage} on {closest.dataset}")
    totals = {name: tuple(map(sum, zip(*own, strict=True))) for name, own in stages.items()}
    totals["all"] = tuple(map(sum, zip(*totals.values(), strict=True)))
    width = max(map(len, totals))
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
            *(f"Not in the record: {text}" for text in lacking),
            f"Expected on {cores} core{'s' * (cores > 1)}: {_clock(wall)}, without DVC's own time",
        ]
    )


def _clock(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 100 else str(timedelta(seconds=round(seconds)))  # h:mm:ss


def main() -> None:
    """Print the plan, or what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m stages.tools.plan", description=__doc__)
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="in Hydra's syntax: profile=paper")
    parser.add_argument("--record", default="quick", help="a profile that was run (default: %(default)s)")
    arguments = parser.parse_intermixed_args()
    composition.register()
    with entrypoint.reported("plan"):
        print(plan(composition.compose_plan(arguments.overrides), arguments.record))


if __name__ == "__main__":
    main()
