"""evaluate: judge every trained neuron on its test part; tables, curves and metrics for the report."""

from typing import Any

import numpy as np
import pandas as pd

from modn import metrics
from modn.neuron import Neuron
from stages import entrypoint, files
from stages.schema import Parameters

CURVE_POINTS = 60  # per curve; a picture shows no more, and the file is in git


def evaluate(parameters: Parameters) -> None:
    """Read data/models and data/splits, write tables/ and metrics.json of the report."""
    table1 = pd.read_csv(files.TABLE1)
    titles = dict(zip(table1["dataset"], table1["title"], strict=True))
    runs, curves = [], []
    for name, pair in parameters.derived["pairs"].items():
        for dataset, title in titles.items():
            cell = {
                "dataset": dataset,
                "title": title,
                "model": pair["model"],
                "optimizer": pair["optimizer"],
            }
            trained = files.read_arrays(files.MODELS / name / f"{dataset}.npz")
            runs += _judge(cell, trained, files.read_arrays(files.SPLITS / f"{dataset}.npz"))
            curves += _summarise_curves(cell, trained["curve"])
    all_runs = pd.DataFrame(runs)
    table3 = _table3(all_runs)
    folder = files.report_folder(parameters.profile)
    files.write_csv(folder / "tables/table1.csv", table1)
    files.write_csv(folder / "tables/table3.csv", table3)
    files.write_csv(folder / "tables/runs.csv", all_runs)
    files.write_csv(folder / "tables/curves.csv", pd.DataFrame(curves))
    files.write_json(folder / "metrics.json", _metrics(table3))
    print(f"evaluate: {len(all_runs)} runs of {len(table3)} cells")


def _judge(
    cell: dict[str, str], trained: dict[str, np.ndarray], parts: dict[str, np.ndarray]
) -> list[dict[str, Any]]:
    """A row per run: accuracy and AUC on the test part, loss on the training part."""
    rows = []
    for run, (row, P) in enumerate(zip(trained["parameters"], trained["P"], strict=True)):
        k = run if len(parts["y_test"]) > 1 else 0
        X, y = parts["X_test"][k], parts["y_test"][k]
        alpha_s, alpha_t = float(trained["alpha_s"]), float(trained["alpha_t"])
        neuron = Neuron.from_parameters(row, P, X.shape[1], alpha_s, alpha_t)
        proba = neuron.predict_proba(X)
        rows.append(
            {
                "study": "comparison",
                **cell,
                "run": run,
                "n_dendrites": neuron.n_dendrites,
                "alpha_s": neuron.alpha_s,
                "alpha_t": neuron.alpha_t,
                "acc": metrics.accuracy(y, proba),
                "auc": metrics.micro_auc(y, proba),
                "loss": trained["curve"][run, -1],
            }
        )
    return rows


def _summarise_curves(cell: dict[str, str], curves: np.ndarray) -> list[dict[str, Any]]:
    """Mean and interval over runs, at evenly spread iterations."""
    budget = curves.shape[1] - 1
    rows = []
    for iteration in np.unique(np.linspace(0, budget, CURVE_POINTS + 1).round().astype(int)):
        mean, _, low, high = metrics.mean_interval(curves[:, iteration])
        rows.append(
            {**cell, "iteration": iteration, "budget": budget, "mean": mean, "low": low, "high": high}
        )
    return rows


def _table3(runs: pd.DataFrame) -> pd.DataFrame:
    """Table 3: a row per cell, ours and the paper's."""
    keys = ["dataset", "model", "optimizer"]
    rows = []
    for (dataset, title, model, optimizer), group in runs.groupby(
        ["dataset", "title", *keys[1:]], sort=False
    ):
        acc = metrics.mean_interval(group["acc"])
        rows.append(
            {
                "dataset": dataset,
                "title": title,
                "model": model,
                "optimizer": optimizer,
                "runs": len(group),
                "acc_mean": acc.mean,
                "acc_std": acc.std,
                "acc_low": acc.low,
                "acc_high": acc.high,
                "auc_mean": group["auc"].mean(),
            }
        )
    printed = pd.read_csv(files.RAW / "paper/table3_acc_by_optimizer.csv").rename(columns={"acc": "paper"})
    table = pd.DataFrame(rows).merge(printed, on=keys, how="left")
    table["difference"] = table["acc_mean"] - table["paper"]
    return table


def _metrics(table3: pd.DataFrame) -> dict[str, Any]:
    """Few and stable numbers, for `dvc metrics diff`."""
    result: dict[str, Any] = {}
    for (model, optimizer), cells in table3.groupby(["model", "optimizer"]):
        result[f"{model}-{optimizer}"] = {
            "acc": {row.dataset: round(row.acc_mean, 6) for row in cells.itertuples()},
            "mean_acc": round(cells["acc_mean"].mean(), 6),
            "mean_auc": round(cells["auc_mean"].mean(), 6),
        }
        if cells["difference"].notna().any():
            result[f"{model}-{optimizer}"]["mean_abs_difference_to_paper"] = round(
                cells["difference"].abs().mean(), 6
            )
    return result


if __name__ == "__main__":
    entrypoint.run("evaluate", __doc__, evaluate)
