"""R2: the share of the variance of the numbers that is explained, the mean over the outputs."""

from math import inf

import numpy as np

from stages.study.measures import Measure


def r2(y: np.ndarray, predictions: np.ndarray, scores: np.ndarray) -> float:
    """The mean of R2 over the outputs."""
    from sklearn.metrics import r2_score  # late: it takes a second to import

    return float(r2_score(y, predictions))


MEASURE = Measure("r2", "R2", r2, spread_within=(-inf, 1.0), task="regression")
