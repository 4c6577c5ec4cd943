"""Small integers for the weights and theta_t, which decide nearly as the best real numbers do."""

import numpy as np
from numpy.typing import NDArray

from modn.explain.learning import fast_integers
from modn.explain.learning.fast_weights import fit_weights

LEVELS = (1, 2, 3, 4, 6, 9)  # the largest weight, about: the smallest that comes near enough is taken
TOLERANCE = 0.01  # of the loss and of the decisions

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


def integer_weights(
    held: NDArray[np.bool_],
    targets: Array,
    start: tuple[Array, Array] | None = None,
    only_decisions: bool = False,
) -> tuple[Integers, Integers]:
    """Integer weights (M, C) and theta_t (C,) for what holds (M, N) and the probabilities of classes (N, C).

    `start`: weights and theta_t near the best real ones, if they are known. `only_decisions`: the smallest
    integers that decide as these, whatever their loss.
    """
    M, C = len(held), targets.shape[1]
    weights, theta_t = (np.zeros((M, C)), np.zeros(C)) if start is None else (one.copy() for one in start)
    fit_weights(held, targets, weights, theta_t, 20)
    # The same may be added to all weights of a dendrite. Half of them become 0 or less: fewer are to be read.
    weights -= np.sort(weights, axis=1)[:, [(C - 1) // 2]]
    patterns, means, totals = _grouped(held, targets)
    table = np.concatenate([weights, [theta_t.min() - theta_t]])
    real = np.einsum("gj,jc->gc", patterns, table)  # not @: see scores_of
    best = fast_integers.loss(real, means, totals) + sum(fast_integers.penalty(row, 1.0) for row in weights)
    unit = float(np.abs(weights).max(initial=0.0)) or 1.0
    candidates: list[tuple[float, float, Array]] = []
    for largest in LEVELS:
        rounded = np.rint(table / (unit / largest))
        _keep_one(rounded[:M], weights)
        value = fast_integers.descend(patterns.T, means, totals, rounded, unit / largest)
        alike = (patterns @ rounded).argmax(axis=1) == real.argmax(axis=1)
        agreement = float(totals[alike].sum() / totals.sum())
        candidates.append((agreement, -value, rounded))
        near = alike.all() if only_decisions else value <= best * (1 + TOLERANCE)
        if near and agreement >= 1 - TOLERANCE:
            break
    else:
        candidates.sort(key=lambda one: one[:2])
    *rows, begin = candidates[-1][2]
    found = np.array([_shortest(row) for row in rows]).reshape(M, C)
    return found.astype(np.int64), (begin.max() - begin).astype(np.int64)  # the highest score starts at 0


def _grouped(held: NDArray[np.bool_], targets: Array) -> tuple[Array, Array, Array]:
    """One row (G, M + 1) for all samples with the same dendrites, and a 1; their mean targets and number."""
    present = np.concatenate([held, np.ones((1, held.shape[1]), bool)])
    packed = np.packbits(present, axis=0).T
    keys = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, group, totals = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    sums = [np.bincount(group, column, minlength=len(first)) for column in targets.T]
    patterns = np.asfortranarray(present.T[first], np.float64)  # the descent reads columns
    return patterns, np.stack(sums, axis=1) / totals[:, None], totals.astype(np.float64)


def _keep_one(whole: Array, weights: Array) -> None:
    """Give a dendrite whose weights were all rounded to 0 the sign of the largest."""
    for row, own in zip(whole, weights, strict=True):
        if not row.any():
            largest = np.abs(own).argmax()
            row[largest] = np.sign(own[largest]) or 1.0


def _shortest(row: Array) -> Array:
    """The row, less one of its values, with the most zeros: what all classes get changes no decision."""
    return min(
        (row - value for value in np.unique(row)),
        key=lambda moved: (np.count_nonzero(moved), np.abs(moved).sum(), -moved.sum()),
    )
