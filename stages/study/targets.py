"""The study `targets`: how well models predict numbers and labels, as tables."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from stages.config.schema import TASKS, Parameters
from stages.io import files
from stages.study import measures, ranks, tables
from stages.study.baselines import LEFT_OUT
from stages.study.measures import Measure

CELL = ["task", *tables.BASELINE_CELL]


def runs(parameters: Parameters) -> pd.DataFrame:
    """A row per dataset, model and resplit, with the measures of the dataset's task."""
    wanted, rows = parameters.targets, []
    for dataset, own in wanted.datasets.items():
        truth = files.read_arrays(files.TARGETS / f"{dataset}.npz")["y_test"]
        chosen = [measures.get(name) for name in getattr(wanted.measures, own.task)]
        for name, predictor in parameters.predictors.items():
            estimator = getattr(predictor, own.task)
            folder = files.MODELS / "targets" / name
            if estimator is None or (folder / LEFT_OUT).exists():
                continue
            found = files.read_arrays(folder / f"{dataset}.npz")
            values = (own.task, dataset, own.title, name, estimator.title, "default")
            cell = dict(zip(CELL, values, strict=True))
            rows += [{**cell, "run": run, **_judged(chosen, y, found, run)} for run, y in enumerate(truth)]
    names = [name for task in TASKS for name in getattr(wanted.measures, task)]
    return pd.DataFrame(rows, columns=[*CELL, "run", *names])


def _judged(chosen: list[Measure], y: np.ndarray, found: dict[str, np.ndarray], run: int) -> dict[str, float]:
    predictions, scores = found["predictions"][run], found["scores"][run]
    return {measure.name: measure.compute(y, predictions, scores) for measure in chosen}


def summary(runs: pd.DataFrame) -> pd.DataFrame:
    """Every model on every dataset; the measures of the other task are missing."""
    return _by_task(runs, lambda own, task: tables.summary(own, CELL, measures.of_task(task, runs)))


def ranked(table: pd.DataFrame) -> pd.DataFrame:
    """The mean ranks of the models within each task, by its first measure and by the others."""

    def of_task(own: pd.DataFrame, task: str) -> pd.DataFrame:
        chosen = measures.of_task(task, table, "_mean")
        return ranks.classifier_ranks(own, chosen, chosen[0], tables.OUR_PREDICTOR).assign(task=task)

    return _by_task(table, of_task)


def _by_task(table: pd.DataFrame, make: Callable[[pd.DataFrame, str], pd.DataFrame]) -> pd.DataFrame:
    if table.empty:
        return pd.DataFrame()
    tasks = [task for task in TASKS if (table["task"] == task).any()]
    return pd.concat([make(table[table["task"] == task], task) for task in tasks], ignore_index=True)


def sizes(parameters: Parameters) -> pd.DataFrame:
    """Rows, features and targets of the datasets."""
    rows = []
    for dataset, own in parameters.targets.datasets.items():
        parts = files.read_arrays(files.TARGETS / f"{dataset}.npz")
        train, test = (parts[f"y_{part}"].shape[1] for part in ("train", "test"))
        counts = {"train": train, "test": test, "targets": len(own.targets)}
        row = {"task": own.task, "dataset": dataset, "title": own.title}
        rows.append({**row, **counts, "features": len(parts["features"])})
    return pd.DataFrame(rows)


def headline(table: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Few and stable numbers of each task, for `dvc metrics diff`: means over datasets, by model."""
    if table.empty:
        return {}
    found: dict[str, dict[str, float]] = {}
    for task, own in table.groupby("task", sort=False):
        first = measures.of_task(str(task), table, "_mean")[0]
        means = own.groupby("baseline")[f"{first.name}_mean"].mean().round(4)
        found[f"{task}_{first.name}"] = {str(name): float(mean) for name, mean in means.items()}
    return found
