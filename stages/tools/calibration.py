"""How long trainings will take on this machine: a few iterations of each are timed, the rest is extrapolated.

The time of a training is linear in its iterations: so much for the initial populations, so much for each
iteration after them. Two short trainings of a cell give both. They run as the tasks of a stage do, by the
same function and on as many cores at once. The classifiers of the baselines are fitted on the smallest, the
middle and the largest table; between, their time is taken to be linear in the size.
"""

import subprocess
import sys
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from multiprocessing import get_context
from time import perf_counter, process_time
from typing import Any, NamedTuple

import joblib
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ParameterGrid
from tqdm import tqdm

from stages.config.composition import ROOT
from stages.config.schema import Baseline, Runtime
from stages.io.runtime import run_tasks
from stages.study import baselines as classifiers
from stages.study.cells import Cell
from stages.train import train_one

SHORT = 2  # iterations; even, since Adam relaxes the filter of a MODN in half of them
LONG = 4 * SHORT  # at least
TRAININGS = 0.7  # of the seconds; the rest is for the classifiers
MOST_ROWS = 2000  # that are trained on; the time is linear in them, too

WARM: set[str] = set()  # the pairs of model and optimizer whose kernels this process has loaded

Kind = tuple[str, str, str, int]
Parts = Mapping[str, tuple[np.ndarray, np.ndarray]]  # dataset -> X and y to train on


class Calibration(NamedTuple):
    """What was measured, in seconds."""

    runs: dict[Kind, float]  # one run of a cell, on a core of its own
    fits: dict[tuple[str, str], float]  # one task of a baseline on a dataset, likewise
    busyness: float  # how much longer it takes now, since others use the cores, too; 1: nobody does
    process: float  # the start of a stage: interpreter, imports, parameters
    pool: float  # the start of its workers, with their imports and kernels


def kind(cell: Cell) -> Kind:
    """What the time of a run depends on: not the study, nor the alphas."""
    return cell.dataset, cell.model, cell.optimizer, cell.n_dendrites


def calibrate(
    cells: Iterable[Cell],
    baselines: Mapping[str, Baseline],
    folds: int,
    parts: Parts,
    runtime: Runtime,
    seconds: float,
) -> Calibration:
    """Time every kind of cell and every baseline, all of them in about so many seconds."""
    kinds = {kind(cell): cell for cell in cells}
    workers = min(runtime.workers or joblib.cpu_count(), joblib.cpu_count())
    here = Runtime(workers=workers)
    share = workers * TRAININGS * seconds / len(kinds)
    tasks = {str(name): (cell, *parts[cell.dataset], share) for name, cell in kinds.items()}
    runs, used, passed = {}, 0.0, 0.0
    with tqdm(total=len(tasks), desc="calibrate", unit="cell", disable=None, dynamic_ncols=True) as bar:
        process, pool = _start_of_process(), _start_of_pool(here, next(iter(kinds.values())), parts)
        for name, expected, task_used, task_passed in run_tasks(here, expected_seconds, tasks):
            runs[name] = expected
            used, passed = used + task_used, passed + task_passed
            bar.update()
        fits = _time_of_fits(baselines, folds, parts, here)  # the workers have loaded MODN's kernels by now
    return Calibration(runs, fits, max(1.0, passed / used), process, pool)


def expected_seconds(
    cell: Cell, X: np.ndarray, y: np.ndarray, share: float
) -> tuple[Kind, float, float, float]:
    """One run's of a cell; and those it took to find out: the core's own, about `share`, and the clock's."""
    rows = min(len(X), MOST_ROWS)
    X, y, scale = X[:rows], y[:rows], len(X) / rows
    pair = f"{cell.model}-{cell.optimizer}"
    if pair not in WARM:
        _core_seconds(cell, SHORT, X, y)
        WARM.add(pair)
    used, passed = process_time(), perf_counter()
    short = _core_seconds(cell, SHORT, X, y)
    iterations = max(LONG, int(SHORT * share / short))
    long = _core_seconds(cell, iterations, X, y)
    each = max(0.0, long - short) / (iterations - SHORT)
    expected = scale * max(short, long + each * (_budget(cell) - iterations))
    return kind(cell), expected, process_time() - used, perf_counter() - passed


