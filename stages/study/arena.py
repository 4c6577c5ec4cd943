"""The study `arena`: optimizers at equal evaluations, as tables.

A problem is one model on one training part. An optimizer's gap on it is how far its lowest loss so far is
from the lowest that any optimizer of the arena reached, as a share of the gap of an equal guess, whose loss
is log C: 0 is the best known, 1 no better than guessing.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from math import log, nan
from typing import Any

import numpy as np
import pandas as pd

from modn import metrics
from stages.config.schema import Parameters
from stages.io import files
from stages.study import chance, families, ranks, tables
from stages.study.cells import study_cells
from stages.study.measures import Measure
from stages.study.measures.acc import MEASURE as ACC

PROBLEM = ["dataset", "model", "run"]
ENTRY = ["dataset", "title", "model", "optimizer", "budget"]
# The loss of a run is that of its training part, which is stored with it: there is nothing to compute.
LOSS = Measure("loss", "loss", lambda y, labels, scores: nan, (0.0, np.inf), higher_is_better=False)
MEASURES = (LOSS, ACC)
GAP_DECIMALS = 9  # a target is reached where rounding errors alone are left

PROTOCOL = "sound, equal evaluations"
MEASURED = "measured/arena_costs.csv"  # below data/raw


def read(parameters: Parameters, titles: Mapping[str, str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A row per run and budget: the loss on the training part, the accuracy on the test part; and curves.

    Curves have a row per run and mark: the lowest loss by then, infinite where none is known yet.
    """
    rows: list[dict[str, Any]] = []
    curves: list[pd.DataFrame] = []
    wanted = parameters.derived["arena"]
    parts = {
        name: files.read_arrays(files.resplits_of("arena") / f"{name}.npz") for name in wanted["datasets"]
    }
    n_classes = {name: len(arrays["classes"]) for name, arrays in parts.items()}
    for pair in wanted["pairs"]:
        model, optimizer = pair.split("-")
        for cell in study_cells(parameters, "arena", model, optimizer, n_classes):
            found = files.read_arrays(files.MODELS / f"{cell.path}.npz")
            labels = {"dataset": cell.dataset, "title": titles[cell.dataset]}
            labels |= {"model": cell.model, "optimizer": cell.optimizer}
            for run, (marks, curve) in enumerate(zip(found["marks"], found["curve"], strict=True)):
                X, y = (parts[cell.dataset][part][run] for part in ("X_test", "y_test"))
                for k, budget in enumerate(wanted["budgets"]):
                    arrays = {key: found[key][run][k] for key in ("parameters", "P")}
                    family = families.get(cell.family)
                    proba = family.model(cell, arrays, X.shape[1]).predict_proba(X)
                    acc = ACC.compute(y, proba.argmax(axis=1), proba)
                    used = {key: float(found[key][run][k]) for key in ("evaluations", "loss")}
                    used |= {"n_dendrites": cell.n_dendrites, **family.filter_facts(arrays)}
                    rows.append({**labels, "run": run, "budget": budget, ACC.name: acc, **used})
                of_run = {"evaluations": marks, "loss": curve}
                curves.append(pd.DataFrame(labels | {"run": run, "guess": log(cell.n_classes)} | of_run))
    return pd.DataFrame(rows), pd.concat(curves, ignore_index=True) if curves else pd.DataFrame()


