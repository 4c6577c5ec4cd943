"""Expected calibration error: by how much the predicted class's probability is off."""

from math import nan

import numpy as np

from modn import metrics
from stages.study.measures import Measure, are_probabilities


def error(y: np.ndarray, labels: np.ndarray, scores: np.ndarray) -> float:
    """The mean of |accuracy - highest probability| over 15 bins; NaN where scores are no probabilities."""
    return metrics.calibration_error(y, scores) if are_probabilities(scores) else nan


MEASURE = Measure("ece", "ECE", error, higher_is_better=False)
