"""Explanations of trained neurons in the features' own units: rules, circuits, effects, contributions."""

from modn.explain.circuit import Circuit, Feature
from modn.explain.contributions import contributions
from modn.explain.effects import Effect, Effects, Score, effects
from modn.explain.making import circuit_path, to_circuit
from modn.explain.rules import Accuracy, Condition, Named, Rule, Rules, named, rules

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
    "contributions",
    "effects",
    "named",
    "rules",
    "to_circuit",
]
