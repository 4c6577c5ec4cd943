"""One class for each row."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from modn import MODNClassifier
from modn.cli.columns import labels
from modn.cli.tasks.base import Task, probabilities
from modn.explain import Accuracy, rules
from modn.extras import needs

with needs("cli"):
    import pandas as pd


class Classification(Task):
    """One class for each row."""

    name = "classification"
    estimator = MODNClassifier
    measure = "accuracy"

    def read(self, table: pd.DataFrame, targets: list[str]) -> np.ndarray:
        """The texts of one column."""
        if len(targets) > 1:
            raise ValueError(f"--target names {len(targets)} columns; allowed: one, for classification")
        return labels(table, targets[0])

    def summary(self, y: np.ndarray) -> str:
        """The classes and how many rows they have."""
        counts = zip(*np.unique(y, return_counts=True), strict=True)
        return "classes: " + ", ".join(f"{label} {count}" for label, count in counts)

    def value(self, y: np.ndarray, predictions: np.ndarray) -> float:
        """The accuracy."""
        return float(np.mean(predictions == y))

    def answers(self, model: Any, X: pd.DataFrame, targets: list[str], proba: bool) -> pd.DataFrame:
        """The class, and the probability of each."""
        answers = pd.DataFrame({targets[0]: model.predict(X)})
        return answers.join(probabilities(model.predict_proba(X), model.classes_)) if proba else answers

    def n_targets(self, model: Any) -> int:
        """One; a model of labels has none."""
        return 0 if model._has_labels else 1

    def strata(self, y: np.ndarray) -> np.ndarray:
        """The classes."""
        return y

    def notes(self, model: Any, X: pd.DataFrame, y: np.ndarray) -> dict[str, Any]:
        """The accuracy of the rules on the training data."""
        return {"training_accuracy": rules(model, X=X, y=y).accuracy}

    def title(self, model: Path, data: Path | None) -> str:
        """The title of an explanation."""
        return f"Rules of {model}; accuracy measured on {data or 'the training data'}."

    def explanation(self, model: Any, X: pd.DataFrame | None, y: Any, notes: dict[str, Any]) -> str:
        """The rules."""
        if X is not None:
            return str(rules(model, X=X, y=y))
        measured = notes.get("training_accuracy")
        return str(replace(rules(model), accuracy=None if measured is None else Accuracy(*measured)))


TASK = Classification()
