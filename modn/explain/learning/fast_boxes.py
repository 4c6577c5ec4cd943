"""The compiled parts of learning: the best box of a dendrite, and the weights of given boxes.

A box is an interval of codes [low, high] per column; a code is the rank of a value among the distinct values
of its column, and -1 a missing value, which every interval holds. Loss and gains are in nats.
"""

from math import exp, log

import numpy as np
from numpy.typing import NDArray

from modn.fast.compiling import compiled

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Flags = NDArray[np.bool_]

WEIGHT_PRECISION = 2.0  # how firmly a weight is believed to be small
THETA_PRECISION = 1e-3  # scores are relative: without it, a constant could be added to all theta_t
SMALLEST_GAIN = 1e-6
CLOSE = 1e-2  # nats: a fit that gains less is near enough to its end
REFINED = 3  # of all climbs those with the highest gains, whose weights are fitted
LONGEST_STEP = 1.0  # nats
ROUNDS = 2  # of fitting the weights of a dendrite and climbing again


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
def shares_of(scores: Floats) -> Floats:
    """The softmax (N, C) of the scores."""
    shares = np.empty_like(scores)
    for n in range(len(scores)):
        highest, total = scores[n].max(), 0.0
        for c in range(scores.shape[1]):
            shares[n, c] = exp(scores[n, c] - highest)
            total += shares[n, c]
        for c in range(scores.shape[1]):
            shares[n, c] /= total
    return shares


@compiled
def gains_of(shares: Floats, targets: Floats, added: Floats) -> Floats:
    """By how much the loss of each sample (N,) falls if a dendrite that adds this to the scores holds."""
    N, C = shares.shape
    gains = np.empty(N)
    factors = np.exp(added)
    for n in range(N):
        held, linear = 0.0, 0.0
        for c in range(C):
            held += shares[n, c] * factors[c]
            linear += targets[n, c] * added[c]
        gains[n] = linear - log(held)
    return gains


@compiled
def fit_dendrite(
    scores: Floats, targets: Floats, held: Flags, added: Floats, shift: Floats, iterations: int
) -> float:
    """The best weights (C,) of one dendrite and shift (C,) of all scores, in place, by Newton steps.

    `scores` are those without the dendrite. Returns the loss, and the penalty on these weights.
    """
    N, C = scores.shape
    value = _loss_with(scores, targets, held, added, shift)
    p = np.empty(C)
    for _ in range(iterations):
        gradient, hessian = np.zeros(2 * C), np.zeros((2 * C, 2 * C))
        for n in range(N):
            inside = held[n]
            for c in range(C):
                p[c] = scores[n, c] + shift[c] + (added[c] if inside else 0.0)
            highest, total = p.max(), 0.0
            for c in range(C):
                p[c] = exp(p[c] - highest)
                total += p[c]
            for c in range(C):
                p[c] /= total
            for c in range(C):
                residual = p[c] - targets[n, c]
                gradient[C + c] += residual
                if inside:
                    gradient[c] += residual
                for d in range(c + 1):
                    curvature = (p[c] if c == d else 0.0) - p[c] * p[d]
                    hessian[C + c, C + d] += curvature
                    if inside:
                        hessian[c, d] += curvature
        for c in range(C):
            for d in range(c):
                hessian[d, c] = hessian[c, d]
                hessian[C + d, C + c] = hessian[C + c, C + d]
            for d in range(C):
                hessian[c, C + d] = hessian[C + d, c] = hessian[max(c, d), min(c, d)]
        for c in range(C):
            gradient[c] += WEIGHT_PRECISION * added[c]
            gradient[C + c] += THETA_PRECISION * shift[c]
            hessian[c, c] += WEIGHT_PRECISION
            hessian[C + c, C + c] += THETA_PRECISION
        step = np.linalg.solve(hessian, gradient)
        length, before = 1.0, value
        while length > 1e-2:
            moved, shifted = added - length * step[:C], shift - length * step[C:]
            found = _loss_with(scores, targets, held, moved, shifted)
            if found < value:
                added[:], shift[:], value = moved, shifted, found
                break
            length /= 2
        if before - value < CLOSE:
            break
    return value


@compiled
def _loss_with(scores: Floats, targets: Floats, held: Flags, added: Floats, shift: Floats) -> float:
    N, C = scores.shape
    total = 0.0
    s = np.empty(C)
    for n in range(N):
        linear = 0.0
        for c in range(C):
            s[c] = scores[n, c] + shift[c] + (added[c] if held[n] else 0.0)
            linear += targets[n, c] * s[c]
        highest = s.max()
        exponentials = 0.0
        for c in range(C):
            exponentials += exp(s[c] - highest)
        total += highest + log(exponentials) - linear
    for c in range(C):
        total += 0.5 * WEIGHT_PRECISION * added[c] ** 2 + 0.5 * THETA_PRECISION * shift[c] ** 2
    return total


