"""evaluate: judge every trained model on its test part, and make the report's tables and metrics."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from modn import metrics
from stages.config.schema import Parameters
from stages.io import entrypoint, files
from stages.study import (
    arena,
    circuits,
    claims,
    families,
    learned_filter,
    measures,
    names,
    ranks,
    summary,
    tables,
    targets,
    tuning,
)
from stages.study.baselines import LEFT_OUT, SEARCHES, suits
from stages.study.cells import RETUNED, Cell, all_cells
from stages.study.measures import Measure
from stages.study.measures.acc import MEASURE as ACC
from stages.study.measures.auc import MEASURE as AUC

DECIMALS = 6  # of the tables
FINE = 12  # of tables derived from them: double rounding is too small to see in a figure
CURVE_POINTS = 40  # per loss curve: enough for a figure, and the file is in git
ROC_POINTS = 41  # per ROC curve
BAND = (0.05, 0.95)  # quantiles over runs, of the loss curves

Arrays = dict[str, np.ndarray]


def evaluate(parameters: Parameters) -> None:
    """Read data/models and data/splits, write the report's tables and metrics, and data/examples.npz."""
    names.use(parameters.derived["titles"])
    chosen = measures.chosen(parameters.measures)
    table1 = files.read_csv(files.TABLE1)
    titles = dict(zip(table1["dataset"], table1["title"], strict=True))
    parts = {name: files.read_arrays(files.SPLITS / f"{name}.npz") for name in titles}
    n_classes = {name: len(arrays["classes"]) for name, arrays in parts.items()}
    shown = parameters.figures
    runs, curves, rocs, examples = [], [], [], Arrays()
    for cell in all_cells(parameters, n_classes, tuning.values_found(parameters)):
        labels = {"dataset": cell.dataset, "title": titles[cell.dataset]}
        labels |= {"model": cell.model, "optimizer": cell.optimizer}
        trained = files.read_arrays(files.MODELS / f"{cell.path}.npz")
        rows, points = _judge(cell, trained, parts[cell.dataset], chosen)
        runs += [{"study": cell.study, **labels, **row} for row in rows]
        if cell.study == "tuned":
            auc = float(np.mean([row[AUC.name] for row in rows]))
            mean = metrics.mean_roc(points, ROC_POINTS)._asdict()
            rocs.append(pd.DataFrame(mean).assign(**labels, auc=auc))
        if cell.study == "comparison" and f"{cell.model}-{cell.optimizer}" in shown.loss_curves:
            curves += [{**labels, **point} for point in _summarised(trained["curve"])]
        drawn = cell.optimizer == shown.filters_optimizer and cell.dataset in shown.filters
        if cell.study == "comparison" and drawn and "P" in trained:
            accuracies = [row[ACC.name] for row in rows]
            examples |= _example(cell, trained, accuracies, parts[cell.dataset], parameters.seed)
    of_baselines = measures.of_baselines(parameters.measures, parameters.baseline_measures)
    extra_titles = {name: dataset.title for name, dataset in parameters.extra.datasets.items()}
    baseline_runs = _judge_baselines("baselines", parameters, titles, of_baselines)
    first_circuits = circuits.first_circuits(parameters)
    tuning_trials, searches = tuning.judge(parameters, titles, parts)
    arena_runs, arena_curves = arena.read(parameters, titles)
    own = {
        "table1": table1,
        "runs": pd.DataFrame(runs),
        "baseline_runs": baseline_runs,
        "extra_runs": _judge_baselines("extra", parameters, extra_titles, of_baselines),
        "extra_datasets": _sizes(extra_titles),
        "circuit_runs": circuits.runs(parameters, titles, baseline_runs),
        "circuit_cells": circuits.cells(first_circuits, titles),
        "target_runs": targets.runs(parameters),
        "target_datasets": targets.sizes(parameters),
        "tuning_trials": tuning_trials,
        "tuning": searches,
        "arena": arena.summary(arena_runs),
        "arena_curves": arena.mean_curves(arena_curves),
        "arena_targets": arena.reached(arena_curves, parameters.arena.targets),
        "arena_costs": arena.costs(parameters),
        "curves": pd.DataFrame(curves),
        "roc": pd.concat(rocs) if rocs else pd.DataFrame(),
    }
    summaries = summarise(own, chosen, of_baselines)
    compared = own["runs"].query("study == 'comparison'").assign(protocol=parameters.split.protocol)
    competed = arena.at_the_largest_budget(arena_runs).assign(protocol=arena.PROTOCOL)
    both = pd.concat([compared, competed], ignore_index=True)
    summaries |= learned_filter.tables(both, parameters.figures.learned_filter)
    written = {name: frame.round(DECIMALS) for name, frame in (own | summaries).items()}
    written |= derive(written, chosen, of_baselines)
    folder = files.report_folder(parameters.profile)
    with files.replaced_folder(folder / "tables") as fresh:
        for name, frame in written.items():
            files.write_csv(fresh / f"{name}.csv", frame)
    fitted = {study: summaries[study] for study in SEARCHES}
    trained = {"comparison": summaries["table3"], "tuned": summaries["table5"]}
    if not summaries["table5_retuned"].empty:
        trained[RETUNED] = summaries["table5_retuned"]
    headline = tables.headline(trained, fitted, chosen, of_baselines)
    headline["circuits"] = circuits.headline(summaries["circuits"])
    headline["targets"] = targets.headline(summaries["targets"])
    files.write_json(folder / "metrics.json", headline)
    shown_first = ("table3", "classifier_ranks", "extra_ranks", "closeness", "claims")
    files.write_json(folder / "summary.json", summary.headlines(*(written[name] for name in shown_first)))
    files.write_arrays(files.EXAMPLES, examples | circuits.drawn(parameters, first_circuits))
    judged = sum(len(frame) for name, frame in own.items() if name.endswith("runs")) + len(arena_runs)
    print(f"evaluate: {judged} runs")


