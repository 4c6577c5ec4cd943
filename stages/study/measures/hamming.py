"""Hamming loss: the share of pairs of sample and label that are predicted wrongly."""

import numpy as np

from stages.study.measures import Measure


def hamming(y: np.ndarray, predictions: np.ndarray, scores: np.ndarray) -> float:
    """The share of wrong entries."""
    from sklearn.metrics import hamming_loss  # late: it takes a second to import

    return float(hamming_loss(y, predictions))


MEASURE = Measure("hamming", "Hamming", hamming, higher_is_better=False, task="labels")
