"""evaluate: judge every trained model on its test part; what the tables, figures and claims are made of."""

from typing import Any

import numpy as np
import pandas as pd

from modn import filters, metrics
from modn.dnm import DNM
from modn.loss import cross_entropy
from modn.mlp import MLP
from modn.neuron import Neuron
from stages.config.schema import Parameters
from stages.io import entrypoint, files
from stages.study import claims, tables
from stages.study.cells import Cell, all_cells

CURVE_POINTS = 40  # per loss curve; a picture shows no more, and the file is in git
ROC_POINTS = 41  # per ROC curve
BAND = (0.05, 0.95)  # quantiles over runs, of the loss curves

Arrays = dict[str, np.ndarray]


def evaluate(parameters: Parameters) -> None:
    """Read data/models and data/splits, write the report's tables and metrics, and data/examples.npz."""
    table1 = pd.read_csv(files.TABLE1)
    titles = dict(zip(table1["dataset"], table1["title"], strict=True))
    parts = {name: files.read_arrays(files.SPLITS / f"{name}.npz") for name in titles}
    n_classes = {name: len(arrays["classes"]) for name, arrays in parts.items()}
    shown = parameters.figures
    runs, curves, rocs, examples = [], [], [], Arrays()
    for cell in all_cells(parameters, n_classes):
        labels = {"dataset": cell.dataset, "title": titles[cell.dataset]}
        labels |= {"model": cell.model, "optimizer": cell.optimizer}
        trained = files.read_arrays(files.MODELS / f"{cell.path}.npz")
        rows, points = _judge(cell, trained, parts[cell.dataset])
        runs += [{"study": cell.study, **labels, **row} for row in rows]
        accuracies = [row["acc"] for row in rows]
        if cell.study == "tuned":
            auc = float(np.mean([row["auc"] for row in rows]))
            mean = metrics.mean_roc(points, ROC_POINTS)._asdict()
            rocs.append(pd.DataFrame(mean).assign(**labels, auc=auc))
        if cell.study == "comparison" and f"{cell.model}-{cell.optimizer}" in shown.loss_curves:
            curves += [{**labels, **point} for point in _summarised(trained["curve"])]
        drawn = cell.optimizer == shown.filters_optimizer and cell.dataset in shown.filters
        if cell.study == "comparison" and drawn and cell.family == "modn":
            examples |= _example(cell, trained, accuracies, parts[cell.dataset])
    all_runs = pd.DataFrame(runs)
    baseline_runs = _judge_baselines(parameters, titles)
    printed = {name: pd.read_csv(files.RAW / f"paper/{name}.csv") for name in tables.PRINTED}
    table3 = tables.table3(all_runs, printed["table3_acc_by_optimizer"])
    table5 = tables.table5(all_runs, printed["table5_comparison"])
    made = {
        "table1": table1,
        "table3": table3,
        "table4": tables.table4(all_runs, printed["table4_tuned_hyperparameters"]),
        "table5": table5,
        "baselines": tables.baselines(baseline_runs),
        "claims": claims.check(table3, table5, all_runs),
        "runs": all_runs,
        "baseline_runs": baseline_runs,
        "curves": pd.DataFrame(curves),
        "roc": pd.concat(rocs) if rocs else pd.DataFrame(),
    }
    folder = files.report_folder(parameters.profile)
    with files.replaced_folder(folder / "tables") as fresh:
        for name, frame in made.items():
            files.write_csv(fresh / f"{name}.csv", frame.round(6))
    files.write_json(folder / "metrics.json", tables.headline(table3, table5, made["baselines"]))
    files.write_arrays(files.EXAMPLES, examples)
    print(f"evaluate: {len(all_runs) + len(baseline_runs)} runs")


