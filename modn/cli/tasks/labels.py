"""Any number of labels for each row."""

from typing import Any

import numpy as np
from sklearn.metrics import f1_score

from modn import MODNClassifier
from modn.cli.columns import target_numbers
from modn.cli.tasks.base import Task, probabilities
from modn.extras import needs

with needs("cli"):
    import pandas as pd


class Labels(Task):
    """Any number of labels for each row: a column of 0 and 1 for each."""

    name = "labels"
    estimator = MODNClassifier
    measure = "micro F1"

    def read(self, table: pd.DataFrame, targets: list[str]) -> pd.DataFrame:
        """The columns as 0 and 1."""
        if len(targets) < 2:
            raise ValueError("--target names 1 column; allowed: two or more, for labels")
        numbers = target_numbers(table, targets)
        for name in targets:
            wrong = ~numbers[name].isin([0, 1])
            if wrong.any():
                where = f"line {numbers.index[wrong][0]}, column {name!r}"
                raise ValueError(f"{where}: {table[name][wrong].iloc[0]!r}; allowed: 0 or 1, for labels")
        return numbers.astype(int)

    def summary(self, y: pd.DataFrame) -> str:
        """The labels and how many rows have them."""
        return "labels: " + ", ".join(f"{name} {count}" for name, count in y.sum().items())

    def value(self, y: pd.DataFrame, predictions: np.ndarray) -> float:
        """F1 over all labels."""
        return float(f1_score(y.to_numpy(), predictions, average="micro", zero_division=0))

    def score(self, y: pd.DataFrame, predictions: np.ndarray) -> str:
        """F1 over all labels, and the share of those that are right."""
        return f"{super().score(y, predictions)}, right labels {np.mean(predictions == y.to_numpy()):.4f}"

    def answers(self, model: Any, X: pd.DataFrame, targets: list[str], proba: bool) -> pd.DataFrame:
        """0 or 1 for each label, and its probability."""
        answers = pd.DataFrame(model.predict(X), columns=targets)
        return answers.join(probabilities(model.predict_proba(X), targets)) if proba else answers

    def n_targets(self, model: Any) -> int:
        """The labels; a model of classes has none."""
        return len(model.classes_) if model._has_labels else 0


TASK = Labels()
