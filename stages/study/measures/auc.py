"""Area under the micro-averaged ROC curve."""

import numpy as np

from modn import metrics
from stages.study.measures import Measure


def area(y: np.ndarray, labels: np.ndarray, scores: np.ndarray) -> float:
    """The chance that a true pair of sample and class scores higher than a false one."""
    return metrics.micro_auc(y, scores)


MEASURE = Measure("auc", "AUC", area)
