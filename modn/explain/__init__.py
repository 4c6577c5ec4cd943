"""Explanations of trained neurons: rules in the features' own units."""

from modn.explain.rules import Accuracy, Condition, Named, Rule, Rules, named, rules

__all__ = ["Accuracy", "Condition", "Named", "Rule", "Rules", "named", "rules"]
