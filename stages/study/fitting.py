"""One fit: the task of `fit`. Nothing else is in this file, since results depend on it."""

import warnings
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from stages.config.schema import Baseline
from stages.study import baselines

Arrays = dict[str, np.ndarray]


def fit_one(
    chosen: Baseline,
    searches: Sequence[str],
    folds: int,
    seed: int,
    X: np.ndarray,
    y: np.ndarray,
    X_test: np.ndarray,
) -> tuple[Arrays, dict[str, float]]:
    """Predictions of the test part, default and tuned by a grid, as asked for; and the seconds of each."""
    predictions, spent = Arrays(), {}
    for search in searches:
        model: Any = (
            baselines.make(chosen, seed) if search == "default" else baselines.searched(chosen, folds, seed)
        )
        begin = perf_counter()
        with warnings.catch_warnings():
            # With its defaults a library may stop before it has converged: that is part of the comparison.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y)
        spent[search] = perf_counter() - begin
        predictions[f"{search}_labels"] = np.ravel(model.predict(X_test))  # CatBoost's is a column
        predictions[f"{search}_scores"] = baselines.class_scores(model, X_test)
    return predictions, spent
