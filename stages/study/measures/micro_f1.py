"""Micro F1: the harmonic mean of precision and recall, over all samples and labels together."""

import numpy as np

from stages.study.measures import Measure


def micro_f1(y: np.ndarray, predictions: np.ndarray, scores: np.ndarray) -> float:
    """F1 of all pairs of sample and label."""
    from sklearn.metrics import f1_score  # late: it takes a second to import

    return float(f1_score(y, predictions, average="micro", zero_division=0.0))


MEASURE = Measure("micro_f1", "micro F1", micro_f1, spread_within=(0.0, 1.0), task="labels")
