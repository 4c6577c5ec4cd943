"""Dendritic neurons as scikit-learn estimators, which scale the features and take any labels."""

from modn.estimators.circuit import CircuitClassifier
from modn.estimators.dnm import DNMClassifier
from modn.estimators.modn import MODNClassifier
from modn.estimators.regressor import MODNRegressor

__all__ = ["CircuitClassifier", "DNMClassifier", "MODNClassifier", "MODNRegressor"]
