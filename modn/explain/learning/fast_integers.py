"""The compiled descent over integer weights."""

from math import exp, log, log1p

import numpy as np

from modn.explain.learning.fast_weights import WEIGHT_PRECISION, Floats, highest_of
from modn.fast.compiling import compiled, part

PER_WEIGHT = 0.5  # nats: a weight other than 0 must be worth that, as it has to be read
PASSES = 20
SURELY = 1e-6  # nats: more than rounding adds to a sum over all samples


@compiled
def loss(scores: Floats, targets: Floats, totals: Floats) -> float:
    """The cross-entropy of the softmax of the scores (G, C), each row as often as `totals` (G,) says."""
    G, C = scores.shape
    value = 0.0
    for g in range(G):
        highest = highest_of(scores[g])
        exponentials, linear = 0.0, 0.0
        for c in range(C):
            exponentials += exp(scores[g, c] - highest)
            linear += targets[g, c] * scores[g, c]
        value += totals[g] * (highest + log(exponentials) - linear)
    return value


@compiled
def penalty(weights: Floats, unit: float) -> float:
    """The penalty on the weights (C,) of a dendrite: on their differences from the mean, and their number."""
    total, squares, count = 0.0, 0.0, 0
    for weight in weights:
        total += weight
    mean = total / len(weights)
    for weight in weights:
        squares += (weight - mean) ** 2
        count += weight != 0
    return 0.5 * WEIGHT_PRECISION * unit**2 * squares + PER_WEIGHT * count


@compiled
def descend(held: Floats, targets: Floats, totals: Floats, table: Floats, unit: float) -> float:
    """Move one integer at a time, by 1 or to 0, in place, while the loss falls; returns the loss.

    The table (M, C) are the weights, its last row what the scores start with; scores are what is held (M, G),
    times the table, times the unit. All dendrites keep a weight other than 0.
    """
    M, C = table.shape
    G = held.shape[1]
    scores, shares = np.empty((G, C)), np.empty((G, C))
    for g in range(G):
        for c in range(C):
            total = 0.0  # of integers, which add up to the same in any order
            for j in range(M):
                total += held[j, g] * table[j, c]
            scores[g, c] = total * unit
        _softmax(scores[g], shares[g])
    improved, passes = True, 0
    while improved and passes < PASSES:
        improved, passes = False, passes + 1
        for j in range(M):
            for c in range(C):
                pull = unit * _pull(held[j], targets[:, c], totals, shares[:, c])
                steps = (-1.0, 1.0, -table[j, c])
                for s in range(3 if abs(table[j, c]) > 1 else 2):  # to 0 is no step, or one of the others
                    step = steps[s]
                    gain = _spared(table, j, c, step, unit)
                    # The loss is convex: it falls by no more than its slope says.
                    if gain + step * pull < -SURELY:
                        continue
                    gain = _with_fall(gain, held[j], targets[:, c], totals, shares[:, c], step, unit)
                    if gain > 1e-9:
                        table[j, c] += step
                        for g in range(G):
                            if held[j, g] > 0:
                                scores[g, c] += step * unit
                                _softmax(scores[g], shares[g])
                        improved = True
                        break
    value = loss(scores, targets, totals)
    for j in range(M - 1):
        value += penalty(table[j], unit)
    return value


@part
def _pull(held: Floats, targets: Floats, totals: Floats, shares: Floats) -> float:
    """How fast the loss falls as a score of what is held rises: the targets less the shares."""
    pull = 0.0
    for g in range(len(held)):
        if held[g] > 0:
            pull += totals[g] * (targets[g] - shares[g])
    return pull


@part
def _spared(table: Floats, j: int, c: int, step: float, unit: float) -> float:
    """By how much the penalty falls if one integer moves by a step; minus infinity if it must not."""
    if j == len(table) - 1:
        return 0.0
    before, count = table[j, c], 0
    for weight in table[j]:
        count += weight != 0
    if before + step == 0 and count == 1:
        return -np.inf
    spared = penalty(table[j], unit)
    table[j, c] = before + step
    spared -= penalty(table[j], unit)
    table[j, c] = before
    return spared


@part
def _with_fall(
    gain: float, held: Floats, targets: Floats, totals: Floats, shares: Floats, step: float, unit: float
) -> float:
    """The gain, with that by which the loss falls if a score of what is held moves by a step."""
    factor = exp(step * unit) - 1
    for g in range(len(held)):
        if held[g] > 0:
            gain += totals[g] * (targets[g] * step * unit - log1p(shares[g] * factor))
    return gain


@part
def _softmax(scores: Floats, shares: Floats) -> None:
    highest, total = highest_of(scores), 0.0
    for c in range(len(scores)):
        shares[c] = exp(scores[c] - highest)
        total += shares[c]
    for c in range(len(scores)):
        shares[c] /= total
