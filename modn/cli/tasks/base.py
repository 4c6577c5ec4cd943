"""What the tasks share."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from modn.explain import effects
from modn.extras import needs

with needs("cli"):
    import pandas as pd


class Task(ABC):
    """How a task reads its targets, and how it reports."""

    name: ClassVar[str]
    estimator: ClassVar[type]
    measure: ClassVar[str]  # the name of what `value` returns
    probabilities: ClassVar[bool] = True

    @abstractmethod
    def read(self, table: pd.DataFrame, targets: list[str]) -> Any:
        """What the model is fitted to."""

    @abstractmethod
    def summary(self, y: Any) -> str:
        """What y holds, for people."""

    @abstractmethod
    def value(self, y: Any, predictions: Any) -> float:
        """How good predictions are, as one number; the higher the better."""

    def score(self, y: Any, predictions: Any) -> str:
        """How good predictions are, for people."""
        return f"{self.measure} {self.value(y, predictions):.4f}"

    @abstractmethod
    def answers(self, model: Any, X: pd.DataFrame, targets: list[str], proba: bool) -> pd.DataFrame:
        """The predictions, in columns with the names of the targets, and probabilities if asked for."""

    def n_targets(self, model: Any) -> int:
        """How many columns a model of this task predicts."""
        return 1

    def strata(self, y: Any) -> np.ndarray | None:
        """What the folds of a cross-validation should hold in equal shares (N,); None: anything."""
        return None

    def notes(self, model: Any, X: pd.DataFrame, y: Any) -> dict[str, Any]:
        """What the model's file should remember of the training data."""
        return {}

    def title(self, model: Path, data: Path | None) -> str:
        """The title of an explanation."""
        return f"Effects of {model}, measured on {data or 'no data; see --data'}."

    def explanation(self, model: Any, X: pd.DataFrame | None, y: Any, notes: dict[str, Any]) -> str:
        """What the model has learned; X None: its file is all there is."""
        return str(effects(model, X=X, y=y))


def probabilities(chances: np.ndarray, names: Any) -> pd.DataFrame:
    """The probability of each class or label, in a column with its name."""
    return pd.DataFrame(chances, columns=[f"P({name})" for name in names])
