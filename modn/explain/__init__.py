"""Explanations of trained neurons: rules in the features' own units, circuits, contributions of dendrites."""

from modn.explain.circuit import Circuit, Feature
from modn.explain.contributions import contributions
from modn.explain.making import circuit_path, to_circuit
from modn.explain.rules import Accuracy, Condition, Named, Rule, Rules, named, rules

__all__ = [
    "Accuracy",
    "Circuit",
    "Condition",
    "Feature",
    "Named",
    "Rule",
    "Rules",
    "circuit_path",
    "contributions",
    "named",
    "rules",
    "to_circuit",
]