def _judge(cell: Cell, trained: Arrays, parts: Arrays) -> tuple[list[dict[str, Any]], list[metrics.Roc]]:
    """A row and a ROC curve per run: on the test part; the loss is the training part's."""
    rows, points = [], []
    for run, parameters in enumerate(trained["parameters"]):
        k = run if len(parts["y_test"]) > 1 else 0
        X, y = parts["X_test"][k], parts["y_test"][k]
        D, M, C = X.shape[1], cell.n_dendrites, cell.n_classes
        model: Neuron | DNM | MLP
        idle, loss = 0, float(trained["curve"][run, -1])
        if cell.family == "modn":
            P = trained["P"][run]
            model = Neuron.from_parameters(parameters, P, D, cell.alpha_s, cell.alpha_t)
            idle = int((filters.dendrite_states(P) == "inoperative").sum())
            # not the curve's: Adam's follows another loss than Eq. 10
            loss = cross_entropy(model.predict_proba(parts["X_train"][k]), parts["y_train"][k])
        elif cell.family == "mlp":
            model = MLP.from_parameters(parameters, D, M, C)
        else:
            theta_o = float(trained["theta_o"][run])
            model = DNM.from_parameters(parameters, D, cell.alpha_s, cell.alpha_t, theta_o)
        proba = model.predict_proba(X)
        rows.append(
            {
                "run": run,
                "n_dendrites": M,
                "alpha_s": cell.alpha_s,
                "alpha_t": cell.alpha_t,
                "acc": metrics.accuracy(y, proba),
                "auc": metrics.micro_auc(y, proba),
                "loss": loss,
                "inoperative": idle,
            }
        )
        points.append(metrics.roc_points(y, proba))
    return rows, points


def _judge_baselines(parameters: Parameters, titles: dict[str, str]) -> pd.DataFrame:
    """A row per classifier, search, dataset and resplit; a classifier for two classes has no other ones."""
    rows: list[dict[str, Any]] = []
    for dataset, title in titles.items():
        paths = {name: files.BASELINES / name / f"{dataset}.npz" for name in parameters.baselines}
        fitted = [name for name, path in paths.items() if path.exists()]
        if not fitted:
            continue
        truth = files.read_arrays(files.RESPLITS / f"{dataset}.npz")["y_test"]
        for name in fitted:
            said = files.read_arrays(paths[name])
            for search in ("default", "grid"):
                labels, scores = said[f"{search}_labels"], said[f"{search}_scores"]
                rows += [
                    {
                        "dataset": dataset,
                        "title": title,
                        "baseline": name,
                        "name": parameters.baselines[name].title,
                        "search": search,
                        "run": run,
                        "acc": float(np.mean(labels[run] == y)),
                        "auc": metrics.micro_auc(y, scores[run]),
                    }
                    for run, y in enumerate(truth)
                ]
    return pd.DataFrame(rows, columns=[*tables.BASELINE_CELL, "run", "acc", "auc"])


def _summarised(curves: np.ndarray) -> list[dict[str, Any]]:
    """Mean and band over runs, at evenly spread iterations."""
    budget = curves.shape[1] - 1
    at = np.unique(np.linspace(0, budget, CURVE_POINTS + 1).round().astype(int))
    low, high = np.quantile(curves[:, at], BAND, axis=0)
    columns = zip(at, curves[:, at].mean(axis=0), low, high, strict=True)
    return [{"iteration": i, "budget": budget, "mean": m, "low": lo, "high": hi} for i, m, lo, hi in columns]


def _example(cell: Cell, trained: Arrays, accuracies: list[float], parts: Arrays) -> Arrays:
    """The run with the best accuracy, for the pictures of filters and neurons."""
    best = int(np.argmax(accuracies))
    arrays = {
        "parameters": trained["parameters"][best],
        "P": trained["P"][best],
        "alphas": np.array([cell.alpha_s, cell.alpha_t]),
        "acc": np.array(accuracies[best]),
        "features": parts["features"],
        "classes": parts["classes"],
    }
    return {f"{cell.dataset}/{cell.model}/{key}": value for key, value in arrays.items()}


if __name__ == "__main__":
    entrypoint.run("evaluate", __doc__, evaluate)