def summarise(
    own: Mapping[str, pd.DataFrame], chosen: Sequence[Measure], of_baselines: Sequence[Measure]
) -> dict[str, pd.DataFrame]:
    """The paper's tables and claims, and those of the other studies, from all runs."""
    runs = own["runs"]
    printed = {name: files.read_csv(files.RAW / f"paper/{name}.csv") for name in tables.PRINTED}
    table3 = tables.table3(runs, printed["table3_acc_by_optimizer"], chosen)
    table5 = tables.table5(runs, printed["table5_comparison"], chosen)
    retuned = tables.table5(runs, printed["table5_comparison"], chosen, RETUNED)
    return {
        "table3": table3,
        "table4": tables.table4(runs, printed["table4_tuned_hyperparameters"]),
        "table5": table5,
        "table5_retuned": retuned,
        "claims": claims.check(
            runs, table5, printed["table3_acc_by_optimizer"], printed["table5_comparison"]
        ),
        "baselines": tables.baselines(own["baseline_runs"], of_baselines),
        "extra": tables.baselines(own["extra_runs"], of_baselines),
        "circuits": circuits.summary(own["circuit_runs"]),
        "circuit_sizes": circuits.sizes(own["circuit_runs"]),
        "targets": targets.summary(own["target_runs"]),
    }


def derive(
    written: Mapping[str, pd.DataFrame], chosen: Sequence[Measure], of_baselines: Sequence[Measure]
) -> dict[str, pd.DataFrame]:
    """Tables that follow from others as those are written, so that a reader can recompute them."""
    derived = {
        "closeness": tables.closeness(written["table3"]),
        "sensitivity": tables.sensitivity(written["runs"], chosen),
        "optimizer_ranks": ranks.optimizer_ranks(written["table3"]),
        "classifier_ranks": ranks.classifier_ranks(written["baselines"], of_baselines),
        "extra_ranks": ranks.classifier_ranks(written["extra"], of_baselines),
        "target_ranks": targets.ranked(written["targets"]),
        "arena_ranks": arena.mean_ranks(written["arena"]),
    }
    return {name: frame.round(FINE) for name, frame in derived.items()}


