"""Explanations of trained neurons in the features' own units: rules for classes, effects for all outputs."""

from modn.explain.effects import Effect, Effects, Score, effects
from modn.explain.rules import Accuracy, Condition, Named, Rule, Rules, named, rules

__all__ = [
    "Accuracy",
    "Condition",
    "Effect",
    "Effects",
    "Named",
    "Rule",
    "Rules",
    "Score",
    "effects",
    "named",
    "rules",
]
