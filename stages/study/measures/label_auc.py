"""Area under the ROC curve of each label, the mean over the labels."""

from math import nan

import numpy as np

from stages.study.measures import Measure


def area(y: np.ndarray, predictions: np.ndarray, scores: np.ndarray) -> float:
    """The mean over the labels that some samples have and some have not; NaN if there is no such label."""
    from sklearn.metrics import roc_auc_score  # late: it takes a second to import

    both = np.ptp(y, axis=0) > 0
    return float(roc_auc_score(y[:, both], scores[:, both], average="macro")) if both.any() else nan


MEASURE = Measure("label_auc", "AUC", area, task="labels")
