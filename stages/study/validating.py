"""One training of a candidate on all folds but one: the task of `tune`. Its results depend on this file."""

import numpy as np

from modn.methods import Method
from stages.study import families
from stages.study.cells import Cell
from stages.study.training import train_one

LEFT_OUT = ("curve", "evaluations")  # of what is stored of a training: the model does not need them


def validate_one(
    cell: Cell, method: Method, budget: int, seed: int, X: np.ndarray, y: np.ndarray, held_out: np.ndarray
) -> tuple[families.Arrays, dict[str, float]]:
    """The model and its accuracy `acc` on the rows `held_out` (N,), which it did not see; and the seconds."""
    arrays, seconds = train_one(cell, method, budget, seed, X[~held_out], y[~held_out])
    model = families.get(cell.family).model(cell, arrays, X.shape[1])
    right = model.predict_proba(X[held_out]).argmax(axis=1) == y[held_out]
    kept = {name: values for name, values in arrays.items() if name not in LEFT_OUT}
    return {"acc": np.array(right.mean()), **kept}, seconds
