"""What is predicted: a class, labels or numbers. One object for each task of the command line."""

from abc import ABC, abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import f1_score, r2_score

from modn import MODNClassifier, MODNRegressor
from modn.cli.columns import labels, target_numbers
from modn.constraints import OneOf, check
from modn.explain import Accuracy, effects, rules
from modn.extras import needs

with needs("cli"):
    import pandas as pd

MOST_CLASSES = 20  # a column with more different numbers is guessed to hold numbers, not classes


class Task(ABC):
    """How a task reads its targets, and how it reports."""

    name: ClassVar[str]
    estimator: ClassVar[type]
    probabilities: ClassVar[bool] = True

    @abstractmethod
    def read(self, table: pd.DataFrame, targets: list[str]) -> Any:
        """What the model is fitted to."""

    @abstractmethod
    def summary(self, y: Any) -> str:
        """What y holds, for people."""

    @abstractmethod
    def score(self, y: Any, predictions: Any) -> str:
        """How good predictions are, for people."""

    @abstractmethod
    def answers(self, model: Any, X: pd.DataFrame, targets: list[str], proba: bool) -> pd.DataFrame:
        """The predictions, in columns with the names of the targets, and probabilities if asked for."""

    def notes(self, model: Any, X: pd.DataFrame, y: Any) -> dict[str, Any]:
        """What the model's file should remember of the training data."""
        return {}

    def title(self, model: Path, data: Path | None) -> str:
        """The title of an explanation."""
        return f"Effects of {model}, measured on {data or 'no data; see --data'}."

    def explanation(self, model: Any, X: pd.DataFrame | None, y: Any, notes: dict[str, Any]) -> str:
        """What the model has learned; X None: its file is all there is."""
        return str(effects(model, X=X, y=y))


class Classification(Task):
    """One class for each row."""

    name = "classification"
    estimator = MODNClassifier

    def read(self, table: pd.DataFrame, targets: list[str]) -> np.ndarray:
        """The texts of one column."""
        if len(targets) > 1:
            raise ValueError(f"--target names {len(targets)} columns; allowed: one, for classification")
        return labels(table, targets[0])

    def summary(self, y: np.ndarray) -> str:
        """The classes and how many rows they have."""
        counts = zip(*np.unique(y, return_counts=True), strict=True)
        return "classes: " + ", ".join(f"{label} {count}" for label, count in counts)

    def score(self, y: np.ndarray, predictions: np.ndarray) -> str:
        """The accuracy."""
        return f"accuracy {np.mean(predictions == y):.4f}"

    def answers(self, model: Any, X: pd.DataFrame, targets: list[str], proba: bool) -> pd.DataFrame:
        """The class, and the probability of each."""
        answers = pd.DataFrame({targets[0]: model.predict(X)})
        return answers.join(_probabilities(model.predict_proba(X), model.classes_)) if proba else answers

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
        return str(replace(rules(model), accuracy=Accuracy(*notes["training_accuracy"])))


class Labels(Task):
    """Any number of labels for each row: a column of 0 and 1 for each."""

    name = "labels"
    estimator = MODNClassifier

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

    def score(self, y: pd.DataFrame, predictions: np.ndarray) -> str:
        """F1 over all labels, and the share of those that are right."""
        f1 = f1_score(y.to_numpy(), predictions, average="micro", zero_division=0)
        return f"micro F1 {f1:.4f}, right labels {np.mean(predictions == y.to_numpy()):.4f}"

    def answers(self, model: Any, X: pd.DataFrame, targets: list[str], proba: bool) -> pd.DataFrame:
        """0 or 1 for each label, and its probability."""
        answers = pd.DataFrame(model.predict(X), columns=targets)
        return answers.join(_probabilities(model.predict_proba(X), targets)) if proba else answers


class Regression(Task):
    """One number, or several, for each row."""

    name = "regression"
    estimator = MODNRegressor
    probabilities = False

    def read(self, table: pd.DataFrame, targets: list[str]) -> pd.DataFrame:
        """The columns as numbers."""
        return target_numbers(table, targets)

    def summary(self, y: pd.DataFrame) -> str:
        """The range of each number."""
        return "numbers: " + ", ".join(f"{name} {y[name].min():.4g} to {y[name].max():.4g}" for name in y)

    def score(self, y: pd.DataFrame, predictions: np.ndarray) -> str:
        """R2, and the root of the mean squared error of each number."""
        errors = y.to_numpy() - predictions.reshape(y.shape)
        sizes = (
            f"{name} {size:.4g}" for name, size in zip(y, np.sqrt(np.mean(errors**2, axis=0)), strict=True)
        )
        return f"R2 {r2_score(y, predictions):.4f}, root mean squared error: {', '.join(sizes)}"

    def answers(self, model: Any, X: pd.DataFrame, targets: list[str], proba: bool) -> pd.DataFrame:
        """The numbers."""
        return pd.DataFrame(model.predict(X).reshape(len(X), -1), columns=targets)


TASKS: dict[str, Task] = {task.name: task for task in (Classification(), Labels(), Regression())}


def targets_of(text: str | list[str], table: pd.DataFrame) -> list[str]:
    """The columns that --target names: one, or several with commas between them."""
    names = [text] if isinstance(text, str) and text in table else text
    return names.split(",") if isinstance(names, str) else list(names)


def guessed(table: pd.DataFrame, targets: list[str]) -> tuple[Task, str]:
    """The task that the targets look like, and why."""
    if len(targets) > 1:
        if target_numbers(table, targets).isin([0, 1]).all(axis=None):
            return TASKS["labels"], "the targets are 0 or 1"
        return TASKS["regression"], "there are several targets, which hold numbers"
    n_distinct = len(np.unique(labels(table, targets[0])))
    try:
        target_numbers(table, targets)
    except ValueError:
        return TASKS["classification"], "the target holds texts"
    if n_distinct > MOST_CLASSES:
        return TASKS["regression"], f"the target holds {n_distinct} different numbers"
    return TASKS["classification"], f"the target holds {n_distinct} different values"


def task_of(notes: dict[str, Any]) -> Task:
    """The task of a model that `modn fit` wrote; earlier versions knew one."""
    name = notes.get("task", "classification")
    check("task", name, OneOf(TASKS))
    return TASKS[name]


def _probabilities(chances: np.ndarray, names: Any) -> pd.DataFrame:
    return pd.DataFrame(chances, columns=[f"P({name})" for name in names])
