"""The compiled fits of weights: of one dendrite, or of all in turn.

Fits work on shares, the softmax of the scores: what is added to the scores multiplies the shares, so that no
pass over the samples needs an exponential. Losses and gains are in nats.

Arrays are computed on in plain loops: numba takes several times as long to compile the same as expressions of
whole arrays, mostly for the messages about shapes that do not match.
"""

from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from modn.fast.compiling import compiled, part

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

WEIGHT_PRECISION = 0.5  # how firmly a weight is believed to be small
THETA_PRECISION = 1e-3  # scores are relative: without it, a constant could be added to all theta_t
CLOSE = 1e-2  # nats: a fit that gains less is near enough to its end
LONGEST_STEP = 1.0  # nats


@part
def _solve(matrix: Floats, vector: Floats) -> None:
    """Replace a vector (K,) by the solution of a positive definite system, whose matrix is overwritten.

    By Cholesky's decomposition, for a few variables. LAPACK rounds in another way on another processor, and a
    last digit can decide between two circuits; it would also take 2 s to compile.
    """
    K = len(vector)
    for i in range(K):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            if j < i:
                matrix[i, j] = total / matrix[j, j]
            elif total > 0:
                matrix[i, i] = sqrt(total)
            else:  # not a number, too
                raise np.linalg.LinAlgError("the weights of a circuit have no finite Newton step")
    for i in range(K):
        for k in range(i):
            vector[i] -= matrix[i, k] * vector[k]
        vector[i] /= matrix[i, i]
    for i in range(K - 1, -1, -1):
        for k in range(i + 1, K):
            vector[i] -= matrix[k, i] * vector[k]
        vector[i] /= matrix[i, i]


@part
def highest_of(numbers: Floats) -> float:
    """The highest of some numbers."""
    highest = numbers[0]
    for number in numbers:
        if number > highest:
            highest = number
    return highest


@compiled
def shares_of(scores: Floats) -> Floats:
    """The softmax (N, C) of the scores."""
    shares = np.empty(scores.shape)
    for n in range(len(scores)):
        highest, total = highest_of(scores[n]), 0.0
        for c in range(scores.shape[1]):
            shares[n, c] = exp(scores[n, c] - highest)
            total += shares[n, c]
        for c in range(scores.shape[1]):
            shares[n, c] /= total
    return shares


@compiled
def loss_of(scores: Floats, targets: Floats) -> float:
    """The cross-entropy of the softmax of the scores."""
    N, C = scores.shape
    total = 0.0
    for n in range(N):
        highest, exponentials = highest_of(scores[n]), 0.0
        for c in range(C):
            exponentials += exp(scores[n, c] - highest)
            total += targets[n, c] * (highest - scores[n, c])
        total += log(exponentials)
    return total


@compiled
def gains_of(shares: Floats, targets: Floats, added: Floats) -> Floats:
    """By how much the loss of each sample (N,) falls if a dendrite that adds this to the scores holds."""
    N, C = shares.shape
    gains, factors = np.empty(N), np.empty(C)
    for c in range(C):
        factors[c] = exp(added[c])
    for n in range(N):
        held, linear = 0.0, 0.0
        for c in range(C):
            held += shares[n, c] * factors[c]
            linear += targets[n, c] * added[c]
        gains[n] = linear - log(held)
    return gains


@compiled
def fit_dendrite(
    shares: Floats, targets: Floats, held: Flags, added: Floats, shift: Floats, iterations: int
) -> float:
    """The best weights (C,) of one dendrite and shift (C,) of all scores, in place, by Newton steps.

    `shares` are those without the dendrite. Returns by how much the loss falls, less the penalty on these
    weights.
    """
    N, C = shares.shape
    sums = np.empty((2, C))  # of the targets: outside, and where the dendrite holds
    for c in range(C):
        sums[0, c] = sums[1, c] = 0.0
    for n in range(N):
        side = 1 if held[n] else 0
        for c in range(C):
            sums[side, c] += targets[n, c]
    slopes, curvatures = np.empty((2, C)), np.empty((2, C, C))
    gain = _gain_of_fit(shares, sums, held, added, shift, slopes, curvatures)
    moved, shifted = np.empty(C), np.empty(C)
    moved_slopes, moved_curvatures = np.empty((2, C)), np.empty((2, C, C))
    gradient, hessian = np.empty(2 * C), np.empty((2 * C, 2 * C))
    for _ in range(iterations):
        for c in range(C):
            gradient[c] = slopes[1, c] + WEIGHT_PRECISION * added[c]
            gradient[C + c] = slopes[0, c] + slopes[1, c] + THETA_PRECISION * shift[c]
            for d in range(C):
                inside = curvatures[1, c, d]
                hessian[c, d] = hessian[c, C + d] = hessian[C + c, d] = inside
                hessian[C + c, C + d] = inside + curvatures[0, c, d]
            hessian[c, c] += WEIGHT_PRECISION
            hessian[C + c, C + c] += THETA_PRECISION
        _solve(hessian, gradient)  # the gradient becomes the step
        length, before = 1.0, gain
        while length > 1e-2:
            for c in range(C):
                moved[c], shifted[c] = added[c] - length * gradient[c], shift[c] - length * gradient[C + c]
            found = _gain_of_fit(shares, sums, held, moved, shifted, moved_slopes, moved_curvatures)
            if found > gain:
                gain = found
                for c in range(C):
                    added[c], shift[c] = moved[c], shifted[c]
                slopes, moved_slopes = moved_slopes, slopes
                curvatures, moved_curvatures = moved_curvatures, curvatures
                break
            length /= 2
        if gain - before < CLOSE:
            break
    return gain