def _judge(
    cell: Cell, trained: Arrays, parts: Arrays, chosen: Sequence[Measure]
) -> tuple[list[dict[str, Any]], list[metrics.Roc]]:
    """A row and a ROC curve per run, both of the test part; its loss is that of the training part."""
    family = families.get(cell.family)
    rows, points = [], []
    for run in range(len(trained["parameters"])):
        k = run if len(parts["y_test"]) > 1 else 0
        X, y = parts["X_test"][k], parts["y_test"][k]
        arrays = {key: values[run] for key, values in trained.items()}
        model = family.model(cell, arrays, X.shape[1])
        proba = model.predict_proba(X)
        rows.append(
            {
                "run": run,
                "n_dendrites": cell.n_dendrites,
                "alpha_s": cell.alpha_s,
                "alpha_t": cell.alpha_t,
                **{measure.name: measure.compute(y, proba.argmax(axis=1), proba) for measure in chosen},
                **family.facts(model, arrays, parts["X_train"][k], parts["y_train"][k]),
            }
        )
        points.append(metrics.roc_points(y, proba))
    return rows, points


def _judge_baselines(
    study: str, parameters: Parameters, titles: Mapping[str, str], chosen: Sequence[Measure]
) -> pd.DataFrame:
    """A row per dataset, classifier, search and resplit; without classifiers that `fit` left out."""
    fitted = {
        name: own
        for name, own in parameters.baselines.items()
        if not (files.MODELS / study / name / LEFT_OUT).exists()
    }
    rows: list[dict[str, Any]] = []
    for dataset, title in titles.items():
        if not fitted:
            break
        resplits = files.read_arrays(files.resplits_of(study) / f"{dataset}.npz")
        truth, n_classes = resplits["y_test"], len(resplits["classes"])
        for name in [name for name, own in fitted.items() if suits(own, n_classes)]:
            predictions = files.read_arrays(files.MODELS / study / name / f"{dataset}.npz")
            for search in [search for search in tables.SEARCHES if f"{search}_labels" in predictions]:
                labels, scores = predictions[f"{search}_labels"], predictions[f"{search}_scores"]
                rows += [
                    {
                        "dataset": dataset,
                        "title": title,
                        "baseline": name,
                        "name": parameters.baselines[name].title,
                        "search": search,
                        "run": run,
                        **{measure.name: measure.compute(y, labels[run], scores[run]) for measure in chosen},
                    }
                    for run, y in enumerate(truth)
                ]
    return pd.DataFrame(rows, columns=[*tables.BASELINE_CELL, "run", *(m.name for m in chosen)])


def _sizes(titles: Mapping[str, str]) -> pd.DataFrame:
    """Rows, features and classes of the extra datasets."""
    rows = []
    for dataset, title in titles.items():
        parts = files.read_arrays(files.EXTRA / f"{dataset}.npz")
        train, test = (parts[f"y_{part}"].shape[1] for part in ("train", "test"))
        sizes = {"train": train, "test": test, "classes": len(parts["classes"])}
        rows.append({"dataset": dataset, "title": title, **sizes, "features": len(parts["features"])})
    return pd.DataFrame(rows)


def _summarised(curves: np.ndarray) -> list[dict[str, Any]]:
    """Mean and band over runs, at evenly spread iterations."""
    budget = curves.shape[1] - 1
    at = np.unique(np.linspace(0, budget, CURVE_POINTS + 1).round().astype(int))
    low, high = np.quantile(curves[:, at], BAND, axis=0)
    columns = zip(at, curves[:, at].mean(axis=0), low, high, strict=True)
    return [{"iteration": i, "budget": budget, "mean": m, "low": lo, "high": hi} for i, m, lo, hi in columns]


def _example(cell: Cell, trained: Arrays, accuracies: list[float], parts: Arrays, first_seed: int) -> Arrays:
    """The run with the best accuracy, for the pictures of filters and neurons."""
    best = int(np.argmax(accuracies))
    arrays = {
        "parameters": trained["parameters"][best],
        "P": trained["P"][best],
        "alphas": np.array([cell.alpha_s, cell.alpha_t]),
        "acc": np.array(accuracies[best]),
        "runs": np.array(len(accuracies)),
        "seed": np.array(first_seed + best),
        "features": parts["features"],
        "classes": parts["classes"],
    }
    return {f"{cell.dataset}/{cell.model}/{key}": value for key, value in arrays.items()}


if __name__ == "__main__":
    entrypoint.run("evaluate", __doc__, evaluate)
