"""MODNClassifier beside what a scikit-learn user would pick instead, all with their default parameters.

Accuracy: mean and standard deviation over five stratified folds, the same for all, on two datasets that come
with scikit-learn and were not used to choose any default: breast_cancer (569 x 30, 2 classes) and
digits (1797 x 64, 10 classes). SVM and logistic regression get standardised features. Seconds: one `fit` on
iris and one on 50,000 x 30, the kernels compiled before.

    python -m benchmarks.classifiers [--json FILE]
"""

import argparse
import json
from pathlib import Path
from time import perf_counter
from typing import Any

from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from modn import DNMClassifier, MODNClassifier

TABLES = {"breast_cancer": load_breast_cancer, "digits": load_digits}
CLASSIFIERS: dict[str, Any] = {
    "MODN": MODNClassifier(random_state=0),
    "DNM": DNMClassifier(random_state=0),
    "random forest": RandomForestClassifier(random_state=0),
    "SVM (RBF)": make_pipeline(StandardScaler(), SVC()),
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
}


def accuracies() -> list[dict[str, Any]]:
    """A row for each dataset and classifier."""
    rows: list[dict[str, Any]] = []
    folds = StratifiedKFold(n_splits=5, shuffle=True, random_state=0)
    for table, load in TABLES.items():
        X, y = load(return_X_y=True)
        for name, classifier in CLASSIFIERS.items():
            if name == "DNM" and len(set(y)) > 2:
                continue
            scores = cross_validate(clone(classifier), X, y, cv=folds)
            row: dict[str, Any] = {
                "table": table,
                "classifier": name,
                "accuracy": float(scores["test_score"].mean()),
                "std": float(scores["test_score"].std(ddof=1)),
                "fit_seconds": float(scores["fit_time"].mean()),
            }
            rows.append(row)
            print(
                "{table:14} {classifier:20} {accuracy:.4f} +- {std:.4f}  {fit_seconds:8.2f} s".format(**row)
            )
    return rows


def seconds() -> list[dict[str, Any]]:
    """One fit each on a small and on a large dataset."""
    large = make_classification(50_000, 30, n_informative=10, random_state=0)
    rows: list[dict[str, Any]] = []
    for table, (X, y) in {"iris": load_iris(return_X_y=True), "50,000 x 30": large}.items():
        MODNClassifier(max_iter=1).fit(X[:200], y[:200])
        begin = perf_counter()
        model = MODNClassifier(random_state=0).fit(X, y)
        spent = perf_counter() - begin
        rows.append({"table": table, "fit_seconds": spent, "training_accuracy": float(model.score(X, y))})
        print(
            "{table:14} fit {fit_seconds:8.2f} s, training accuracy {training_accuracy:.4f}".format(
                **rows[-1]
            )
        )
    return rows


def main() -> None:
    """Print both, and keep them where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    result = {"accuracies": accuracies(), "seconds": seconds()}
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
