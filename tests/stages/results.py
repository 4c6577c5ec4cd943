"""Made-up results, as evaluate writes them, for tests of figures and reports."""

import itertools
from typing import Any

import numpy as np
import pandas as pd

from modn import filters, metrics
from modn.explain.circuit import Circuit, Condition, Feature
from modn.neuron import Neuron
from stages import evaluate
from stages.io import files
from stages.study import arena, circuits, learned_filter, measures, tuning
from stages.study.figures._material import CIRCUIT, EXAMPLES, DrawnCircuit, Example
from stages.study.tables import BASELINE_CELL

PAPER = files.RAW / "paper"
TABLE1 = pd.read_csv(PAPER / "table1_datasets.csv").rename(columns={"name": "title"})
TITLES: dict[str, str] = TABLE1.set_index("dataset")["title"].to_dict()
OF_CLASSES = set(measures.names("classification"))
CHOSEN = measures.chosen([*measures.OF_THE_PAPER, *sorted(OF_CLASSES - {*measures.OF_THE_PAPER})])
TARGETS = pd.DataFrame(
    [
        ("regression", "yacht", "Yacht resistance", 200, 100, 1, 6),
        ("labels", "moods", "Moods of music", 70, 30, 6, 9),
    ],
    columns=["task", "dataset", "title", "train", "test", "targets", "features"],
)

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
    runs = runs.assign(loss=0.5, inoperative=0, communal=3, moved=0.25, auc=0.9)
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


def make_circuit_runs() -> pd.DataFrame:
    """A neuron, its circuit and two more models at their own size; all but the neuron at three others."""
    rng = np.random.default_rng(6)
    skills = {"neuron": ("Neuron", 0.9), "circuit": ("Circuit", 0.88), "tree": ("Decision tree", 0.8)}
    skills["figs"] = ("FIGS", 0.82)
    rows = [
        (dataset, title, model, name, size, run, skill + rng.uniform(0, 0.05), size, 2.0 * size)
        for dataset, title in TITLES.items()
        for model, (name, skill) in skills.items()
        for size in ((np.nan,) if model == "neuron" else (np.nan, 1, 8, 30))
        for run in range(2)
    ]
    runs = pd.DataFrame(rows, columns=circuits.RUN)
    own = runs["size"].isna() & (runs["model"] != "neuron")
    return runs.assign(conditions=runs["conditions"].where(~own, 10.0), gates=runs["gates"].where(~own, 20.0))


def make_target_runs() -> pd.DataFrame:
    """Two models for numbers, three for labels, on two resplits of a dataset each."""
    rng = np.random.default_rng(7)
    skills = {"modn_adam": ("MODN (Adam)", 0.8), "linear": ("Linear", 0.6)}
    rows = [
        {"task": task, "dataset": dataset, "title": title, "baseline": model, "name": name}
        | {"search": "default", "run": run}
        | {m: skill + rng.uniform(0, 0.1) for m in measures.names(task)}
        for task, dataset, title in TARGETS[["task", "dataset", "title"]].itertuples(index=False)
        for model, (name, skill) in (skills | ({"svm": ("SVM", 0.7)} if task == "labels" else {})).items()
        for run in range(2)
    ]
    return pd.DataFrame(rows)


def make_circuit() -> list[DrawnCircuit]:
    """Two rules of three classes, with a name that is long."""
    features = (
        Feature("petal length"),
        Feature("a feature whose name has more words than a picture has room"),
    )
    rules = ((Condition(0, "<", 2.45),), (Condition(0, ">=", 2.45), Condition(1, "<", 1.75)))
    classes = np.array(["setosa", "versicolor", "virginica"])
    weights, offsets = np.array([[2, 0, 0], [0, 2, 0]]), np.array([1, 1, 0])
    return [DrawnCircuit("Iris", Circuit(features, classes, rules, weights, offsets), 100)]


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


