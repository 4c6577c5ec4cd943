"""The classifiers of the `baselines` study by name: MODN's own and those one would use instead.

Each is what its library gives at its defaults. Those that measure distances or follow gradients in the
features' own units get them standardised first, as their documentation advises; MODN and DNM scale inside,
trees need no scale.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from modn.estimators import DNMClassifier, MODNClassifier

_CLASSES: dict[str, type[BaseEstimator]] = {
    "modn": MODNClassifier,
    "dnm": DNMClassifier,
    "random_forest": RandomForestClassifier,
    "svm": SVC,
    "logistic_regression": LogisticRegression,
    "hist_gradient_boosting": HistGradientBoostingClassifier,
    "knn": KNeighborsClassifier,
    "mlp": MLPClassifier,
}
_STANDARDISED = {"svm", "logistic_regression", "knn", "mlp"}
BINARY = {"dnm"}  # for two classes only


def names() -> list[str]:
    """The classifiers' names."""
    return list(_CLASSES)


def parameter_names(name: str) -> list[str]:
    """What can be set, or searched, of a classifier."""
    return sorted(_CLASSES[name]().get_params(deep=False))


def make(name: str, parameters: Mapping[str, Any], seed: int) -> BaseEstimator:
    """The named classifier; parameters not given keep the library's defaults."""
    seeded = {"random_state": seed} if "random_state" in parameter_names(name) else {}
    classifier = _CLASSES[name](**{**seeded, **parameters})
    return make_pipeline(StandardScaler(), classifier) if name in _STANDARDISED else classifier


def searched(
    name: str, parameters: Mapping[str, Any], grid: Mapping[str, list[Any]], folds: int, seed: int
) -> GridSearchCV:
    """The same with the candidate of `grid` that cross-validation within the training set finds best."""
    prefix = f"{_CLASSES[name].__name__.lower()}__" if name in _STANDARDISED else ""
    return GridSearchCV(
        make(name, parameters, seed),
        {prefix + parameter: values for parameter, values in grid.items()},
        cv=StratifiedKFold(folds, shuffle=True, random_state=seed),
        error_score="raise",
    )


def class_scores(model: BaseEstimator, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """A score of each class (N, C): the probability, or the distance from the border where there is none."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X), dtype=np.float64)
    scores = np.asarray(model.decision_function(X), dtype=np.float64)
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
