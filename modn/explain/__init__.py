"""Explanations of trained neurons: rules in the features' own units, circuits, contributions of dendrites.

What learns or measures needs scikit-learn, and is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from modn.explain.circuit import Circuit, Feature
from modn.explain.rules import Accuracy, Condition, Named, Rule, Rules, named, rules

if TYPE_CHECKING:
    from modn.explain.making import circuit_path as circuit_path
    from modn.explain.making import to_circuit as to_circuit

__all__ = [
    "Accuracy",
    "Circuit",
    "Condition",
    "Feature",
    "Named",
    "Rule",
    "Rules",
    "circuit_path",
    "named",
    "rules",
    "to_circuit",
]


def __getattr__(name: str) -> Any:
    if name in ("circuit_path", "to_circuit"):
        return getattr(import_module("modn.explain.making"), name)
    raise AttributeError(f"module 'modn.explain' has no attribute {name!r}")
