"""Say what a run of the whole pipeline does and how long it takes, without running it.

A row per stage of training or fitting: its tasks, the sigmoids they compute, and one core's time for them.
There is a sigmoid for every sample, feature, dendrite and evaluated individual; in an MLP, for every sample,
hidden unit and individual. Times are by a calibration on this machine. Nothing is written.
"""

import argparse
import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import joblib
import numpy as np
from modn.methods.training import n_evaluations

from modn import optimizers
from stages import fetch, split
from stages.config import composition
from stages.config.schema import Parameters
from stages.fit import capped
from stages.io import entrypoint
from stages.study.cells import Cell, study_cells
from stages.tools.calibration import Calibration, Parts, calibrate, kind

SECONDS = 10.0  # of calibration
OTHER_CORES = (1, 2, 4, 8, 16, 32, 64)

# In units of the time in which a stage's process starts; measured in a run of the quick profile.
DVC_SHARE = 0.75  # of each stage: DVC looks at dependencies, keeps results, writes dvc.lock
OTHER_STAGES = 19.0  # fetch, split, resplit, evaluate, plot, report together, with DVC's share of them


@dataclass(frozen=True)
class Row:
    """A stage of many tasks."""

    stage: str  # as DVC calls it
    seconds: Sequence[float]  # of each task
    sigmoids: int | None  # of all tasks; None: they compute something else

    def wall_seconds(self, cores: int) -> float:
        """Until the last task is done, where each core takes the longest one left."""
        busy_until = [0.0] * cores
        for seconds in sorted(self.seconds, reverse=True):
            heapq.heapreplace(busy_until, busy_until[0] + seconds)
        return max(busy_until)


def plan(parameters: Parameters, seconds: float = SECONDS) -> str:
    """The text of the plan."""
    parts = {name: training_part(parameters, name) for name in parameters.datasets}
    stages = dict(training_stages(parameters, parts))
    cells = [cell for own in stages.values() for cell in own]
    baselines = {name: capped(own, parameters.max_iterations) for name, own in parameters.baselines.items()}
    measured = calibrate(cells, baselines, parameters.grid_folds, parts, parameters.runtime, seconds)
    rows = [training_row(stage, own, parameters.runs, parts, measured) for stage, own in stages.items()]
    rows += [fitting_row(name, parameters.resplits, measured) for name in baselines]
    cores = parameters.runtime.workers or joblib.cpu_count()
    head = (
        f"Profile {parameters.profile}, {len(cells)} cells, runs of each: {parameters.runs}; "
        f"{len(baselines)} baselines, resplits: {parameters.resplits}"
    )
    return "\n".join([head, "", *_table(rows), "", *_wall_times(rows, measured, cores)])


def training_part(parameters: Parameters, name: str) -> tuple[np.ndarray, np.ndarray]:
    """X and y of the first run, as fetch and split would make them."""
    dataset = parameters.datasets[name]
    tidy = fetch.clean(fetch.read(dataset), name, dataset)
    content = tidy.to_csv(index=False, lineterminator="\n").encode()
    parts = split.parts_of(content, name, dataset.test_size, replace(parameters.split, count=1))
    return parts["X_train"][0], parts["y_train"][0]


def training_stages(parameters: Parameters, parts: Parts) -> Iterator[tuple[str, list[Cell]]]:
    """The name of each training stage, and its cells."""
    n_classes = {name: int(y.max()) + 1 for name, (_, y) in parts.items()}
    for study, pairs in parameters.derived["pairs"].items():
        group = "train" if study == "comparison" else f"train_{study}"
        for name, pair in pairs.items():
            cells = study_cells(parameters, study, pair["model"], pair["optimizer"], n_classes)
            yield f"{group}@{name}", cells


def training_row(stage: str, cells: Sequence[Cell], runs: int, parts: Parts, measured: Calibration) -> Row:
    """So many runs of each cell."""
    seconds = [measured.runs[kind(cell)] for cell in cells for _ in range(runs)]
    return Row(stage, seconds, runs * sum(_sigmoids(cell, parts[cell.dataset][0]) for cell in cells))


def fitting_row(baseline: str, resplits: int, measured: Calibration) -> Row:
    """So many resplits of each dataset."""
    each = [seconds for (name, _), seconds in measured.fits.items() if name == baseline]
    return Row(f"fit@{baseline}", each * resplits, None)


def _sigmoids(cell: Cell, X: np.ndarray) -> int:
    """How many one run computes."""
    optimizer = optimizers.make(cell.algorithm, **cell.algorithm_parameters)
    individuals = n_evaluations(optimizer, cell.schedule, cell.filter)
    if cell.family == "mlp":
        return individuals * len(X) * cell.n_dendrites
    trainings = len(cell.theta_o) if cell.family == "dnm" else 1
    return trainings * individuals * X.size * cell.n_dendrites


def _table(rows: Sequence[Row]) -> list[str]:
    everything = Row("all", [s for row in rows for s in row.seconds], sum(row.sigmoids or 0 for row in rows))
    width = max(len(row.stage) for row in rows)
    lines = [f"{'stage':{width}}  {'tasks':>7}  {'sigmoids':>9}  {'core time':>15}"]
    for row in [*rows, everything]:
        sigmoids = "" if row.sigmoids is None else f"{row.sigmoids:.2e}"
        lines.append(
            f"{row.stage:{width}}  {len(row.seconds):>7}  {sigmoids:>9}  {_clock(sum(row.seconds)):>15}"
        )
    return lines


def _wall_times(rows: Sequence[Row], measured: Calibration, cores: int) -> list[str]:
    """The whole run's on the given cores, and on other numbers of them."""
    starts = len(rows) * (measured.process * (1 + DVC_SHARE) + measured.pool)
    around = starts + OTHER_STAGES * measured.process

    def wall(cores: int) -> float:
        return around + measured.busyness * sum(row.wall_seconds(cores) for row in rows)

    others = ", ".join(f"{n}: {_clock(wall(n))}" for n in OTHER_CORES if n != cores)
    lines = [f"Expected on {cores} core{'s' * (cores > 1)}: {_clock(wall(cores))}", f"On {others}"]
    if measured.busyness > 1.1:
        lines.append(
            f"Others use the cores, too: a task gets {1 / measured.busyness:.0%} of one. "
            f"Alone it would be {_clock(wall(cores) / measured.busyness)}"
        )
    return lines


def _clock(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 100 else str(timedelta(seconds=round(seconds)))  # h:mm:ss


def main() -> None:
    """Print the plan, or what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m stages.tools.plan", description=__doc__)
    parser.add_argument(
        "overrides", nargs="*", metavar="key=value", help="in Hydra's syntax: profile=paper runtime.workers=8"
    )
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help="of calibration, about (default: %(default)s)"
    )
    arguments = parser.parse_intermixed_args()
    composition.register()
    with entrypoint.reported("plan"):
        print(plan(composition.compose_plan(arguments.overrides), arguments.seconds))


if __name__ == "__main__":
    main()
