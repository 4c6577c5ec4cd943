"""Explanations of trained neurons in the features' own units: rules, circuits, effects, contributions.

What learns or measures needs scikit-learn, and is imported when it is first used.

>>> import numpy as np
>>> from modn import MODNClassifier
>>> X = np.linspace(0, 10, 40)[:, None]
>>> y = np.where(X[:, 0] > 6, "long", "short")
>>> model = MODNClassifier(n_dendrites=2, random_state=0).fit(X, y)
>>> from modn import explain
>>> found = explain.rules(model, feature_names=["length"], X=X, y=y)
>>> found.accuracy.model
1.0
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from modn.explain.circuit import Circuit, Feature
from modn.explain.effects import Effect, Effects, Score, effects
from modn.explain.rules import Accuracy, Condition, Named, Rule, Rules, named, rules

if TYPE_CHECKING:
    from modn.explain.making import circuit_path as circuit_path
    from modn.explain.making import to_circuit as to_circuit

__all__ = [
    "Accuracy",
    "Circuit",
    "Condition",
    "Effect",
    "Effects",
    "Feature",
    "Named",
    "Rule",
    "Rules",
    "Score",
    "circuit_path",
    "effects",
    "named",
    "rules",
    "to_circuit",
]


def __getattr__(name: str) -> Any:
    if name in ("circuit_path", "to_circuit"):
        return getattr(import_module("modn.explain.making"), name)
    raise AttributeError(f"module 'modn.explain' has no attribute {name!r}")
