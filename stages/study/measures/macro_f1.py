"""Macro F1: the mean over the labels of the harmonic mean of precision and recall."""

import numpy as np

from stages.study.measures import Measure


def macro_f1(y: np.ndarray, predictions: np.ndarray, scores: np.ndarray) -> float:
    """The mean of F1 over the labels; that of a label which is nowhere is 0."""
    from sklearn.metrics import f1_score  # late: it takes a second to import

    return float(f1_score(y, predictions, average="macro", zero_division=0.0))


MEASURE = Measure("macro_f1", "macro F1", macro_f1, task="labels")
