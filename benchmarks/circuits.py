"""Circuits beside their neurons, tuned decision trees and FIGS, on the paper's 11 datasets.

Protocol sound: stratified resplits; everything is chosen by cross-validation within the training part. Needs
data/tables (`python -m stages.fetch`) and, for FIGS, `pip install imodels`. Each resplit is kept in a file: a
rerun of the same command resumes.

    python -m benchmarks.circuits [--resplits 20] [--first 10] [--datasets iris wine] [--out circuits.jsonl]

The first table has the accuracy and the conditions of each model, the gates and the seconds of the circuits
(one core; the training of the neuron not counted, its retraining in cross-validation counted). The second has
the mean accuracy of models with at most so many conditions; those of trees and FIGS are their splits.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
import yaml
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from benchmarks.training import ROOT
from modn import MODNClassifier, circuit_path
from stages.study.cleaning import features_and_labels
from stages.study.splits import sound

Arrays = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]

SIZES = [1, 2, 3, 5, 8, 12, 16, 20, 25, 30]
SEED = 100  # as in conf/config.yaml
TREE = {"max_depth": [2, 3, 5, None], "min_samples_leaf": [1, 3, 10], "ccp_alpha": [0.0, 0.005, 0.01, 0.02]}
FIGS = {"max_rules": [3, 6, 12, 24]}


def measure(
    X: np.ndarray, y: np.ndarray, X_test: np.ndarray, y_test: np.ndarray, seed: int
) -> dict[str, Any]:
    """All models on one split: accuracies, conditions, gates and seconds."""
    neuron = MODNClassifier(random_state=seed).fit(X, y)
    begin = process_time()
    path = circuit_path(neuron, X, y, random_state=seed)
    seconds = process_time() - begin
    circuit = path.circuit()
    row: dict[str, Any] = {
        "neuron": neuron.score(X_test, y_test),
        "circuit": float(np.mean(circuit.predict(X_test) == y_test)),
        "circuit conditions": circuit.n_conditions,
        "gates": circuit.n_gates,
        "seconds": seconds,
        "circuit sizes": [float(np.mean(path.circuit(size).predict(X_test) == y_test)) for size in SIZES],
    }
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    tree = GridSearchCV(DecisionTreeClassifier(random_state=seed), TREE, cv=folds).fit(X, y)
    row["tree"] = tree.score(X_test, y_test)
    row["tree conditions"] = int(tree.best_estimator_.get_n_leaves()) - 1
    row["tree sizes"] = [
        DecisionTreeClassifier(max_leaf_nodes=size + 1, random_state=seed).fit(X, y).score(X_test, y_test)
        for size in SIZES
    ]
    return row | _figs(X, y, X_test, y_test, folds)


def _figs(
    X: np.ndarray, y: np.ndarray, X_test: np.ndarray, y_test: np.ndarray, folds: StratifiedKFold
) -> dict[str, Any]:
    try:
        from imodels import FIGSClassifier
    except ModuleNotFoundError:
        return {}
    model = GridSearchCV(FIGSClassifier(), FIGS, cv=folds).fit(X, y)
    return {
        "FIGS": model.score(X_test, y_test),
        "FIGS conditions": int(model.best_estimator_.complexity_),
        "FIGS sizes": [FIGSClassifier(max_rules=size).fit(X, y).score(X_test, y_test) for size in SIZES],
    }


def splits(dataset: str, resplits: int, first: int = 0) -> Iterator[tuple[int, Arrays]]:
    """The number of each resplit, from the first on, and its parts, in the features' own units."""
    test_size = yaml.safe_load((ROOT / f"conf/datasets/{dataset}.yaml").read_text())["test_size"]
    table = pd.read_csv(ROOT / f"data/tables/{dataset}.csv", dtype=str, keep_default_na=False)
    X, labels = features_and_labels(table)
    y = np.unique(labels, return_inverse=True)[1]
    for k in range(first, first + resplits):
        parts = sound(X, y, test_size, SEED + k)
        imputer = SimpleImputer(strategy="median").fit(X[parts.train_rows])  # as the protocol does
        X_train, X_test = (imputer.transform(X[rows]) for rows in (parts.train_rows, parts.test_rows))
        yield k, (X_train, parts.y_train, X_test, parts.y_test)


def report(rows: list[dict[str, Any]]) -> str:
    """Both tables."""
    frame = pd.DataFrame(rows)
    models = [name for name in ("neuron", "circuit", "tree", "FIGS") if name in frame]
    columns = [*models, *(f"{name} conditions" for name in models[1:]), "gates", "seconds"]
    means = frame.groupby("dataset")[columns].mean()
    means.loc["mean"] = means.mean()
    sizes = {
        name: np.stack(
            frame.groupby("dataset")[f"{name} sizes"].apply(lambda column: np.mean([*column], axis=0))
        )
        for name in models[1:]
    }
    over_size = pd.DataFrame({name: values.mean(axis=0) for name, values in sizes.items()}, index=SIZES).T
    return "\n\n".join([means.round(4).to_string(), over_size.round(4).to_string()])


def main() -> None:
    """Measure what is missing, print both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = sorted(path.stem for path in (ROOT / "conf" / "datasets").glob("*.yaml"))
    parser.add_argument("--resplits", type=int, default=20)
    parser.add_argument("--first", type=int, default=10, help="earlier ones were looked at in development")
    parser.add_argument("--datasets", nargs="+", default=names, choices=names)
    parser.add_argument("--out", type=Path, default=Path("circuits.jsonl"))
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.out.read_text().splitlines()] if options.out.exists() else []
    known = {(row["dataset"], row["resplit"]) for row in rows}
    pending = {dataset: splits(dataset, options.resplits, options.first) for dataset in options.datasets}
    for _ in range(options.resplits):
        for dataset in options.datasets:
            k, parts = next(pending[dataset])
            if (dataset, k) not in known:
                rows.append({"dataset": dataset, "resplit": k, **measure(*parts, SEED + k)})
                with options.out.open("a") as file:
                    file.write(json.dumps(rows[-1]) + "\n")
    print(report(rows))


if __name__ == "__main__":
    main()
