"""Accuracy: the share of samples whose predicted class is the true one."""

import numpy as np

from stages.study.measures import Measure


def accuracy(y: np.ndarray, labels: np.ndarray, scores: np.ndarray) -> float:
    """The share of correct predictions."""
    return float(np.mean(labels == y))


MEASURE = Measure("acc", "ACC", accuracy, spread_within=(0.0, 1.0))
