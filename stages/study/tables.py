"""The paper's tables made from our runs, with the printed values beside them."""

from typing import Any

import pandas as pd

from modn import metrics

PRINTED = ("table3_acc_by_optimizer", "table4_tuned_hyperparameters", "table5_comparison")
CELL = ["dataset", "title", "model", "optimizer"]
BASELINE_CELL = ["dataset", "title", "baseline", "name", "search"]


def table3(runs: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Table 3: accuracy of every model with every optimizer."""
    ours = _summary(runs[runs["study"] == "comparison"], CELL)
    keys = ["dataset", "model", "optimizer"]
    table = ours.merge(printed.rename(columns={"acc": "paper"}), on=keys, how="left")
    table["difference"] = table["acc_mean"] - table["paper"]
    return table


def table4(runs: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Table 4: the values each dataset was tuned to, as run and as printed."""
    tuned = runs[runs["study"] == "tuned"]
    values = tuned[["dataset", "title", "n_dendrites", "alpha_s", "alpha_t"]].drop_duplicates("dataset")
    names = {"M": "paper_n_dendrites", "alpha_s": "paper_alpha_s", "alpha_t": "paper_alpha_t"}
    return values.merge(printed.rename(columns=names), on="dataset", how="left")


def table5(runs: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Table 5: MODN against the other methods, run by run; p is doubled where there are two comparisons."""
    tuned = runs[runs["study"] == "tuned"]
    table = _summary(tuned, CELL).assign(w_plus=float("nan"), w_minus=float("nan"), p=float("nan"))
    for row in table.itertuples():
        of_dataset = tuned[tuned["dataset"] == row.dataset]
        ours, theirs = _accuracies(of_dataset, "modn"), _accuracies(of_dataset, row.model, row.optimizer)
        if row.model != "modn" and len(ours):
            comparisons = of_dataset["model"].nunique() - 1  # DNM and MLP, or MLP alone
            test = metrics.wilcoxon(ours, theirs, comparisons)
            table.loc[row.Index, list(test._fields)] = list(test)
    names = {"method": "model", "acc": "paper_acc", "auc": "paper_auc", "p_value_bonferroni": "paper_p"}
    names |= {"w_plus": "paper_w_plus", "w_minus": "paper_w_minus"}
    return table.merge(printed.rename(columns=names), on=["dataset", "model"], how="left")


def baselines(runs: pd.DataFrame) -> pd.DataFrame:
    """Every classifier of the baselines on every dataset."""
    return _summary(runs, BASELINE_CELL)


def headline(table3: pd.DataFrame, table5: pd.DataFrame, baselines: pd.DataFrame) -> dict[str, Any]:
    """Few and stable numbers, for `dvc metrics diff`."""
    result: dict[str, Any] = {"comparison": {}, "tuned": {}, "baselines": {}}
    for (model, optimizer), cells in table3.groupby(["model", "optimizer"]):
        entry = {"acc": _rounded(cells["acc_mean"].mean()), "auc": _rounded(cells["auc_mean"].mean())}
        if cells["difference"].notna().any():
            entry["distance_to_paper"] = _rounded(cells["difference"].abs().mean())
        result["comparison"][f"{model}-{optimizer}"] = entry
    for (model, optimizer), cells in table5.groupby(["model", "optimizer"]):
        result["tuned"][f"{model}-{optimizer}"] = {
            "acc": _rounded(cells["acc_mean"].mean()),
            "auc": _rounded(cells["auc_mean"].mean()),
        }
    for (baseline, search), cells in baselines.groupby(["baseline", "search"]):
        result["baselines"][f"{baseline}-{search}"] = {
            "acc": _rounded(cells["acc_mean"].mean()),
            "auc": _rounded(cells["auc_mean"].mean()),
        }
    return result


def _summary(runs: pd.DataFrame, cell: list[str]) -> pd.DataFrame:
    """A row per cell: mean, deviation and interval of the accuracy over runs, and the mean AUC."""
    rows = []
    for key, group in runs.groupby(cell, sort=False):
        acc = metrics.mean_interval(group["acc"])
        row = dict(zip(cell, key, strict=True))
        row |= {"runs": len(group), "acc_mean": acc.mean, "acc_std": acc.std}
        # an accuracy lies in [0, 1], whatever Student's interval of three runs says
        row |= {"acc_low": max(acc.low, 0.0), "acc_high": min(acc.high, 1.0), "auc_mean": group["auc"].mean()}
        rows.append(row)
    columns = [*cell, "runs", "acc_mean", "acc_std", "acc_low", "acc_high", "auc_mean"]
    return pd.DataFrame(rows, columns=columns)


def _accuracies(runs: pd.DataFrame, model: str, optimizer: str | None = None) -> pd.Series:
    chosen = runs[(runs["model"] == model) & ((runs["optimizer"] == optimizer) if optimizer else True)]
    return chosen.sort_values("run")["acc"]


def _rounded(value: float) -> float:
    return round(float(value), 4)
