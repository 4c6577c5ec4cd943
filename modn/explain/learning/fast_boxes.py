"""The compiled parts of learning: the best box of a dendrite, and the loss as a function of the telodendra.

A box is an interval of codes [low, high] per column; a code is the rank of a value among the distinct values
of its column, and -1 a missing value, which every interval holds. Loss and gains are in nats.
"""

from math import exp, log

import numpy as np
from numpy.typing import NDArray

from modn.fast.compiling import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Codes = NDArray[np.int32]
Flags = NDArray[np.bool_]

# What a dendrite adds to a class of which nothing is known, in nats, and how firmly this is believed.
W_PRIOR, W_PRECISION = 1.5, 5.0
THETA_PRECISION = 1e-3  # scores are relative: without it, a constant could be added to all theta_t
SMALLEST_GAIN = 1e-6


@compiled
def holds(codes: Codes, low: Codes, high: Codes) -> Flags:
    """Whether each sample (N,) is in the box."""
    D, N = codes.shape
    inside = np.ones(N, np.bool_)
    for i in range(D):
        for n in range(N):
            code = codes[i, n]
            if code >= 0 and (code < low[i] or code > high[i]):
                inside[n] = False
    return inside


@compiled
def n_sides(low: Codes, high: Codes, n_codes: Codes) -> int:
    """The number of conditions of a box: one for each end of an interval that is not the column's own."""
    count = 0
    for i in range(len(low)):
        count += (low[i] > 0) + (high[i] < n_codes[i] - 1)
    return count


@compiled
def best_interval(
    histogram: Floats, n_codes: int, penalty: float, excitatory: bool, inhibitory: bool
) -> tuple[float, int, int]:
    """The interval of codes with the highest sum, less the penalty for each condition: value, low, high.

    One pass over the cumulative sum: the best interval up to a code begins after the lowest sum before it.
    """
    total = 0.0
    for k in range(n_codes):
        total += histogram[k]
    best, low, high = total, 0, n_codes - 1
    cumulative, lowest, after_lowest = 0.0, np.inf, 0
    for k in range(n_codes - 1):
        cumulative += histogram[k]
        if inhibitory and cumulative - penalty > best + 1e-12:
            best, low, high = cumulative - penalty, 0, k
        if excitatory and total - cumulative - penalty > best + 1e-12:
            best, low, high = total - cumulative - penalty, k + 1, n_codes - 1
        if excitatory and inhibitory:
            if cumulative - lowest - 2 * penalty > best + 1e-12:
                best, low, high = cumulative - lowest - 2 * penalty, after_lowest, k
            if cumulative < lowest:
                lowest, after_lowest = cumulative, k + 1
    return best, low, high


@compiled
def climb(
    codes: Codes,
    n_codes: Codes,
    gains: Floats,
    low: Codes,
    high: Codes,
    penalty: float,
    excitatory: Flags,
    inhibitory: Flags,
) -> float:
    """Improve a box in place, the most rewarding column first, until no interval can be improved.

    Returns the sum of the gains of the samples in the box, less the penalty for each condition.
    """
    D, N = codes.shape
    outside = np.zeros(N, np.int32)  # how many columns have the sample out of their interval
    for i in range(D):
        for n in range(N):
            outside[n] += codes[i, n] >= 0 and (codes[i, n] < low[i] or codes[i, n] > high[i])
    value = -penalty * n_sides(low, high, n_codes)
    for n in range(N):
        if outside[n] == 0:
            value += gains[n]
    histogram = np.zeros(n_codes.max())
    while True:
        column, reached, new_low, new_high = -1, value + 1e-9, 0, 0
        for i in range(D):
            if n_codes[i] < 2:
                continue
            histogram[: n_codes[i]] = 0.0
            of_missing = 0.0
            for n in range(N):
                code = codes[i, n]
                if code < 0:
                    if outside[n] == 0:
                        of_missing += gains[n]
                elif outside[n] == 0 or (outside[n] == 1 and (code < low[i] or code > high[i])):
                    histogram[code] += gains[n]
            found, a, b = best_interval(histogram, n_codes[i], penalty, excitatory[i], inhibitory[i])
            others = n_sides(low, high, n_codes) - (low[i] > 0) - (high[i] < n_codes[i] - 1)
            found += of_missing - penalty * others
            if found > reached:
                column, reached, new_low, new_high = i, found, a, b
        if column < 0:
            return value
        for n in range(N):
            code = codes[column, n]
            if code >= 0:
                outside[n] += code < new_low or code > new_high
                outside[n] -= code < low[column] or code > high[column]
        low[column], high[column], value = new_low, new_high, reached


