"""The classifiers of the `baselines` study, by import path: MODN's own and those one would use instead.

Each has its library's default parameters, unless conf/baselines sets others. A classifier that measures
distances or follows gradients in the features' own units gets standardised features (`standardise`).
"""

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from stages.config.schema import Baseline


def estimator_class(path: str) -> type[BaseEstimator]:
    """The classifier at an import path, which stages.config has found to be in an allowed package."""
    module, _, name = path.rpartition(".")
    try:
        found = getattr(import_module(module), name)
        if issubclass(found, BaseEstimator) and is_classifier(found()):
            return found
    except (ImportError, AttributeError, TypeError):
        pass  # no such module, no such name, or not a class that can be made without arguments
    raise ValueError(f"estimator is {path!r}; allowed: a classifier whose parameters all have defaults")


def parameter_names(path: str) -> list[str]:
    """What can be set, or searched, of a classifier."""
    return sorted(estimator_class(path)().get_params(deep=False))


def suits(baseline: Baseline, n_classes: int) -> bool:
    """Whether the classifier can tell so many classes apart."""
    tags = get_tags(estimator_class(baseline.estimator)())
    return n_classes == 2 or bool(tags.classifier_tags.multi_class)


def make(baseline: Baseline, seed: int) -> BaseEstimator:
    """The classifier; parameters not given keep the library's defaults."""
    seeded = {"random_state": seed} if "random_state" in parameter_names(baseline.estimator) else {}
    classifier = estimator_class(baseline.estimator)(**{**seeded, **baseline.parameters})
    return make_pipeline(StandardScaler(), classifier) if baseline.standardise else classifier


def searched(baseline: Baseline, folds: int, seed: int) -> GridSearchCV:
    """The same with the candidate of its grid that cross-validation within the training set finds best."""
    step = f"{estimator_class(baseline.estimator).__name__.lower()}__" if baseline.standardise else ""
    grid: dict[str, list[Any]] = {step + name: values for name, values in baseline.grid.items()}
    return GridSearchCV(
        make(baseline, seed),
        grid,
        cv=StratifiedKFold(folds, shuffle=True, random_state=seed),
        error_score="raise",
    )


def class_scores(model: BaseEstimator, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """A score of each class (N, C): the probability, or the distance from the border where there is none."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X), dtype=np.float64)
    scores = np.asarray(model.decision_function(X), dtype=np.float64)
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
