"""One fit of numbers or labels: the task of `fit` in the study `targets`.

All is fitted on the training part alone, the scales of features and numbers included.
"""

import warnings
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputRegressor
from sklearn.preprocessing import StandardScaler

from stages.config.schema import TaskEstimator
from stages.study import baselines

Arrays = dict[str, np.ndarray]


def predict_one(
    chosen: TaskEstimator, task: str, seed: int, X: np.ndarray, y: np.ndarray, X_test: np.ndarray
) -> tuple[Arrays, dict[str, float]]:
    """Predictions and scores (N, C) of the test part, and the seconds; the scores of numbers are themselves.

    `y` (N, C) has numbers, or indicators of labels.
    """
    model: Any = make(chosen, task, seed)
    begin = perf_counter()
    with warnings.catch_warnings():
        # With its defaults a library may stop before it has converged: that is part of the comparison.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y[:, 0] if y.shape[1] == 1 and not chosen.per_output else y)
    spent = perf_counter() - begin
    shape = len(X_test), y.shape[1]
    predictions = np.reshape(model.predict(X_test), shape).astype(np.float64)
    scores = np.reshape(label_scores(model, X_test), shape) if task == "labels" else predictions
    return {"predictions": predictions, "scores": scores}, {"default": spent}


def make(chosen: TaskEstimator, task: str, seed: int) -> BaseEstimator:
    """The estimator of a task; parameters not given keep the library's defaults."""
    model = baselines.make(chosen, seed)
    if chosen.per_output:
        model = MultiOutputRegressor(model) if task == "regression" else OneVsRestClassifier(model)
    if chosen.standardise_targets:
        model = TransformedTargetRegressor(model, transformer=StandardScaler())
    return model


def label_scores(model: BaseEstimator, X: np.ndarray) -> np.ndarray:
    """A score of each label (N, L): the probability, or the distance from the border where there is none."""
    if not hasattr(model, "predict_proba"):
        return np.asarray(model.decision_function(X), dtype=np.float64)
    probabilities = model.predict_proba(X)
    if isinstance(probabilities, list):  # a forest has a matrix for each label
        return np.stack([of_label[:, 1] for of_label in probabilities], axis=1)
    return np.asarray(probabilities, dtype=np.float64)
