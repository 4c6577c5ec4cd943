"""RMSE: the root of the mean squared error in the units of the numbers, the mean over the outputs."""

import numpy as np

from stages.study.measures import Measure


def rmse(y: np.ndarray, predictions: np.ndarray, scores: np.ndarray) -> float:
    """The mean of the root mean squared error over the outputs."""
    from sklearn.metrics import root_mean_squared_error  # late: it takes a second to import

    return float(root_mean_squared_error(y, predictions))


MEASURE = Measure("rmse", "RMSE", rmse, higher_is_better=False, task="regression")