def at_the_largest_budget(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs at the largest budget."""
    return runs if runs.empty else runs[runs["budget"] == runs["budget"].max()]


def summary(runs: pd.DataFrame) -> pd.DataFrame:
    """Every pair on every dataset at every budget: mean loss and accuracy with their intervals."""
    if runs.empty:
        return pd.DataFrame()
    used = runs.groupby(ENTRY, sort=False, as_index=False)["evaluations"].max()
    return tables.summary(runs, ENTRY, MEASURES).merge(used, on=ENTRY)


def with_gaps(curves: pd.DataFrame) -> pd.DataFrame:
    """Curves with the gap at each mark; NaN where no loss is known yet."""
    best = curves.groupby(PROBLEM)["loss"].transform("min")
    span = (curves["guess"] - best).to_numpy()
    above = (curves["loss"] - best).to_numpy()
    known = np.isfinite(above)
    share = np.divide(above, span, out=np.where(above > 0, 1.0, 0.0), where=known & (span > 0))
    return curves.assign(gap=np.where(known, np.clip(share, 0, 1).round(GAP_DECIMALS), nan))


def mean_curves(curves: pd.DataFrame) -> pd.DataFrame:
    """The mean gap of every pair by number of evaluations, with its interval over datasets.

    Where a dataset has no loss yet, there is no mean.
    """
    key = ["model", "optimizer", "evaluations"]
    rows = []
    for names, own in with_gaps(curves).groupby(key, sort=False) if len(curves) else []:
        gaps = [group.to_numpy() for _, group in own.groupby("dataset", sort=False)["gap"]]
        if not own["gap"].isna().any():
            low, high = chance.resampled_interval(gaps)
            rows.append((*names, own["gap"].mean(), low, high))
    return pd.DataFrame(rows, columns=[*key, "gap", "low", "high"] if rows else None)


def reached(curves: pd.DataFrame, targets: Sequence[float]) -> pd.DataFrame:
    """By number of evaluations, the share of all problems and targets that each pair has reached.

    A target is a gap.
    """
    if curves.empty:
        return pd.DataFrame()
    gaps = with_gaps(curves)
    hits = (gaps["gap"].to_numpy()[:, None] <= np.sort(targets)).mean(axis=1)
    key = ["model", "optimizer", "evaluations"]
    return gaps.assign(share=hits).groupby(key, sort=False, as_index=False)["share"].mean()


def mean_ranks(table: pd.DataFrame) -> pd.DataFrame:
    """Mean ranks over datasets by loss and by accuracy, at each budget, for each model and for all of them.

    Columns: measure, budget, model, optimizer, rank with its interval over datasets, datasets, the critical
    difference, the mean of the measure, and of the test that the optimizer differs from the first-ranked, by
    Wilcoxon's signed ranks of the datasets' means, p times the number of comparisons. `all`: the mean over
    models, among the optimizers that train them all. With one optimizer there is nothing to rank.
    """
    if table.empty:
        return pd.DataFrame()
    rows = []
    for measure in MEASURES:
        for budget, entries in table.groupby("budget"):
            for model, means in _by_model(entries, measure):
                rows += [
                    {"measure": measure.name, "budget": budget, "model": model, **row}
                    for row in _ranked(means, measure)
                ]
    return pd.DataFrame(rows)


def _by_model(entries: pd.DataFrame, measure: Measure) -> Iterator[tuple[str, pd.DataFrame]]:
    """The means (dataset, optimizer) of each model, and those of all models stacked."""
    means = {
        str(model): own.pivot_table(
            index="dataset", columns="optimizer", values=f"{measure.name}_mean", sort=False
        ).dropna(axis=1)
        for model, own in entries.groupby("model", sort=False)
    }
    yield from means.items()
    common = [name for name in next(iter(means.values())) if all(name in own for own in means.values())]
    if len(means) > 1:
        yield tables.ALL_MODELS, pd.concat([own[common] for own in means.values()])


def _ranked(means: pd.DataFrame, measure: Measure) -> Iterator[dict[str, Any]]:
    """A row per optimizer, the best first; `means` has a row per dataset, or one for each model of it."""
    n_optimizers, n_datasets = len(means.columns), means.index.nunique()
    if n_optimizers < 2:
        return
    of_cells = measure.better(means.round(ranks.DECIMALS)).rank(axis=1, ascending=False)
    of_datasets = of_cells.groupby(level=0, sort=False).mean()
    values = means.groupby(level=0, sort=False).mean()
    order = of_datasets.mean().sort_values(kind="stable")
    first = order.index[0]
    for optimizer, rank in order.items():
        low, high = chance.resampled_interval([np.array([value]) for value in of_datasets[optimizer]])
        test = metrics.wilcoxon(
            measure.better(values[first]), measure.better(values[optimizer]), n_optimizers - 1
        )
        yield {
            "optimizer": optimizer,
            "rank": rank,
            "low": low,
            "high": high,
            "datasets": n_datasets,
            "critical_difference": ranks.critical_difference(n_optimizers, n_datasets),
            "mean": values[optimizer].mean(),
            "p": nan if optimizer == first else test.p,
        }


def costs(parameters: Parameters) -> pd.DataFrame:
    """CPU microseconds per evaluation of every optimizer, where they were measured with the same settings.

    `python -m benchmarks.arena_costs` does it: a report must not depend on how fast its machine is.
    Geometric mean over the datasets of the arena.
    """
    wanted = parameters.derived["arena"]
    known = files.read_csv(files.RAW / MEASURED)
    known = known[known["dataset"].isin(wanted["datasets"])]
    rows = []
    for optimizer in dict.fromkeys(pair.split("-")[1] for pair in wanted["pairs"]):
        digest = settings_digest(parameters.optimizers[optimizer], wanted["gradient_cost"])
        own = known.loc[known["settings"] == digest, "microseconds"]
        if own.size == len(wanted["datasets"]) > 0:
            rows.append((optimizer, float(np.exp(np.log(own).mean()))))
    return pd.DataFrame(rows, columns=["optimizer", "microseconds"] if rows else None)


def settings_digest(optimizer: Mapping[str, Any], gradient_cost: float) -> str:
    """The fingerprint by which measured settings are found again."""
    own = {key: value for key, value in optimizer.items() if key != "title"}
    text = json.dumps([own, float(gradient_cost)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
