"""What the trials of `tune` are worth on the test part, which the search itself never reads.

Tuning on the test part would choose the candidate with the highest test accuracy. The models that the
cross-validation has trained show what that would report: the candidates and their models are the same;
only the rows that choose differ. How much of the reported accuracy is optimism is measured by halves of the
test part: one half chooses, and the other shows what is left of the accuracy on rows that did not choose.
"""

from collections.abc import Iterator, Mapping
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from stages.config.schema import Parameters
from stages.io import files
from stages.study import families
from stages.study.cells import TUNING, candidate, retuned_pairs

HALVINGS = 200  # of the test part, at random
VALUES = ("dendrites", "alpha_s", "alpha_t")
TRIAL = ["dataset", "title", "model", "optimizer", "trial", *VALUES, "repeats", "cv", "chosen", "test"]
SEARCH = [*TRIAL[:4], *VALUES, "trials", "complete", "cv", "by_cv", "by_test", "optimism"]

Arrays = dict[str, np.ndarray]


def values_found(parameters: Parameters) -> dict[str, Any]:
    """The values that `tune` has found: model-optimizer -> dataset -> values."""
    return {
        pair: files.read_json(files.MODELS / TUNING / pair / files.VALUES)
        for pair in retuned_pairs(parameters)
    }


def judge(
    parameters: Parameters, titles: Mapping[str, str], parts: Mapping[str, Arrays]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A row per trial, and a row per search: what cross-validation chose, and what the test part would have.

    `test`, `by_cv`, `by_test`: mean accuracy on the test part of the models of a trial's first repeat, each
    trained on all folds but one. `optimism`: what `by_test` loses on rows that did not choose.
    """
    trials: list[dict[str, Any]] = []
    searches: list[dict[str, Any]] = []
    for pair, found in values_found(parameters).items():
        model, _, optimizer = pair.partition("-")
        for dataset in [name for name in titles if name in found]:
            arrays = files.read_arrays(files.MODELS / TUNING / pair / f"{dataset}.npz")
            labels = {"dataset": dataset, "title": titles[dataset], "model": model, "optimizer": optimizer}
            right = np.stack([*_right(parameters, labels, arrays, parts[dataset])])
            of_search = _trials(arrays, right.mean(axis=1))
            trials += [labels | row for row in of_search]
            searches.append(labels | _search(of_search, right))
    return pd.DataFrame(trials, columns=TRIAL), pd.DataFrame(searches, columns=SEARCH)


def _values(arrays: Arrays, trial: int) -> dict[str, Any]:
    return {name: arrays[name][trial].item() for name in VALUES if name in arrays}


def _right(
    parameters: Parameters, labels: Mapping[str, str], arrays: Arrays, parts: Arrays
) -> Iterator[np.ndarray]:
    """Of each trial, the share of its models that are right about each test row (N,)."""
    X, y = parts["X_test"][0], parts["y_test"][0]
    model, optimizer, dataset = (labels[key] for key in ("model", "optimizer", "dataset"))
    family = families.get(parameters.models[model]["family"])
    n_trials, _, n_folds = arrays["acc"].shape
    for trial in range(n_trials):
        values = _values(arrays, trial)
        cell = candidate(parameters, model, optimizer, dataset, len(parts["classes"]), values)
        predictions = []
        for fold in range(n_folds):
            prefix = f"{trial}/{fold}/"
            own = {k.removeprefix(prefix): value for k, value in arrays.items() if k.startswith(prefix)}
            predictions.append(family.model(cell, own, X.shape[1]).predict_proba(X).argmax(axis=1))
        yield (np.stack(predictions) == y).mean(axis=0)


def _trials(arrays: Arrays, test: np.ndarray) -> list[dict[str, Any]]:
    repeats = (~np.isnan(arrays["acc"][:, :, 0])).sum(axis=1)
    return [
        {
            "trial": trial,
            **dict.fromkeys(VALUES, nan),
            **_values(arrays, trial),
            "repeats": int(repeats[trial]),
            "cv": float(np.nanmean(arrays["acc"][trial])),
            "chosen": int(trial == arrays["best"]),
            "test": float(test[trial]),
        }
        for trial in range(len(test))
    ]


def _search(trials: list[dict[str, Any]], right: np.ndarray) -> dict[str, Any]:
    (chosen,) = [row for row in trials if row["chosen"]]
    most = max(row["repeats"] for row in trials)
    return {
        **{name: chosen[name] for name in (*VALUES, "cv")},
        "trials": len(trials),
        "complete": sum(row["repeats"] == most for row in trials),
        "by_cv": chosen["test"],
        "by_test": max(row["test"] for row in trials),
        "optimism": optimism(right),
    }


def optimism(right: np.ndarray) -> float:
    """What the accuracy of the best of T candidates loses on rows that did not choose it; right (T, N)."""
    n_rows = right.shape[1]
    if n_rows < 2:
        return nan
    rng = np.random.default_rng(0)  # the same models give the same number
    lost = []
    for _ in range(HALVINGS):
        order = rng.permutation(n_rows)
        chooses, remains = right[:, order[: n_rows // 2]], right[:, order[n_rows // 2 :]]
        best = int(chooses.mean(axis=1).argmax())
        lost.append(chooses[best].mean() - remains[best].mean())
    return float(np.mean(lost))
