"""What is fitted on resplits, by import path: our estimators and those to use instead.

Each has its library's default parameters, unless conf/baselines sets others. One that measures distances or
follows gradients in the features' own units gets standardised features (`standardise`). One whose package is
not installed is left out.
"""

import inspect
from importlib import import_module
from importlib.metadata import packages_distributions, version
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from stages.config.schema import Baseline, Estimator

# What is fitted: with default parameters, and tuned by a grid, which takes too long on the extra datasets.
SEARCHES = {"baselines": ("default", "grid"), "extra": ("default",)}  # by study

LEFT_OUT = "left_out.txt"  # the file that stands for predictions: why there are none


def package(baseline: Estimator) -> str:
    """The package that the estimator is in, by the name under which it is imported."""
    return baseline.estimator.partition(".")[0]


def installed(baseline: Estimator) -> bool:
    """Whether its package is there."""
    return find_spec(package(baseline)) is not None


def left_out(name: str, baseline: Estimator) -> str:
    """The message about an estimator whose package is not installed."""
    return (
        f"{name} is left out: the package {package(baseline)} is not installed; "
        "pip install '.[baselines]' installs it"
    )


def package_versions(baseline: Estimator) -> dict[str, str]:
    """The version of its package, on which the results depend; ours is known by its sources."""
    own = package(baseline)
    return {} if own == "modn" else {name: version(name) for name in packages_distributions()[own]}


def estimator_class(path: str) -> type[BaseEstimator]:
    """The estimator at an import path, which stages.config has found to be in an allowed package."""
    module, _, name = path.rpartition(".")
    try:
        found = getattr(import_module(module), name)
        if isinstance(found, type) and (is_classifier(made := found()) or is_regressor(made)):
            return found
    except (ImportError, AttributeError, TypeError):
        pass  # no such module, no such name, or not a class that can be made without arguments
    raise ValueError(
        f"estimator is {path!r}; allowed: a classifier or regressor whose parameters all have defaults"
    )


def parameter_names(path: str) -> list[str]:
    """What can be set, or searched, of an estimator: CatBoost's signature has it, XGBoost's get_params."""
    found = estimator_class(path)
    signature = inspect.signature(found).parameters.values()
    named = {own.name for own in signature if own.kind not in (own.VAR_POSITIONAL, own.VAR_KEYWORD)}
    if any(own.kind == own.VAR_KEYWORD for own in signature):
        named.add("verbosity")  # LightGBM's, which neither has
    return sorted(named | set(found().get_params(deep=False)))


def suits(baseline: Estimator, n_classes: int) -> bool:
    """Whether the classifier can tell so many classes apart; those of optional packages can."""
    if not installed(baseline):
        return True
    tags = get_tags(estimator_class(baseline.estimator)())
    return n_classes == 2 or bool(tags.classifier_tags.multi_class)


def predicts(baseline: Estimator, task: str) -> bool:
    """Whether the estimator is of the kind that a task needs."""
    is_kind = is_regressor if task == "regression" else is_classifier
    return bool(is_kind(estimator_class(baseline.estimator)()))


def make(baseline: Estimator, seed: int) -> BaseEstimator:
    """The estimator; parameters not given keep the library's defaults."""
    seeded = {"random_state": seed} if "random_state" in parameter_names(baseline.estimator) else {}
    model = estimator_class(baseline.estimator)(**{**seeded, **baseline.parameters})
    return make_pipeline(StandardScaler(), model) if baseline.standardise else model


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
