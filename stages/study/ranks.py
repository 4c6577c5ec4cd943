"""Mean ranks of optimizers and of classifiers over datasets, and how large a difference must be."""

import numpy as np
import pandas as pd

# Accuracies are ratios of small integers: rounding errors must not break ties.
_DECIMALS = 12


def mean_ranks(table: pd.DataFrame) -> pd.DataFrame:
    """Mean rank of each optimizer over the datasets, model by model; 1 is the best, ties share their ranks.

    `table` has a row per cell with dataset, model, optimizer and acc_mean. Ranks among different sets of
    optimizers do not compare, so a model is ranked on the datasets where all of its optimizers have a value.
    Returns a row per pair: model, optimizer, rank, datasets (how many the mean is over), the best first.
    """
    missing = {"dataset", "model", "optimizer", "acc_mean"} - set(table.columns)
    if missing:
        raise ValueError(f"table lacks the columns {sorted(missing)}")
    if table.empty:
        raise ValueError("table is empty: no accuracies to rank")
    if table.duplicated(["dataset", "model", "optimizer"]).any():
        raise ValueError("table must have one row per dataset, model and optimizer, got some twice")
    rows = []
    for model, cells in table.groupby("model", sort=False):
        accuracies = cells.pivot_table(index="dataset", columns="optimizer", values="acc_mean").dropna()
        if accuracies.empty:
            raise ValueError(f"no dataset has a value of every optimizer of the model {model!r}")
        ranks = accuracies.round(_DECIMALS).rank(axis=1, ascending=False).mean().sort_values(kind="stable")
        rows += [(model, optimizer, rank, len(accuracies)) for optimizer, rank in ranks.items()]
    return pd.DataFrame(rows, columns=["model", "optimizer", "rank", "datasets"])


def classifier_ranks(table: pd.DataFrame) -> pd.DataFrame:
    """Mean rank of each classifier that has all datasets, among those of the same search.

    `table` has a row per dataset, baseline and search with acc_mean. Returns search, baseline, rank and
    datasets, the best first.
    """
    complete = table.groupby("baseline")["dataset"].transform("nunique") == table["dataset"].nunique()
    ranks = mean_ranks(table[complete].rename(columns={"search": "model", "baseline": "optimizer"}))
    return ranks.rename(columns={"model": "search", "optimizer": "baseline"})


def critical_difference(n_methods: int, n_datasets: int, level: float = 0.05) -> float:
    """By how much mean ranks over datasets must differ to be significant in the Nemenyi test."""
    if n_methods < 2 or n_datasets < 1:
        raise ValueError(f"2 methods and 1 dataset are the least, got {n_methods} and {n_datasets}")
    from scipy import stats

    q = float(stats.studentized_range.ppf(1 - level, n_methods, np.inf)) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))
