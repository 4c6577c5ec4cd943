"""One training: the task of `train`. Nothing else is in this file, since results depend on it."""

from time import perf_counter

import numpy as np

from modn.methods import Method
from stages.study import families, seeding
from stages.study.cells import Cell


def train_one(
    cell: Cell, method: Method, budget: int, seed: int, X: np.ndarray, y: np.ndarray
) -> tuple[families.Arrays, dict[str, float]]:
    """What is stored of one run, and how long it took: a function of its arguments alone."""
    begin = perf_counter()
    rng = seeding.generator(seed, cell.study, cell.dataset, cell.model, cell.optimizer)
    arrays = families.get(cell.family).train(cell, method, budget, X, y, rng)
    return arrays, {"training": perf_counter() - begin}