@compiled
def best_stumps(
    codes: Codes, n_codes: Codes, shares: Floats, targets: Floats, excitatory: Flags, inhibitory: Flags
) -> tuple[Codes, Floats]:
    """The condition of each column with the highest gain by the quadratic approximation of the loss.

    Returns boxes (D, 2, D) of one condition each and their weights (D, C); a column of one code has none.
    """
    D, N = codes.shape
    C = shares.shape[1]
    slopes, curvatures = targets - shares, shares * (1 - shares)
    boxes, weights = np.zeros((D, 2, D), np.int32), np.zeros((D, C))
    for i in range(D):
        boxes[i, 1] = n_codes - 1
        K = n_codes[i]
        G, H = np.zeros((K, C)), np.zeros((K, C))
        for n in range(N):
            code = codes[i, n]
            if code >= 0:
                G[code] += slopes[n]
                H[code] += curvatures[n]
        all_G, all_H = G.sum(axis=0), H.sum(axis=0)
        low_G, low_H, best = np.zeros(C), np.zeros(C), 0.0
        for k in range(K - 1):
            low_G += G[k]
            low_H += H[k]
            low = low_G / (low_H + WEIGHT_PRECISION)
            high = (all_G - low_G) / (all_H - low_H + WEIGHT_PRECISION)
            gain = (low * low_G).sum() + (high * (all_G - low_G)).sum()
            if gain > best and (excitatory[i] or inhibitory[i]):
                best = gain
                above = excitatory[i] and (not inhibitory[i] or low_H.sum() > all_H.sum() / 2)
                boxes[i, 0, i] = k + 1 if above else 0
                boxes[i, 1, i] = K - 1 if above else k
                weights[i] = high - low if above else low - high
    return boxes, weights


@compiled
def best_dendrite(
    codes: Codes,
    n_codes: Codes,
    scores: Floats,
    targets: Floats,
    others: Flags,
    loss: float,
    starts: Codes,
    candidates: Floats,
    penalty: float,
    excitatory: Flags,
    inhibitory: Flags,
) -> tuple[float, Codes, Floats, Floats]:
    """The box, weights and shift that lower the penalised loss most, given the scores without the dendrite.

    It says something new: it is neither the same nor the opposite of one of the `others` (M, N).

    Climbs begin at each of the `starts` (S, 2, D) with its `candidates` (S, C) for the weights. For the most
    rewarding ones, fits of the weights and further climbs follow one another. Returns the gain (0: there is
    none), the box (2, D), weights and shift.
    """
    S, C = candidates.shape
    reached = np.empty(S)
    boxes, shares = starts.copy(), shares_of(scores)
    for s in range(S):
        gains = gains_of(shares, targets, candidates[s])
        reached[s] = climb(codes, n_codes, gains, boxes[s, 0], boxes[s, 1], penalty, excitatory, inhibitory)
        if n_sides(boxes[s, 0], boxes[s, 1], n_codes) == 0:
            reached[s] = -np.inf
        for r in range(s):
            if (boxes[r] == boxes[s]).all():
                reached[s] = -np.inf
                break
    best = SMALLEST_GAIN
    best_box, best_added, best_shift = boxes[0].copy(), np.zeros(C), np.zeros(C)
    found, refined = False, 0
    for s in np.argsort(-reached, kind="mergesort"):
        if reached[s] == -np.inf or refined == REFINED:
            break
        added, shift, box = candidates[s].copy(), np.zeros(C), boxes[s].copy()
        for r in range(ROUNDS):
            sides = n_sides(box[0], box[1], n_codes)
            held = holds(codes, box[0], box[1])
            if sides == 0 or _is_known(held, others):
                break
            refined += r == 0
            value = loss - fit_dendrite(scores, targets, held, added, shift, 4) - penalty * sides
            if value > best:
                best, found = value, True
                best_box[:], best_added[:], best_shift[:] = box, added, shift
            before = box.copy()
            gains = gains_of(shares_of(scores + shift), targets, added)
            climb(codes, n_codes, gains, box[0], box[1], penalty, excitatory, inhibitory)
            if (before == box).all():
                break
    return (best if found else 0.0), best_box, best_added, best_shift


@compiled
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


@compiled
def fit_weights(held: Flags, targets: Floats, weights: Floats, theta_t: Floats, cycles: int) -> float:
    """Improve weights (M, C) and theta_t (C,) in place, a Newton step for each dendrite (M, N) in turn.

    Returns the loss, the penalty on the weights included.
    """
    M, N = held.shape
    C = len(theta_t)
    scores = np.zeros((N, C)) - theta_t
    for j in range(M):
        for n in range(N):
            if held[j, n]:
                for c in range(C):
                    scores[n, c] += weights[j, c]
    everywhere, nothing = np.ones(N, np.bool_), np.zeros(C)
    value = np.inf
    for _ in range(cycles):
        before = value
        for j in range(M):
            weights[j] -= _newton_step(scores, targets, held[j], weights[j], WEIGHT_PRECISION)
        theta_t += _newton_step(scores, targets, everywhere, nothing, THETA_PRECISION)
        value = _loss_with(scores, targets, everywhere, nothing, nothing)
        for j in range(M):
            value += 0.5 * WEIGHT_PRECISION * (weights[j] ** 2).sum()
        if before - value < CLOSE:
            break
    return value


@compiled
def _newton_step(scores: Floats, targets: Floats, held: Flags, weights: Floats, precision: float) -> Floats:
    """A step of what is added to the scores of the samples that are held; the scores follow it."""
    N, C = scores.shape
    gradient, hessian = precision * weights, precision * np.eye(C)
    p = np.empty(C)
    for n in range(N):
        if held[n]:
            highest, total = scores[n].max(), 0.0
            for c in range(C):
                p[c] = exp(scores[n, c] - highest)
                total += p[c]
            for c in range(C):
                p[c] /= total
                gradient[c] += p[c] - targets[n, c]
                hessian[c, c] += p[c]
            for c in range(C):
                for d in range(c + 1):
                    hessian[c, d] -= p[c] * p[d]
    for c in range(C):
        for d in range(c):
            hessian[d, c] = hessian[c, d]
    step = np.linalg.solve(hessian, gradient).astype(np.float64)
    step *= min(1.0, LONGEST_STEP / np.abs(step).max())  # far from the minimum, Newton steps are too long
    for n in range(N):
        if held[n]:
            for c in range(C):
                scores[n, c] -= step[c]
    return step
