"""The tables of the report, made from runs; those of the paper with the printed values beside ours."""

from collections.abc import Mapping, Sequence
from math import isnan, nan
from typing import Any

import pandas as pd

from modn import metrics
from stages.study import chance
from stages.study.measures import Measure
from stages.study.measures.acc import MEASURE as ACC

PRINTED = ("table3_acc_by_optimizer", "table4_tuned_hyperparameters", "table5_comparison")
CELL = ["dataset", "title", "model", "optimizer"]
POINT = ["n_dendrites", "alpha_s", "alpha_t"]
BASELINE_CELL = ["dataset", "title", "baseline", "name", "search"]
OURS = "modn"  # among the baselines
OUR_PREDICTOR = "modn_adam"  # among the predictors, the one that the others are compared with
NEURON = "neuron"  # among the readable models, the one that circuits are made of
SEARCHES = {"default": "default", "grid": "tuned"}  # in the files of `fit` -> in the report
ALL_MODELS = "all"  # among the models of the arena's ranks
SWEEPS = {"dendrites": ["n_dendrites"], "alphas": ["alpha_s", "alpha_t"]}  # what varies in Fig. 4

CLOSE = 0.05  # an accuracy this near to the printed one is close


def table3(runs: pd.DataFrame, printed: pd.DataFrame, measures: Sequence[Measure]) -> pd.DataFrame:
    """Table 3: accuracy of every model with every optimizer."""
    ours = summary(runs[runs["study"] == "comparison"], CELL, measures)
    keys = ["dataset", "model", "optimizer"]
    table = ours.merge(printed.rename(columns={ACC.name: "paper"}), on=keys, how="left")
    table["difference"] = table["acc_mean"] - table["paper"]
    return table


