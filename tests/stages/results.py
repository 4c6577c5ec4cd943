"""Made-up results, as evaluate writes them, for tests of figures and reports."""

import itertools
from typing import Any

import numpy as np
import pandas as pd

from modn import filters, metrics
from modn.neuron import Neuron
from stages import evaluate
from stages.io import files
from stages.study import measures
from stages.study.figures._material import EXAMPLES, Example
from stages.study.tables import BASELINE_CELL

PAPER = files.RAW / "paper"
TABLE1 = pd.read_csv(PAPER / "table1_datasets.csv").rename(columns={"name": "title"})
TITLES: dict[str, str] = TABLE1.set_index("dataset")["title"].to_dict()
CHOSEN = measures.chosen([*measures.OF_THE_PAPER, *sorted(set(measures.names()) - {*measures.OF_THE_PAPER})])

Material = dict[str, Any]


def make_runs() -> pd.DataFrame:
    """Runs of all three studies; the comparison has a seventh optimizer that the paper lacks."""
    rng = np.random.default_rng(0)
    printed = pd.read_csv(PAPER / "table3_acc_by_optimizer.csv").dropna()
    exact = printed[printed["optimizer"] == "bp"].assign(optimizer="bp_exact")
    compared = pd.concat([printed, exact]).assign(
        study="comparison", n_dendrites=12, alpha_s=10.0, alpha_t=1.0
    )
    methods = {"mlp": "bp", "dnm": "bbo", "modn": "bbo"}
    tuned = pd.read_csv(PAPER / "table5_comparison.csv").rename(columns={"method": "model"})
    tuned = tuned.assign(study="tuned", optimizer=tuned["model"].map(methods), n_dendrites=12)
    points = [(M, 10.0, 1.0) for M in range(4, 21, 2)]
    points += [(12, s, t) for s in (1.0, 5.0, 10.0) for t in (0.1, 0.5, 1.0, 2.0) if (s, t) != (10.0, 1.0)]
    swept = pd.DataFrame(
        [
            ("sensitivity", name, "modn", "bbo", *point, 0.75)
            for name in ("raisin", "iris")
            for point in points
        ],
        columns=["study", "dataset", "model", "optimizer", "n_dendrites", "alpha_s", "alpha_t", "acc"],
    )
    cells = pd.concat([compared, tuned.assign(alpha_s=10.0, alpha_t=1.0), swept], ignore_index=True)
    cells["title"] = cells["dataset"].map(TITLES)
    runs = pd.concat([cells.assign(run=run) for run in range(3)], ignore_index=True)
    runs["acc"] = np.clip(runs["acc"] + rng.normal(0, 0.03, len(runs)), 0, 0.98)
    runs = runs.assign(loss=0.5, inoperative=0, auc=0.9)
    return runs.assign(**{measure.name: 0.9 for measure in CHOSEN if measure.name not in runs})


def make_baseline_runs() -> pd.DataFrame:
    """Four classifiers on all datasets, one of them far behind, and one on two datasets only."""
    skills = {"modn": 0.9, "knn": 0.88, "svm": 0.91, "last": 0.2}
    rng = np.random.default_rng(5)
    rows = [
        (dataset, TITLES[dataset], name, f"The {name}", search, 0, skill + rng.uniform(0, 0.05))
        for dataset in TITLES
        for name, skill in [*skills.items(), *([("dnm", 0.5)] if dataset in ("iris", "wine") else [])]
        for search in ("default", "grid")
    ]
    runs = pd.DataFrame(rows, columns=[*BASELINE_CELL, "run", "acc"])
    return runs.assign(**{measure.name: 0.9 for measure in CHOSEN if measure.name != "acc"})


def make_curves() -> pd.DataFrame:
    """Loss curves of the five pairs of Fig. 5."""
    pairs = [("modn", "bbo"), ("modnp", "bbo"), ("modnf", "bbo"), ("modnp", "bp"), ("modnf", "bp")]
    parts = []
    for number, (dataset, (model, optimizer)) in enumerate(itertools.product(TITLES, pairs)):
        budget = 3000 if optimizer == "bp" else 300 if dataset == "iris" else 400
        iteration = np.linspace(0, budget, 21)
        mean = 0.3 + 0.01 * number + np.exp(-iteration / 100)
        cell = {"dataset": dataset, "title": TITLES[dataset], "model": model, "optimizer": optimizer}
        values = {
            "iteration": iteration,
            "budget": budget,
            "mean": mean,
            "low": mean - 0.1,
            "high": mean + 0.1,
        }
        parts.append(pd.DataFrame(cell | values))
    return pd.concat(parts, ignore_index=True)


def make_rocs() -> pd.DataFrame:
    """Mean ROC curves of three methods on all datasets."""
    rng = np.random.default_rng(2)
    parts = []
    for dataset, (skill, (model, optimizer)) in itertools.product(
        TITLES, enumerate([("mlp", "bp"), ("dnm", "bbo"), ("modn", "bbo")])
    ):
        y = rng.integers(3, size=(2, 40))
        scores = rng.normal(size=(2, 40, 3)) + skill * (y[..., None] == np.arange(3))
        curve = metrics.mean_roc(
            [metrics.roc_points(*run) for run in zip(y, scores, strict=True)], n_points=21
        )
        cell = {"dataset": dataset, "title": TITLES[dataset], "model": model, "optimizer": optimizer}
        parts.append(pd.DataFrame(cell | curve._asdict() | {"auc": 0.7 + 0.1 * skill}))
    return pd.concat(parts, ignore_index=True)


def make_examples() -> list[Example]:
    """Neurons of three models on three datasets."""
    rng = np.random.default_rng(3)
    result = []
    for dataset, M, C in (("caesarian", 20, 2), ("iris", 30, 3), ("glass", 60, 6)):
        learned = rng.random((M, C)) < 0.5
        filters_ = {"modn": learned, "modnp": filters.partition(M, C), "modnf": filters.full(M, C)}
        for model, P in filters_.items():
            w_s, theta_s = rng.uniform(-1, 1, (2, 4, M))
            neuron = Neuron(w_s, theta_s, P, rng.random(C), rng.random(C), alpha_s=10.0, alpha_t=1.0)
            features, classes = [f"feature {i}" for i in range(4)], [f"class {c}" for c in range(C)]
            result.append(
                Example(dataset, TITLES[dataset], model, neuron, features, classes, 0.5 + 0.01 * M, 101, 3)
            )
    return result


def make_material(
    runs: pd.DataFrame, baseline_runs: pd.DataFrame, curves: pd.DataFrame, rocs: pd.DataFrame
) -> Material:
    """What evaluate would write from these."""
    default = baseline_runs[baseline_runs["search"] == "default"]
    tables = {"table1": TABLE1, "runs": runs, "baseline_runs": baseline_runs, "curves": curves, "roc": rocs}
    tables |= {"extra_runs": default, "extra_datasets": TABLE1}  # as if the paper's were the extra ones
    tables |= evaluate.summarise(tables, CHOSEN, CHOSEN)
    return tables | evaluate.derive(tables, CHOSEN, CHOSEN) | {EXAMPLES: make_examples()}
