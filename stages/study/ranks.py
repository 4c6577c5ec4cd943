"""Mean ranks of optimizers and of classifiers over datasets, and how large a difference must be."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from stages.study.measures import Measure
from stages.study.measures.acc import MEASURE as ACC
from stages.study.tables import OURS

# Accuracies are ratios of small integers: rounding errors must not break ties.
DECIMALS = 12


def optimizer_ranks(table3: pd.DataFrame) -> pd.DataFrame:
    """Mean ranks of the optimizers in our runs and in the paper: side, model, optimizer, rank, datasets.

    Both sides rank the cells that the paper prints, so that they compare; if it prints none, ours are ranked
    alone. With one optimizer there is nothing to rank.
    """
    printed = table3[table3["paper"].notna()]
    sides = {"ours": printed, "paper": printed.assign(acc_mean=printed["paper"])}
    if printed.empty:
        sides = {"ours": table3}
    if sides["ours"]["optimizer"].nunique() < 2:
        return pd.DataFrame()
    parts = [mean_ranks(table).assign(side=side) for side, table in sides.items()]
    return pd.concat(parts)[["side", "model", "optimizer", "rank", "datasets"]]


def classifier_ranks(
    table: pd.DataFrame, measures: Sequence[Measure], first: Measure = ACC, ours: str = OURS
) -> pd.DataFrame:
    """Each classifier that has all datasets: its mean rank among those of the same search, and its means.

    `table` has a row per dataset, baseline and search. Returns search, baseline, name, datasets, the mean of
    each measure, rank by the first, and the critical difference of the ranks; for each search the best first.
    Then the ranks by the other measures, each among the classifiers that have it everywhere; and on how many
    datasets ours won, tied and lost against the classifier.
    """
    complete = table[table.groupby("baseline")["dataset"].transform("nunique") == table["dataset"].nunique()]
    if complete.empty:
        return pd.DataFrame()
    key = ["search", "baseline"]
    others = [measure for measure in measures if measure != first]
    ranks = _ranks_by(complete, first)
    columns = [f"{measure.name}_mean" for measure in measures]
    means = complete.groupby([*key, "name"], as_index=False)[columns].mean()
    rivals = ranks.groupby("search")["baseline"].transform("nunique")
    n_datasets = table["dataset"].nunique()
    difference = {count: critical_difference(count, n_datasets) for count in set(rivals) if count > 1}
    joined = ranks.merge(means, on=key).assign(critical_difference=rivals.map(difference).fillna(0.0))
    joined = joined[[*key, "name", "datasets", *columns, "rank", "critical_difference"]]
    for measure in others:
        missing = complete[f"{measure.name}_mean"].isna().groupby(complete["baseline"]).transform("any")
        if not missing.all():
            own = _ranks_by(complete[~missing], measure)[[*key, "rank"]]
            joined = joined.merge(own.rename(columns={"rank": f"{measure.name}_rank"}), on=key, how="left")
    return joined.merge(_against_ours(complete, first, ours), on=key, how="left")


def _ranks_by(table: pd.DataFrame, measure: Measure) -> pd.DataFrame:
    ranks = mean_ranks(table.rename(columns={"search": "model", "baseline": "optimizer"}), measure)
    return ranks.rename(columns={"model": "search", "optimizer": "baseline"})


def _against_ours(table: pd.DataFrame, measure: Measure, ours: str) -> pd.DataFrame:
    """On how many datasets our mean is better, equal and worse, by search and classifier."""
    rows = []
    for search, cells in table.groupby("search", sort=False):
        values = cells.pivot_table(index="dataset", columns="baseline", values=f"{measure.name}_mean")
        means = measure.better(values)
        if ours in means:
            ahead = np.sign(-means.sub(means[ours], axis=0).round(DECIMALS))
            for name in ahead.columns.drop(ours):
                counts = [int((ahead[name] == sign).sum()) for sign in (1, 0, -1)]
                rows.append((search, name, *counts))
    return pd.DataFrame(rows, columns=["search", "baseline", "won", "tied", "lost"])


def mean_ranks(table: pd.DataFrame, measure: Measure = ACC) -> pd.DataFrame:
    """Mean rank of each optimizer over the datasets, model by model; 1 is the best, ties share their ranks.

    `table` has a row per cell with dataset, model, optimizer and the measure's mean. Ranks among different
    sets of optimizers do not compare, so a model is ranked where all of its optimizers have a value.
    Returns a row per pair: model, optimizer, rank, datasets (how many the mean is over), the best first.
    """
    if table.empty:
        raise ValueError("table is empty: there are no accuracies to rank")
    if table.duplicated(["dataset", "model", "optimizer"]).any():
        raise ValueError("table must have one row per dataset, model and optimizer; some occur twice")
    rows = []
    for model, cells in table.groupby("model", sort=False):
        means = cells.pivot_table(
            index="dataset", columns="optimizer", values=f"{measure.name}_mean"
        ).dropna()
        if means.empty:
            raise ValueError(f"no dataset has a value of every optimizer of the model {model!r}")
        ranks = measure.better(means.round(DECIMALS)).rank(axis=1, ascending=False).mean()
        ranks = ranks.sort_values(kind="stable")
        rows += [(model, optimizer, rank, len(means)) for optimizer, rank in ranks.items()]
    return pd.DataFrame(rows, columns=["model", "optimizer", "rank", "datasets"])


def critical_difference(n_methods: int, n_datasets: int, level: float = 0.05) -> float:
    """By how much mean ranks over datasets must differ to be significant in the Nemenyi test."""
    if n_methods < 2 or n_datasets < 1:
        raise ValueError(
            f"there are {n_methods} methods and {n_datasets} datasets; allowed: at least 2 and 1"
        )
    from scipy import stats

    q = float(stats.studentized_range.ppf(1 - level, n_methods, np.inf)) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))
