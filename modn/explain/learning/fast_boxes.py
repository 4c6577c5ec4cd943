"""The compiled search for the best box of a dendrite.

A box is an interval of codes [low, high] per column; a code is the rank of a value among the distinct values
of its column, and -1 a missing value, which every interval holds. Gains are in nats.
"""

from math import exp

import numpy as np
from numpy.typing import NDArray

from modn.explain.learning.fast_weights import (
    WEIGHT_PRECISION,
    Flags,
    Floats,
    fit_dendrite,
    gains_of,
)
from modn.fast.compiling import compiled, part

Codes = NDArray[np.int32]

SMALLEST_GAIN = 1e-6
REFINED = 3  # of all climbs those with the highest gains, whose weights are fitted
SURELY = 1e-6  # nats: more than rounding adds to a sum over all samples
ROUNDS = 2  # of fitting the weights of a dendrite and climbing again


@compiled
def holds(codes: Codes, low: Codes, high: Codes) -> Flags:
    """Whether each sample (N,) is in the box."""
    D, N = codes.shape
    inside = np.empty(N, np.bool_)
    for n in range(N):
        inside[n] = True
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
def widen(codes: Codes, n_codes: Codes, low: Codes, high: Codes) -> None:
    """Remove the conditions of a box, one at a time, in place, that exclude no sample of their own."""
    D, N = codes.shape
    outside = np.zeros(N, np.int32)  # how many columns have the sample out of their interval
    for i in range(D):
        for n in range(N):
            outside[n] += codes[i, n] >= 0 and (codes[i, n] < low[i] or codes[i, n] > high[i])
    for i in range(D):
        below, above = 0, 0  # samples that only this condition excludes
        for n in range(N):
            if outside[n] == 1 and codes[i, n] >= 0:
                below += codes[i, n] < low[i]
                above += codes[i, n] > high[i]
        new_low, new_high = (0 if below == 0 else low[i]), (n_codes[i] - 1 if above == 0 else high[i])
        for n in range(N):
            code = codes[i, n]
            if (0 <= code < low[i] and code >= new_low) or (high[i] < code <= new_high):
                outside[n] -= 1
        low[i], high[i] = new_low, new_high


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


@part
def _highest(histogram: Floats, n_codes: int, penalty: float) -> float:
    """No interval of codes has a higher sum, less its penalty: all codes, or those that reward alone."""
    total, rewards = 0.0, 0.0
    for k in range(n_codes):
        total += histogram[k]
        rewards += max(histogram[k], 0.0)
    return max(total, rewards - penalty + SURELY)


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
    which = np.zeros(N, np.int32)  # their sum: the column itself where it is a single one
    for i in range(D):
        if low[i] > 0 or high[i] < n_codes[i] - 1:
            for n in range(N):
                if codes[i, n] >= 0 and (codes[i, n] < low[i] or codes[i, n] > high[i]):
                    outside[n] += 1
                    which[n] += i
    sides = n_sides(low, high, n_codes)
    value = -penalty * sides
    for n in range(N):
        if outside[n] == 0:
            value += gains[n]
    most_codes = n_codes[0]
    for i in range(D):
        most_codes = max(most_codes, n_codes[i])
    histograms = np.empty((D, most_codes + 1))  # of gains over codes; first those of missing values
    column = -1
    while True:
        settled, column, reached, new_low, new_high = column, -1, value + 1e-9, 0, 0
        for i in range(D):
            for k in range(most_codes + 1):
                histograms[i, k] = 0.0
        for n in range(N):
            if outside[n] == 0:
                for i in range(D):
                    histograms[i, codes[i, n] + 1] += gains[n]
            elif outside[n] == 1:
                histograms[which[n], codes[which[n], n] + 1] += gains[n]
        for i in range(D):
            if n_codes[i] < 2 or i == settled:
                continue
            others = sides - (low[i] > 0) - (high[i] < n_codes[i] - 1)
            besides = histograms[i, 0] - penalty * others
            if _highest(histograms[i, 1:], n_codes[i], penalty) + besides <= reached:
                continue
            found, a, b = best_interval(histograms[i, 1:], n_codes[i], penalty, excitatory[i], inhibitory[i])
            found += besides
            if found > reached:
                column, reached, new_low, new_high = i, found, a, b
        if column < 0:
            return value
        for n in range(N):
            code = codes[column, n]
            if code >= 0:
                change = int(code < new_low or code > new_high)
                change -= int(code < low[column] or code > high[column])
                outside[n] += change
                which[n] += change * column
        low[column], high[column], value = new_low, new_high, reached
        sides = n_sides(low, high, n_codes)