def table4(runs: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Table 4: the values each dataset was tuned to, as run and as printed."""
    tuned = runs[runs["study"] == "tuned"]
    values = tuned[["dataset", "title", *POINT]].drop_duplicates("dataset")
    names = {"M": "paper_n_dendrites", "alpha_s": "paper_alpha_s", "alpha_t": "paper_alpha_t"}
    return values.merge(printed.rename(columns=names), on="dataset", how="left")


def table5(
    runs: pd.DataFrame, printed: pd.DataFrame, measures: Sequence[Measure], study: str = "tuned"
) -> pd.DataFrame:
    """Table 5: MODN against the other methods, run by run; p is doubled where there are two comparisons."""
    tuned = runs[runs["study"] == study]
    table = summary(tuned, CELL, measures)
    table = table.assign(w_plus=float("nan"), w_minus=float("nan"), p=float("nan"))
    for row in table.itertuples():
        of_dataset = tuned[tuned["dataset"] == row.dataset]
        ours, theirs = _accuracies(of_dataset, "modn"), _accuracies(of_dataset, row.model, row.optimizer)
        if row.model != "modn" and len(ours):
            comparisons = of_dataset["model"].nunique() - 1  # DNM and MLP, or MLP alone
            test = metrics.wilcoxon(ours, theirs, comparisons)
            table.loc[row.Index, list(test._fields)] = list(test)
    names = {"p_value_bonferroni": "p"}
    printed = printed.rename(columns={"method": "model", **names}).set_index(["dataset", "model"])
    return table.merge(printed.add_prefix("paper_"), on=["dataset", "model"], how="left")


def baselines(runs: pd.DataFrame, measures: Sequence[Measure]) -> pd.DataFrame:
    """Every classifier of the baselines on every dataset."""
    return summary(runs, BASELINE_CELL, measures)


def sensitivity(runs: pd.DataFrame, measures: Sequence[Measure]) -> pd.DataFrame:
    """Fig. 4: for each dataset a sweep over M, and one over both alphas, each at the other's usual values."""
    swept = runs[runs["study"] == "sensitivity"]
    parts = [
        summary(_at_the_commonest(own, varied), [*CELL, *POINT], measures).assign(sweep=sweep)
        for sweep, varied in SWEEPS.items()
        for _, own in swept.groupby("dataset", sort=False)
    ]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def closeness(table3: pd.DataFrame) -> pd.DataFrame:
    """How close our accuracies are to the printed ones, over all cells of Table 3 and for each optimizer.

    The mean absolute difference has its interval by a bootstrap over datasets, which cells of one share.
    """
    printed = table3.dropna(subset="paper")
    rows = []
    for optimizer, cells in [("all", printed), *printed.groupby("optimizer", sort=False)]:
        apart = cells["difference"].abs()
        of_datasets = [group.to_numpy() for _, group in apart.groupby(cells["dataset"], sort=False)]
        low, high = chance.resampled_interval(of_datasets) if of_datasets else (nan, nan)
        rows.append(
            {
                "optimizer": optimizer,
                "cells": len(cells),
                "datasets": len(of_datasets),
                "mean_absolute_difference": apart.mean(),
                "low": low,
                "high": high,
                "mean_difference": cells["difference"].mean(),
                "within": (apart.round(6) <= CLOSE).sum(),
            }
        )
    return pd.DataFrame(rows if len(printed) else [])


def overall(arena_ranks: pd.DataFrame) -> pd.DataFrame:
    """The ranks of all models of the arena together; of one model, if there is only one."""
    models = arena_ranks["model"]
    return arena_ranks[models == (ALL_MODELS if (models == ALL_MODELS).any() else models.iloc[0])]


def headline(
    trained: Mapping[str, pd.DataFrame],
    fitted: Mapping[str, pd.DataFrame],
    measures: Sequence[Measure],
    of_baselines: Sequence[Measure],
) -> dict[str, Any]:
    """Few and stable numbers, for `dvc metrics diff`: means over datasets.

    `trained` has a table for each study of models and optimizers, `fitted` for each of the baselines.
    """
    pair = ["model", "optimizer"]
    studies = {study: (table, pair, measures) for study, table in trained.items()}
    studies |= {study: (table, ["baseline", "search"], of_baselines) for study, table in fitted.items()}
    result: dict[str, Any] = {study: {} for study in studies}
    for study, (table, pair, chosen) in studies.items():
        for names, cells in table.groupby(pair):
            means = {m.name: cells[f"{m.name}_mean"].mean() for m in chosen}
            entry = {name: _rounded(mean) for name, mean in means.items() if not isnan(mean)}
            if study == "comparison" and cells["difference"].notna().any():
                entry["distance_to_paper"] = _rounded(cells["difference"].abs().mean())
            result[study]["-".join(names)] = entry
    return result


def summary(runs: pd.DataFrame, cell: list[str], measures: Sequence[Measure]) -> pd.DataFrame:
    """A row per cell: the mean of each measure over runs, and the deviation and interval of some."""
    columns = [column for measure in measures for column in _columns(measure)]
    rows = [
        [*key, len(group), *(value for measure in measures for value in _values(measure, group))]
        for key, group in runs.groupby(cell, sort=False)
    ]
    return pd.DataFrame(rows, columns=[*cell, "runs", *columns])


def _columns(measure: Measure) -> list[str]:
    shown = ["mean"] if measure.spread_within is None else ["mean", "std", "low", "high"]
    return [f"{measure.name}_{column}" for column in shown]


def _values(measure: Measure, runs: pd.DataFrame) -> list[float]:
    if measure.spread_within is None:
        return [runs[measure.name].mean()]
    mean, std, low, high = metrics.mean_interval(runs[measure.name])
    lowest, highest = measure.spread_within  # Student's interval of few runs may exceed them
    return [mean, std, max(low, lowest), min(high, highest)]


def _at_the_commonest(runs: pd.DataFrame, varied: list[str]) -> pd.DataFrame:
    """The runs at the values of the other factors with which most values of the `varied` ones were tried."""
    fixed = [column for column in POINT if column not in varied]
    tried = runs.drop_duplicates(POINT).groupby(fixed, sort=False, as_index=False).size()
    best = tried.loc[[tried["size"].idxmax()], fixed]
    return runs.merge(best, on=fixed)


def _accuracies(runs: pd.DataFrame, model: str, optimizer: str | None = None) -> pd.Series:
    chosen = runs[(runs["model"] == model) & ((runs["optimizer"] == optimizer) if optimizer else True)]
    return chosen.sort_values("run")[ACC.name]


def _rounded(value: float) -> float:
    return round(float(value), 4)