@compiled
def gains_of(scores: Floats, targets: Floats, weights: Floats, w_t: Floats, pattern: Flags) -> Floats:
    """By how much the loss of each sample (N,) falls if a dendrite that feeds `pattern` holds there."""
    N, C = scores.shape
    gains = np.empty(N)
    for n in range(N):
        highest = scores[n].max()
        without, held, linear = 0.0, 0.0, 0.0
        for c in range(C):
            added = w_t[c] if pattern[c] else 0.0
            share = exp(scores[n, c] - highest)
            without += share
            held += share * exp(added)
            linear += targets[n, c] * added
        gains[n] = weights[n] * (log(without) - log(held) + linear)
    return gains


@compiled
def best_dendrite(
    codes: Codes,
    n_codes: Codes,
    scores: Floats,
    targets: Floats,
    weights: Floats,
    w_t: Floats,
    patterns: Flags,
    low: Codes,
    high: Codes,
    starts: Codes,
    pattern_of: Integers,
    penalty: float,
    excitatory: Flags,
    inhibitory: Flags,
) -> tuple[float, int, Codes, Codes]:
    """The box and the row of P that lower the penalised loss most, given the scores without the dendrite.

    For each class alone, climbs begin at the present box (`low`, `high`) and at the whole space; for each
    pattern, at those `starts` (S, 2, D) that have it. Returns the gain, the pattern's number (-1: no dendrite
    gains) and the box.
    """
    D = len(n_codes)
    best, chosen = SMALLEST_GAIN, -1
    best_low, best_high = low.copy(), high.copy()
    for p in range(len(patterns)):
        gains = gains_of(scores, targets, weights, w_t, patterns[p])
        for s in range(-2, len(starts)):
            new_low, new_high = np.zeros_like(low), (n_codes - 1).astype(np.int32)
            if s < 0:
                if patterns[p].sum() > 1:
                    continue
                if s == -2:
                    new_low, new_high = low.copy(), high.copy()
            elif pattern_of[s] != p:
                continue
            else:
                new_low, new_high = starts[s, 0].copy(), starts[s, 1].copy()
            value = climb(codes, n_codes, gains, new_low, new_high, penalty, excitatory, inhibitory)
            bounded = False
            for i in range(D):
                bounded |= new_low[i] > 0 or new_high[i] < n_codes[i] - 1
            if bounded and value > best:
                best, chosen, best_low, best_high = value, p, new_low, new_high
    return best, chosen, best_low, best_high


@compiled
def loss(counts: Floats, targets: Floats, weights: Floats, w_t: Floats, theta_t: Floats) -> float:
    """The cross-entropy of the softmax of the scores w_t counts - theta_t, with the penalty on w_t."""
    N, C = counts.shape
    total = 0.0
    scores = np.empty(C)
    for n in range(N):
        for c in range(C):
            scores[c] = w_t[c] * counts[n, c] - theta_t[c]
        highest = scores.max()
        exponentials, linear = 0.0, 0.0
        for c in range(C):
            exponentials += exp(scores[c] - highest)
            linear += targets[n, c] * scores[c]
        total += weights[n] * (highest + log(exponentials) - linear)
    for c in range(C):
        total += 0.5 * W_PRECISION * (w_t[c] - W_PRIOR) ** 2 + 0.5 * THETA_PRECISION * theta_t[c] ** 2
    return total


@compiled
def derivatives(
    counts: Floats, targets: Floats, weights: Floats, w_t: Floats, theta_t: Floats
) -> tuple[Floats, Floats]:
    """The gradient (2C,) and the Hessian (2C, 2C) of the loss with respect to w_t and theta_t."""
    N, C = counts.shape
    gradient, hessian = np.zeros(2 * C), np.zeros((2 * C, 2 * C))
    p = np.empty(C)
    for n in range(N):
        for c in range(C):
            p[c] = w_t[c] * counts[n, c] - theta_t[c]
        p = np.exp(p - p.max())
        p /= p.sum()
        for c in range(C):
            residual = weights[n] * (p[c] - targets[n, c])
            gradient[c] += residual * counts[n, c]
            gradient[C + c] -= residual
            for d in range(C):
                curvature = weights[n] * ((p[c] if c == d else 0.0) - p[c] * p[d])
                hessian[c, d] += curvature * counts[n, c] * counts[n, d]
                hessian[c, C + d] -= curvature * counts[n, c]
                hessian[C + c, d] -= curvature * counts[n, d]
                hessian[C + c, C + d] += curvature
    for c in range(C):
        gradient[c] += W_PRECISION * (w_t[c] - W_PRIOR)
        gradient[C + c] += THETA_PRECISION * theta_t[c]
        hessian[c, c] += W_PRECISION
        hessian[C + c, C + c] += THETA_PRECISION
    return gradient, hessian
