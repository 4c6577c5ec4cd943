"""Log-loss: how much probability the true classes were given."""

from math import nan

import numpy as np

from modn import metrics
from stages.study.measures import Measure, are_probabilities


def log_loss(y: np.ndarray, labels: np.ndarray, scores: np.ndarray) -> float:
    """The mean of -ln p of the true class; NaN where scores are no probabilities."""
    return metrics.log_loss(y, scores) if are_probabilities(scores) else nan


MEASURE = Measure("log_loss", "log-loss", log_loss, higher_is_better=False)