@part
def _gain_of_fit(
    shares: Floats,
    sums: Floats,
    held: Flags,
    added: Floats,
    shift: Floats,
    slopes: Floats,
    curvatures: Floats,
) -> float:
    """The gain of a fit; its slopes (2, C) and curvatures (2, C, C), outside and inside, are written."""
    N, C = shares.shape
    factors, p = np.empty((2, C)), np.empty(C)
    for c in range(C):
        factors[0, c], factors[1, c] = exp(shift[c]), exp(shift[c] + added[c])
        for side in range(2):
            slopes[side, c] = 0.0
            for d in range(C):
                curvatures[side, c, d] = 0.0
    gain = 0.0
    for n in range(N):
        side = 1 if held[n] else 0
        total = 0.0
        for c in range(C):
            p[c] = shares[n, c] * factors[side, c]
            total += p[c]
        gain -= log(total)
        for c in range(C):
            p[c] /= total
            slopes[side, c] += p[c]
            for d in range(c):
                curvatures[side, c, d] -= p[c] * p[d]
            curvatures[side, c, c] += p[c] * (1 - p[c])
    for side in range(2):
        for c in range(C):
            slopes[side, c] -= sums[side, c]
            for d in range(c):
                curvatures[side, d, c] = curvatures[side, c, d]
    for c in range(C):
        gain += (sums[0, c] + sums[1, c]) * shift[c] + sums[1, c] * added[c]
        gain -= 0.5 * WEIGHT_PRECISION * added[c] ** 2 + 0.5 * THETA_PRECISION * shift[c] ** 2
    return gain


@compiled
def fit_weights(held: Flags, targets: Floats, weights: Floats, theta_t: Floats, cycles: int) -> float:
    """Improve weights (M, C) and theta_t (C,) in place, a Newton step for each dendrite (M, N) in turn.

    Returns the loss, the penalty on the weights included.
    """
    M, N = held.shape
    C = len(theta_t)
    scores, everywhere, nothing = np.empty((N, C)), np.empty(N, np.bool_), np.empty(C)
    for c in range(C):
        nothing[c] = 0.0
    for n in range(N):
        everywhere[n] = True
        for c in range(C):
            scores[n, c] = 0.0 - theta_t[c]
    for j in range(M):
        for n in range(N):
            if held[j, n]:
                for c in range(C):
                    scores[n, c] += weights[j, c]
    shares, step = shares_of(scores), np.empty(C)
    loss = loss_of(scores, targets)
    value = np.inf
    for _ in range(cycles):
        before = value
        for j in range(M):
            loss -= _newton_step(shares, targets, held[j], weights[j], WEIGHT_PRECISION, step)
            for c in range(C):
                weights[j, c] -= step[c]
        loss -= _newton_step(shares, targets, everywhere, nothing, THETA_PRECISION, step)
        for c in range(C):
            theta_t[c] += step[c]
        value = loss
        for j in range(M):
            for c in range(C):
                value += 0.5 * WEIGHT_PRECISION * weights[j, c] ** 2
        if before - value < CLOSE:
            break
    return value


@part
def _newton_step(
    shares: Floats, targets: Floats, held: Flags, weights: Floats, precision: float, gradient: Floats
) -> float:
    """Write a step of what is added to the scores of the held samples; return by how much the loss falls.

    The shares follow the step, which is written over the gradient.
    """
    N, C = shares.shape
    hessian, sums, factors = np.empty((C, C)), np.empty(C), np.empty(C)
    for c in range(C):
        gradient[c], sums[c] = precision * weights[c], 0.0
        for d in range(C):
            hessian[c, d] = precision if c == d else 0.0
    for n in range(N):
        if held[n]:
            for c in range(C):
                share = shares[n, c]
                gradient[c] += share
                sums[c] += targets[n, c]
                hessian[c, c] += share
                for d in range(c + 1):
                    hessian[c, d] -= share * shares[n, d]
    for c in range(C):
        gradient[c] -= sums[c]
        for d in range(c):
            hessian[d, c] = hessian[c, d]
    _solve(hessian, gradient)
    step, longest, fall = gradient, LONGEST_STEP, 0.0
    for c in range(C):
        longest = max(longest, abs(step[c]))
    for c in range(C):
        step[c] *= LONGEST_STEP / longest  # far from the minimum, Newton steps are too long
        factors[c] = exp(-step[c])
        fall += sums[c] * step[c]
    gain = -fall
    for n in range(N):
        if held[n]:
            total = 0.0
            for c in range(C):
                shares[n, c] *= factors[c]
                total += shares[n, c]
            gain -= log(total)
            for c in range(C):
                shares[n, c] /= total
    return gain
