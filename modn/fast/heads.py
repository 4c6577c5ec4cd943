"""What follows the soma: the outputs, the loss, and its gradient back to the soma.

Functions of `n_rows` folded vectors per output: V row c R + n, R distinct samples.
"""

# numba infers the types of compiled functions itself
# mypy: allow-untyped-defs

import numpy as np

from modn.fast.compiling import part
from modn.fast.lanes import (
    LANES,
    exp2,
    exp2_within,
    load,
    log,
    maximum,
    multiply_add,
    reciprocal,
    splat,
    store,
    tanh,
)
from modn.fast.packing import LOG2_E, new_vectors

# A head is a tuple, because numba compiles for the length of a tuple, and leaves out the branches of others.
# MODN's telodendra and softmax with the exact or one of the published gradients; a sigmoid for each label,
# such as the DNM's only one; the softmax of what MODN takes the tanh of; numbers (`modn.targets`).
_EXACT, _PUBLISHED_P, _PUBLISHED_F = 0, 1, 2
MODN, MODNP_PUBLISHED, MODNF_PUBLISHED = (_EXACT,), (_PUBLISHED_P,), (_PUBLISHED_F,)
SIGMOID, POTENTIALS, IDENTITY = (0,) * 2, (0,) * 3, (0,) * 4
_SIGMOID, _POTENTIALS, _IDENTITY = len(SIGMOID), len(POTENTIALS), len(IDENTITY)

ROWS_PER_SUM = 32  # float32 sums of so many terms are then added up in float64


@part
def _softmax_loss(V, lane_counts, lane_w_t, lane_theta_t, n):
    """Eqs. 8, 9 and 10 of one vector of samples: minus their log-likelihood. V becomes the telodendra R."""
    C = lane_w_t.shape[0]
    R = V.shape[0] // C
    total = splat(0.0)
    for c in range(C):
        telodendron = tanh(load(lane_w_t, c) * load(V, c * R + n) - load(lane_theta_t, c))
        store(V, c * R + n, telodendron)
        total = total + exp2_within(telodendron * splat(LOG2_E))
    log_total = log(total)
    loss = splat(0.0)
    for c in range(C):
        loss = multiply_add(load(lane_counts, c * R + n), log_total - load(V, c * R + n), loss)
    return loss


@part
def _label_loss(U, positives, samples):
    """Eqs. 4 and 10 of one label: log(1 + exp(U)), minus U for the samples that have it."""
    size = maximum(U, splat(0.0) - U)
    softplus = maximum(U, splat(0.0)) + log(splat(1.0) + exp2(size * splat(-LOG2_E)))
    return samples * softplus - positives * U


@part
def _sigmoid_loss(V, lane_counts, lane_w_t, lane_theta_t, n):
    """The loss of all labels of one vector of samples; counts has those with each label, and all."""
    C = lane_w_t.shape[0]
    R = V.shape[0] // C
    samples, loss = load(lane_counts, C * R + n), splat(0.0)
    for c in range(C):
        U = load(lane_w_t, c) * load(V, c * R + n) - load(lane_theta_t, c)
        loss = loss + _label_loss(U, load(lane_counts, c * R + n), samples)
    return loss


@part
def _identity_loss(V, lane_counts, lane_w_t, lane_theta_t, n):
    """Half of the squared errors of one vector of samples; counts has their means, and the weight."""
    C = lane_w_t.shape[0]
    R = V.shape[0] // C
    squares = splat(0.0)
    for c in range(C):
        U = load(lane_w_t, c) * load(V, c * R + n) - load(lane_theta_t, c)
        error = U - load(lane_counts, c * R + n)
        squares = multiply_add(error, error, squares)
    return splat(0.5) * load(lane_counts, C * R + n) * squares


@part
def head_loss(head, V, lane_counts, lane_w_t, lane_theta_t, n_rows, lane_loss):
    """Write the sums over the samples of each lane to lane_loss (LANES,)."""
    sums = new_vectors(np.int64(1))  # a literal is a type of its own, to compile for
    lane_loss.fill(0.0)
    for first in range(0, n_rows, ROWS_PER_SUM):
        partial = splat(0.0)
        for n in range(first, min(first + ROWS_PER_SUM, n_rows)):
            if len(head) == _SIGMOID:
                partial = partial + _sigmoid_loss(V, lane_counts, lane_w_t, lane_theta_t, n)
            elif len(head) == _IDENTITY:
                partial = partial + _identity_loss(V, lane_counts, lane_w_t, lane_theta_t, n)
            else:
                partial = partial + _softmax_loss(V, lane_counts, lane_w_t, lane_theta_t, n)
        store(sums, 0, partial)
        for lane in range(LANES):
            lane_loss[lane] += sums[0, lane]