def make_arena() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Runs and curves of three optimizers, one of which cannot train MODN, at two budgets."""
    rng = np.random.default_rng(7)
    skills = {"bbo": 0.5, "adam": 0.3, "bp": 0.9}
    marks = np.array([100, 300, 1000, 3000, 10000])
    rows, curves = [], []
    for dataset, model, (optimizer, skill), run in itertools.product(
        TITLES, ("modn", "modnp", "modnf"), skills.items(), range(2)
    ):
        if (model, optimizer) == ("modn", "bp"):
            continue
        entry = {"dataset": dataset, "title": TITLES[dataset], "model": model, "optimizer": optimizer}
        losses = 1.1 - (1.1 - skill) * marks / marks[-1] + rng.uniform(0, 0.05)
        losses[0] = np.inf if optimizer == "adam" else losses[0]
        curves.append(pd.DataFrame({**entry, "run": run, "guess": 1.1, "evaluations": marks, "loss": losses}))
        for budget in (1000, 10000):
            loss = losses[marks == budget][0]
            acc = 1 - loss / 2 + rng.uniform(0, 0.02)
            rows.append(
                {**entry, "run": run, "budget": budget, "acc": acc, "evaluations": budget, "loss": loss}
            )
    return pd.DataFrame(rows), pd.concat(curves, ignore_index=True)


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


def make_retuned(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs of Table 5, one point better."""
    tuned = runs[runs["study"] == "tuned"]
    return tuned.assign(study="retuned", acc=tuned["acc"] + 0.01)


def make_searches() -> pd.DataFrame:
    """Searches of two methods on all datasets; an MLP has no alphas."""
    of_modn = TABLE1[["dataset", "title"]].assign(model="modn", optimizer="bbo", alpha_s=5.0, alpha_t=0.5)
    of_mlp = of_modn.assign(model="mlp", optimizer="bp", alpha_s=np.nan, alpha_t=np.nan)
    numbers = {"dendrites": 8, "trials": 20, "complete": 9, "cv": 0.8, "by_cv": 0.78, "by_test": 0.82}
    return pd.concat([of_modn, of_mlp], ignore_index=True).assign(**numbers, optimism=0.03)[tuning.SEARCH]


def make_material(
    runs: pd.DataFrame, baseline_runs: pd.DataFrame, curves: pd.DataFrame, rocs: pd.DataFrame
) -> Material:
    """What evaluate would write from these."""
    default = baseline_runs[baseline_runs["search"] == "default"]
    runs = pd.concat([runs, make_retuned(runs)], ignore_index=True)
    tables = {"table1": TABLE1, "runs": runs, "baseline_runs": baseline_runs, "curves": curves, "roc": rocs}
    tables |= {"extra_runs": default, "extra_datasets": TABLE1}  # as if the paper's were the extra ones
    cells = TABLE1[["dataset", "title"]].assign(conditions=10, gates=20, cells=300.0, yosys="0.23")
    tables |= {"circuit_runs": make_circuit_runs(), "circuit_cells": cells, "tuning": make_searches()}
    tables |= {"target_runs": make_target_runs(), "target_datasets": TARGETS}
    arena_runs, arena_curves = (part[part["dataset"].isin(runs["dataset"])] for part in make_arena())
    tables |= {
        "arena": arena.summary(arena_runs),
        "arena_curves": arena.mean_curves(arena_curves),
        "arena_targets": arena.reached(arena_curves, [0.5, 0.1]),
        "arena_costs": pd.DataFrame({"optimizer": ["bbo", "adam"], "microseconds": [7.0, 5.0]}),
    }
    tables |= evaluate.summarise(tables, CHOSEN, CHOSEN)
    compared = tables["runs"].query("study == 'comparison'").assign(protocol="published")
    tables |= learned_filter.tables(compared, ["bbo", "adam"])
    drawn = {EXAMPLES: make_examples(), CIRCUIT: make_circuit()}
    return tables | evaluate.derive(tables, CHOSEN, CHOSEN) | drawn
