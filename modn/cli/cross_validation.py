"""The expected score on new rows: that of models trained without the rows they are judged by."""

import warnings
from time import perf_counter
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold
from tqdm import tqdm

from modn.cli.tasks.base import Task


def cross_validate(task: Task, model: Any, X: Any, y: Any, n_folds: int) -> str:
    """A line with the mean score over the folds and its deviation; fewer folds where the rows are few.

    Everything that a fit learns is learned again without the fold: scalings, categories, decay, temperature.
    """
    strata = task.strata(y)
    n_folds = min(n_folds, _most_folds(strata, len(X)))
    if n_folds < 2:
        return "not cross-validated: too few rows"
    splitter = (KFold if strata is None else StratifiedKFold)(n_folds, shuffle=True, random_state=0)
    begin = perf_counter()
    with warnings.catch_warnings():  # rare classes, of which some folds have none, are judged all the same
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        folds = list(splitter.split(X, strata))
    one_fold = delayed(_value_of_fold)
    jobs = Parallel(n_jobs=model.n_jobs, require="sharedmem", return_as="generator")
    values = jobs(one_fold(task, model, X, y, *fold) for fold in folds)
    shown = tqdm(values, "cross-validation", n_folds, unit="fold", disable=not model.verbose)
    try:
        scores = list(shown)
    except ValueError as error:
        raise ValueError(f"cross-validation: {error}; --folds 0 leaves it out") from None
    return (
        f"cross-validated {task.measure} {np.mean(scores):.4f}, standard deviation "
        f"{np.std(scores, ddof=1):.4f} over {n_folds} folds, {perf_counter() - begin:.1f} s"
    )


def _value_of_fold(task: Task, model: Any, X: Any, y: Any, train: np.ndarray, test: np.ndarray) -> float:
    refitted = clone(model).set_params(n_jobs=1, verbose=False).fit(X.iloc[train], _rows(y, train))
    return task.value(_rows(y, test), refitted.predict(X.iloc[test]))


def _most_folds(strata: np.ndarray | None, n_rows: int) -> int:
    """At least two rows in each fold and, for classes, at least two of them in each training part."""
    if strata is None:
        return n_rows // 2
    counts = np.sort(np.unique(strata, return_counts=True)[1])
    return int(counts[-2])


def _rows(y: Any, rows: np.ndarray) -> Any:
    return y.iloc[rows] if hasattr(y, "iloc") else y[rows]
