"""One number, or several, for each row."""

from typing import Any

import numpy as np
from sklearn.metrics import r2_score

from modn import MODNRegressor
from modn.cli.columns import target_numbers
from modn.cli.tasks.base import Task
from modn.extras import needs

with needs("cli"):
    import pandas as pd


class Regression(Task):
    """One number, or several, for each row."""

    name = "regression"
    estimator = MODNRegressor
    measure = "R2"
    probabilities = False

    def read(self, table: pd.DataFrame, targets: list[str]) -> pd.DataFrame:
        """The columns as numbers."""
        return target_numbers(table, targets)

    def summary(self, y: pd.DataFrame) -> str:
        """The range of each number."""
        return "numbers: " + ", ".join(f"{name} {y[name].min():.4g} to {y[name].max():.4g}" for name in y)

    def value(self, y: pd.DataFrame, predictions: np.ndarray) -> float:
        """R2, the mean over the numbers."""
        return float(r2_score(y, predictions))

    def score(self, y: pd.DataFrame, predictions: np.ndarray) -> str:
        """R2, and the root of the mean squared error of each number."""
        errors = y.to_numpy() - predictions.reshape(y.shape)
        sizes = (
            f"{name} {size:.4g}" for name, size in zip(y, np.sqrt(np.mean(errors**2, axis=0)), strict=True)
        )
        return f"{super().score(y, predictions)}, root mean squared error: {', '.join(sizes)}"

    def answers(self, model: Any, X: pd.DataFrame, targets: list[str], proba: bool) -> pd.DataFrame:
        """The numbers."""
        return pd.DataFrame(model.predict(X).reshape(len(X), -1), columns=targets)

    def n_targets(self, model: Any) -> int:
        """The numbers."""
        return int(model.n_outputs_)


TASK = Regression()
