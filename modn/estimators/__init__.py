"""Dendritic neurons as scikit-learn estimators: scaling inside, any labels, `fit`, `predict`, `predict_proba`."""

from modn.estimators.dnm import DNMClassifier
from modn.estimators.modn import MODNClassifier

__all__ = ["DNMClassifier", "MODNClassifier"]