def _budget(cell: Cell) -> int:
    """Iterations on the parameters; those on P, which are few and cost less, are counted as such."""
    schedule = cell.schedule
    on_filters = schedule.rounds * schedule.filter_iterations if cell.filter == "learned" else 0
    return schedule.parameter_iterations + on_filters


def _core_seconds(cell: Cell, iterations: int, X: np.ndarray, y: np.ndarray) -> float:
    begin = process_time()
    train_one(_of_length(cell, iterations), 0, 0, X, y)
    return process_time() - begin


def _of_length(cell: Cell, iterations: int) -> Cell:
    schedule = replace(cell.schedule, parameter_iterations=iterations, filter_iterations=0)
    return replace(cell, schedule=schedule)


def _time_of_fits(
    baselines: Mapping[str, Baseline], folds: int, parts: Parts, runtime: Runtime
) -> dict[tuple[str, str], float]:
    """By baseline and dataset; one for two classes has no other datasets."""
    tasks, tables = {}, {}
    for name, baseline in baselines.items():
        binary = baseline.classifier in classifiers.BINARY
        fit_for = [dataset for dataset, (_, y) in parts.items() if not binary or y.max() < 2]
        tables[name] = sorted(fit_for, key=lambda dataset: parts[dataset][0].size)
        for place in {0, len(fit_for) // 2, len(fit_for) - 1} if fit_for else ():
            dataset = tables[name][place]
            tasks[f"{name}, {dataset}"] = name, baseline, folds, dataset, *parts[dataset]
    timed: dict[str, dict[int, float]] = {name: {} for name in baselines}
    for name, dataset, seconds in run_tasks(runtime, fitting_seconds, tasks):
        timed[name][parts[dataset][0].size] = seconds
    result = {}
    for name, own in timed.items():
        sizes = sorted(own)
        for dataset in tables[name]:
            size = parts[dataset][0].size
            result[name, dataset] = float(np.interp(size, sizes, [own[size] for size in sizes]))
    return result


def fitting_seconds(
    name: str, baseline: Baseline, folds: int, dataset: str, X: np.ndarray, y: np.ndarray
) -> tuple[str, str, float]:
    """Of the default and of the whole grid, whose first and last candidates are fitted."""
    candidates: list[dict[str, Any]] = list(ParameterGrid(baseline.grid))
    spent = []
    for candidate in ({}, candidates[0], candidates[-1]):
        model = classifiers.make(baseline.classifier, {**baseline.parameters, **candidate}, seed=0)
        begin = process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y)
        spent.append(process_time() - begin)
    # each candidate on (folds - 1) / folds of the rows, folds times; then the best on all
    fits_of_candidates = len(candidates) * (folds - 1) + 1
    return name, dataset, spent[0] + fits_of_candidates * (spent[1] + spent[2]) / 2


def _start_of_process() -> float:
    code = "import stages.train; from stages.config.composition import *; register(); compose_plan([])"
    begin = perf_counter()
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    return perf_counter() - begin


def _start_of_pool(runtime: Runtime, cell: Cell, parts: Parts) -> float:
    """Until each worker has done a short task, with kernels that were compiled before."""
    task = _of_length(cell, SHORT), 0, 0, *parts[cell.dataset]
    # elsewhere, so that they are loaded here as in a stage
    compiling = get_context("spawn").Process(target=train_one, args=task)
    compiling.start()
    compiling.join()
    begin = perf_counter()
    for _ in run_tasks(runtime, train_one, {str(worker): task for worker in range(runtime.workers or 1)}):
        pass
    return perf_counter() - begin