@part
def _softmax_gradient(head, V, lane_counts, lane_w_t, lane_theta_t, n, R_n, dU):
    """Return `_softmax_loss`; V becomes dloss/dV and dU (C, LANES) dloss/dU, with U = w_t V - theta_t.

    R_n (C, LANES) is working memory.
    """
    C = lane_w_t.shape[0]
    R = V.shape[0] // C
    one = splat(1.0)
    total, samples, true_R = splat(0.0), splat(0.0), splat(0.0)
    for c in range(C):
        telodendron = tanh(load(lane_w_t, c) * load(V, c * R + n) - load(lane_theta_t, c))
        store(R_n, c, telodendron)
        total = total + exp2(telodendron * splat(LOG2_E))
        samples = samples + load(lane_counts, c * R + n)
        true_R = multiply_add(load(lane_counts, c * R + n), telodendron, true_R)
    inverse_total = reciprocal(total)
    for c in range(C):
        telodendron, count = load(R_n, c), load(lane_counts, c * R + n)
        proba = exp2(telodendron * splat(LOG2_E)) * inverse_total
        slope = one - telodendron * telodendron
        exact = (samples * proba - count) * slope
        published = count * (proba - one) * slope  # minus Eqs. 15 and 16, without V
        store(dU, c, exact if head[0] == _EXACT else published)
        # Eqs. 17 and 18 have the other sign, Eqs. 19-22 are exact
        soma = splat(0.0) - published if head[0] == _PUBLISHED_P else exact
        store(V, c * R + n, soma * load(lane_w_t, c))
    return samples * log(total) - true_R


@part
def _potentials_gradient(V, lane_counts, lane_w_t, lane_theta_t, n, dU):
    """Return the loss of softmax(U), U = w_t V - theta_t; V becomes dloss/dV and dU (C, LANES) dloss/dU."""
    C = lane_w_t.shape[0]
    R = V.shape[0] // C
    samples, true_U = splat(0.0), splat(0.0)
    largest = load(lane_w_t, 0) * load(V, n) - load(lane_theta_t, 0)
    for c in range(C):
        U = load(lane_w_t, c) * load(V, c * R + n) - load(lane_theta_t, c)
        store(dU, c, U)
        largest = maximum(largest, U)
        samples = samples + load(lane_counts, c * R + n)
        true_U = multiply_add(load(lane_counts, c * R + n), U, true_U)
    total = splat(0.0)
    for c in range(C):
        total = total + exp2((load(dU, c) - largest) * splat(LOG2_E))
    inverse_total = reciprocal(total)
    for c in range(C):
        proba = exp2((load(dU, c) - largest) * splat(LOG2_E)) * inverse_total
        gradient = samples * proba - load(lane_counts, c * R + n)
        store(dU, c, gradient)
        store(V, c * R + n, gradient * load(lane_w_t, c))
    return samples * (log(total) + largest) - true_U


@part
def _sigmoid_gradient(V, lane_counts, lane_w_t, lane_theta_t, n, dU):
    """Return `_sigmoid_loss`; V becomes dloss/dV and dU (C, LANES) dloss/dU."""
    C = lane_w_t.shape[0]
    R = V.shape[0] // C
    samples, loss = load(lane_counts, C * R + n), splat(0.0)
    for c in range(C):
        U = load(lane_w_t, c) * load(V, c * R + n) - load(lane_theta_t, c)
        positives = load(lane_counts, c * R + n)
        loss = loss + _label_loss(U, positives, samples)
        proba = reciprocal(splat(1.0) + exp2(U * splat(-LOG2_E)))
        gradient = samples * proba - positives
        store(dU, c, gradient)
        store(V, c * R + n, gradient * load(lane_w_t, c))
    return loss


@part
def _identity_gradient(V, lane_counts, lane_w_t, lane_theta_t, n, dU):
    """Return `_identity_loss`; V becomes dloss/dV and dU (C, LANES) dloss/dU."""
    C = lane_w_t.shape[0]
    R = V.shape[0] // C
    weight, squares = load(lane_counts, C * R + n), splat(0.0)
    for c in range(C):
        U = load(lane_w_t, c) * load(V, c * R + n) - load(lane_theta_t, c)
        error = U - load(lane_counts, c * R + n)
        squares = multiply_add(error, error, squares)
        store(dU, c, weight * error)
        store(V, c * R + n, weight * error * load(lane_w_t, c))
    return splat(0.5) * weight * squares


@part
def head_gradient(head, V, lane_counts, lane_w_t, lane_theta_t, n_rows, lane_loss, dw_t, dtheta_t):
    """Write the sums over samples to lane_loss (LANES,), dw_t and dtheta_t (C, LANES); V becomes dloss/dV."""
    C = lane_w_t.shape[0]
    R = V.shape[0] // C
    R_n, V_n, dU, loss = new_vectors(C), new_vectors(C), new_vectors(C), new_vectors(np.int64(1))
    lane_loss.fill(0.0)
    dw_t.fill(0.0)
    dtheta_t.fill(0.0)
    for n in range(n_rows):
        for c in range(C):
            store(V_n, c, load(V, c * R + n))
        if len(head) == _SIGMOID:
            store(loss, 0, _sigmoid_gradient(V, lane_counts, lane_w_t, lane_theta_t, n, dU))
        elif len(head) == _IDENTITY:
            store(loss, 0, _identity_gradient(V, lane_counts, lane_w_t, lane_theta_t, n, dU))
        elif len(head) == _POTENTIALS:
            store(loss, 0, _potentials_gradient(V, lane_counts, lane_w_t, lane_theta_t, n, dU))
        else:
            store(loss, 0, _softmax_gradient(head, V, lane_counts, lane_w_t, lane_theta_t, n, R_n, dU))
        for lane in range(LANES):
            lane_loss[lane] += loss[0, lane]
        for c in range(C):
            for lane in range(LANES):
                dw_t[c, lane] += dU[c, lane] * V_n[c, lane]
                dtheta_t[c, lane] -= dU[c, lane]