@compiled
def best_stumps(
    codes: Codes, n_codes: Codes, shares: Floats, targets: Floats, excitatory: Flags, inhibitory: Flags
) -> tuple[Codes, Floats]:
    """The condition of each column with the highest gain by the quadratic approximation of the loss.

    Returns boxes (D, 2, D) of one condition each and their weights (D, C); a column of one code has none.
    """
    D, N = codes.shape
    C = shares.shape[1]
    boxes, weights = np.zeros((D, 2, D), np.int32), np.zeros((D, C))
    for i in range(D):
        for k in range(D):
            boxes[i, 1, k] = n_codes[k] - 1
        K = n_codes[i]
        G, H = np.zeros((K, C)), np.zeros((K, C))
        all_G, all_H, low_G, low_H = np.zeros(C), np.zeros(C), np.zeros(C), np.zeros(C)
        for n in range(N):
            code = codes[i, n]
            if code >= 0:
                for c in range(C):
                    slope, curvature = targets[n, c] - shares[n, c], shares[n, c] * (1 - shares[n, c])
                    G[code, c] += slope
                    H[code, c] += curvature
                    all_G[c] += slope
                    all_H[c] += curvature
        best = 0.0
        for k in range(K - 1):
            gain = 0.0
            for c in range(C):
                low_G[c] += G[k, c]
                low_H[c] += H[k, c]
                gain += low_G[c] ** 2 / (low_H[c] + WEIGHT_PRECISION)
                gain += (all_G[c] - low_G[c]) ** 2 / (all_H[c] - low_H[c] + WEIGHT_PRECISION)
            if gain > best and (excitatory[i] or inhibitory[i]):
                best, below, total = gain, 0.0, 0.0
                for c in range(C):
                    below += low_H[c]
                    total += all_H[c]
                above = excitatory[i] and (not inhibitory[i] or below > total / 2)
                boxes[i, 0, i] = k + 1 if above else 0
                boxes[i, 1, i] = K - 1 if above else k
                for c in range(C):
                    low = low_G[c] / (low_H[c] + WEIGHT_PRECISION)
                    high = (all_G[c] - low_G[c]) / (all_H[c] - low_H[c] + WEIGHT_PRECISION)
                    weights[i, c] = high - low if above else low - high
    return boxes, weights


@compiled
def best_dendrite(
    codes: Codes,
    n_codes: Codes,
    shares: Floats,
    targets: Floats,
    others: Flags,
    starts: Codes,
    candidates: Floats,
    penalty: float,
    excitatory: Flags,
    inhibitory: Flags,
) -> tuple[float, Codes, Floats, Floats]:
    """The box, weights and shift that lower the penalised loss most, given the shares without the dendrite.

    It says something new: it is neither the same nor the opposite of one of the `others` (M, N).

    Climbs begin at each of the `starts` (S, 2, D) with its `candidates` (S, C) for the weights. For the most
    rewarding ones, fits of the weights and further climbs follow one another. Returns the gain (0: there is
    none), the box (2, D), weights and shift.
    """
    S, C = candidates.shape
    reached = np.empty(S)
    boxes = starts.copy()
    for s in range(S):
        gains = gains_of(shares, targets, candidates[s])
        reached[s] = climb(codes, n_codes, gains, boxes[s, 0], boxes[s, 1], penalty, excitatory, inhibitory)
        if n_sides(boxes[s, 0], boxes[s, 1], n_codes) == 0:
            reached[s] = -np.inf
        for r in range(s):
            if _is_same(boxes[r], boxes[s]):
                reached[s] = -np.inf
                break
    best = SMALLEST_GAIN
    best_box, best_added, best_shift = boxes[0].copy(), np.zeros(C), np.zeros(C)
    found, refined = False, 0
    while refined < REFINED:
        s = 0  # the most rewarding one that is left
        for r in range(S):
            if reached[r] > reached[s]:
                s = r
        if reached[s] == -np.inf:
            break
        reached[s] = -np.inf
        added, shift, box = candidates[s].copy(), np.zeros(C), boxes[s].copy()
        for r in range(ROUNDS):
            sides = n_sides(box[0], box[1], n_codes)
            held = holds(codes, box[0], box[1])
            if sides == 0 or _is_known(held, others):
                break
            refined += r == 0
            # a literal 4 is a type of its own, to compile for
            value = fit_dendrite(shares, targets, held, added, shift, np.int64(4)) - penalty * sides
            if value > best:
                best, found = value, True
                best_box, best_added, best_shift = box.copy(), added.copy(), shift.copy()
            before = box.copy()
            gains = gains_of(_shifted(shares, shift), targets, added)
            climb(codes, n_codes, gains, box[0], box[1], penalty, excitatory, inhibitory)
            if _is_same(before, box):
                break
    return (best if found else 0.0), best_box, best_added, best_shift


@part
def _shifted(shares: Floats, shift: Floats) -> Floats:
    """The shares if this is added to all scores."""
    N, C = shares.shape
    moved, factors = np.empty((N, C)), np.empty(C)
    for c in range(C):
        factors[c] = exp(shift[c])
    for n in range(N):
        total = 0.0
        for c in range(C):
            moved[n, c] = shares[n, c] * factors[c]
            total += moved[n, c]
        for c in range(C):
            moved[n, c] /= total
    return moved


@part
def _is_same(one: Codes, other: Codes) -> bool:
    """Whether two boxes (2, D) are equal."""
    different = 0
    for i in range(one.shape[1]):
        different += one[0, i] != other[0, i] or one[1, i] != other[1, i]
    return different == 0


@part
def _is_known(held: Flags, others: Flags) -> bool:
    """Whether one of the others (M, N) is the same everywhere, or the opposite everywhere."""
    for j in range(len(others)):
        n = 1
        opposite = held[0] != others[j, 0]
        while n < len(held) and (held[n] != others[j, n]) == opposite:
            n += 1
        if n == len(held):
            return True
    return False
