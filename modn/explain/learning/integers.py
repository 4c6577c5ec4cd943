"""Small integers for w_t and theta_t, which decide as nearly as possible as the best real numbers do."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from modn.explain.learning import fast_boxes
from modn.explain.learning.telodendra import fit_telodendra

LARGEST_WEIGHT = 9
TOLERANCE = 0.02  # of the loss and of the decisions: the smallest integers that come as near are taken

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


class Rounded(NamedTuple):
    """Integers, and the loss with them."""

    loss: float
    w_t: Integers
    theta_t: Integers


def integer_telodendra(counts: Array, targets: Array, weights: Array) -> tuple[Integers, Integers]:
    """Integer w_t and theta_t (C,) for counts (N, C) and the probabilities of the classes (N, C)."""
    groups = _grouped(counts, targets, weights)
    C = counts.shape[1]
    w_t, theta_t = np.full(C, fast_boxes.W_PRIOR), np.zeros(C)
    best = fit_telodendra(*groups, w_t, theta_t, 50)
    used = np.asarray(counts.any(axis=0))
    unit = float(np.abs(w_t[used]).max()) if used.any() else 1.0
    rows, _, total = groups
    decisions = (w_t * rows - theta_t).argmax(axis=1)

    def agreement(one: Rounded) -> float:
        """The share of the weight where the integers decide as the real numbers do."""
        return float(total[(one.w_t * rows - one.theta_t).argmax(axis=1) == decisions].sum() / total.sum())

    candidates = []
    for largest in range(1, LARGEST_WEIGHT + 1):
        candidates.append(_rounded(groups, w_t, theta_t, unit / largest, used))
        if candidates[-1].loss <= best * (1 + TOLERANCE) and agreement(candidates[-1]) >= 1 - TOLERANCE:
            break
    else:
        candidates.sort(key=lambda one: (agreement(one), -one.loss))
    chosen = candidates[-1]
    return chosen.w_t, chosen.theta_t - chosen.theta_t.min()  # the highest score starts at 0


def _grouped(counts: Array, targets: Array, weights: Array) -> tuple[Array, Array, Array]:
    """One row for all samples with the same counts: its weight is their sum, its target their mean."""
    rows, group = np.unique(counts, axis=0, return_inverse=True)
    group = group.ravel()
    total = np.bincount(group, weights, minlength=len(rows)).astype(np.float64)
    sums = [np.bincount(group, weights * column, minlength=len(rows)) for column in targets.T]
    return rows, np.stack(sums, axis=1) / np.maximum(total, 1e-300)[:, None], total


def _rounded(
    groups: tuple[Array, Array, Array], w_t: Array, theta_t: Array, unit: float, used: NDArray[np.bool_]
) -> Rounded:
    """Round to multiples of the unit, then move one integer at a time by 1 while the loss falls."""
    C = len(w_t)
    point = np.rint(np.concatenate([w_t, theta_t]) / unit)
    point[:C] = np.where(used & (point[:C] == 0), np.where(w_t < 0, -1, 1), point[:C])
    value = fast_boxes.loss(*groups, point[:C] * unit, point[C:] * unit)
    improved = True
    while improved:
        improved = False
        for k in range(2 * C):
            for step in (-1, 1):
                moved = point.copy()
                moved[k] += step
                if k < C and used[k] and moved[k] == 0:
                    continue  # a class that counts dendrites must weigh them
                found = fast_boxes.loss(*groups, moved[:C] * unit, moved[C:] * unit)
                if found < value - 1e-9:
                    point, value, improved = moved, found, True
    return Rounded(value, point[:C].astype(np.int64), point[C:].astype(np.int64))
