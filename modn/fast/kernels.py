"""The compiled core of `modn.fast.objective`: float32, single-threaded, without state.

Until the soma sums them, all dendrites of all individuals are independent of each other. So the kernel deals
them out to the LANES numbers of a vector and computes on whole vectors only. A chunk of `size` individuals (a
power of two up to LANES) fills a vector with LANES / size dendrites of each: lane l of vector k is dendrite
k (LANES / size) + l // size of the chunk's individual l % size. A population fills the vectors with
individuals, a single neuron fills them with its dendrites; the arithmetic is the same.

A synapse's exp(-a) is 2^(offset + slope x), and a dendrite is Z = 1 / prod_i (1 + exp(-a_i)): one exp and no
division per synapse, and an overflow to infinity is the right limit Z = 0. In what order the factors are
computed and multiplied is the `Block`'s recipe (`modn.fast.distinct`).

Arguments: `parameters` (S, 2DM + 2C) and P (S or 1, M, C) as in `Objective`; `scaling` holds what turns a row
of parameters into slopes and offsets.
"""

# numba infers the types of compiled functions itself
# mypy: allow-untyped-defs

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from modn.fast.compiling import compiled, inlined
from modn.fast.lanes import (
    LANES,
    exp2,
    exp2_within,
    load,
    log,
    maximum,
    minimum,
    multiply_add,
    reciprocal,
    splat,
    store,
    tanh,
    zero_where_above,
)

_f32 = np.float32
_LOG2_E = 1.4426950408889634

# No product is taken to be above it, that is no dendrite below its inverse: the soma would not see the
# difference in float32, and a gradient times a smaller number would become denormal (see `exp2`).
_CLOSED = 1e15

# Beyond it every sigmoid is saturated: coefficients are cut there so that float32 stays finite.
_LARGEST = 1e30

# Where all |slope| + |offset| are at most that, `exp2` would not clamp 2^(offset + slope x), and 2^(slope x)
# is within float32 even for x = 2, the most that a fine part can be.
_UNCLAMPED = 40.0

_TILE = 256  # so many samples' products stay in the first-level cache on their way to the soma
_ROWS_PER_SUM = 32  # float32 sums of so many terms are then added up in float64

# What follows the soma: MODN's telodendra and softmax with the exact or one of the published gradients, the
# DNM's single sigmoid with the exact one, or the softmax of what MODN takes the tanh of.
MODN, MODNP_PUBLISHED, MODNF_PUBLISHED, DNM, POTENTIALS = 0, 1, 2, 3, 4


class Scaling(NamedTuple):
    """The scaling factors, and the features' own: x = middle + half x', x' within [-1, 1]."""

    alpha_s: float
    alpha_t: float
    middle: NDArray[np.float64]  # (D,)
    half: NDArray[np.float64]  # (D,)


@compiled
def _vectors(n):
    """Return an array of n vectors that starts at a multiple of their size: none straddles cache lines."""
    memory = np.empty((n + 1) * LANES, _f32)
    first = (-(memory.ctypes.data // 4)) % LANES
    return memory[first : first + n * LANES].reshape(n, LANES)


@compiled
def _clear(vectors, n):
    """Set the first n vectors to 0."""
    for row in range(n):
        store(vectors, row, splat(0.0))


@compiled
def _largest_chunk(remaining):
    size = LANES
    while size > remaining:
        size //= 2
    return size


@compiled
def _cut(number):
    return _f32(min(max(number, -_LARGEST), _LARGEST))


@compiled
def _n_folded_rows(R, size):
    """Return how many vectors R samples of `size` individuals fill."""
    return (R * size + LANES - 1) // LANES


# From the parameters to lanes


@compiled
def _pack_synapses(parameters, scaling, M, first, size, vector, slope, offset):
    """Write the coefficients of one vector's synapses to slope and offset (D, LANES).

    Lanes behind the last dendrite repeat it; `_pack_filter` sees to it that they feed no output.
    """
    D = slope.shape[0]
    unit = scaling.alpha_s * _LOG2_E
    for i in range(D):
        for d in range(LANES // size):
            j = min(vector * (LANES // size) + d, M - 1)
            for s in range(size):
                w = parameters[first + s, i * M + j]
                theta = parameters[first + s, (D + i) * M + j]
                slope[i, d * size + s] = _cut(-unit * (w * scaling.half[i]))
                offset[i, d * size + s] = _cut(unit * (theta - w * scaling.middle[i]))


@compiled
def _pack_filter(P, first, size, vector, lane_P, fed):
    """Write one vector's rows of P to lane_P (C, LANES), and which outputs it feeds to fed (1 + C).

    fed[0] is their number.
    """
    M, C = P.shape[1:]
    fed[0] = 0
    for c in range(C):
        is_fed = False
        for d in range(LANES // size):
            j = vector * (LANES // size) + d
            for s in range(size):
                individual = first + s if P.shape[0] > 1 else 0
                p = _f32(P[individual, j, c]) if j < M else _f32(0.0)
                lane_P[c, d * size + s] = p
                is_fed |= p != 0
        if is_fed:
            fed[0] += 1
            fed[fed[0]] = c


@compiled
def _pack_telodendra(parameters, scaling, C, first, size, lane_w_t, lane_theta_t):
    """Write alpha_t w_t and alpha_t theta_t of a chunk to (C, LANES)."""
    n = parameters.shape[1]
    for c in range(C):
        for lane in range(LANES):
            row = first + lane % size
            lane_w_t[c, lane] = _cut(scaling.alpha_t * parameters[row, n - 2 * C + c])
            lane_theta_t[c, lane] = _cut(scaling.alpha_t * parameters[row, n - C + c])


@compiled
def _pack_counts(counts, size, lane_counts):
    """Write the counts beside the folded soma: `_fold` moves sample n of individual s to n size + s."""
    R, C = counts.shape
    for c in range(C):
        numbers = lane_counts[c * R : (c + 1) * R].reshape(R * LANES)
        for n in range(R):
            for s in range(size):
                numbers[n * size + s] = counts[n, c]
        for number in range(R * size, _n_folded_rows(R, size) * LANES):
            numbers[number] = _f32(0.0)


# Forward


@compiled
def _n_table_rows(block):
    return 1 + block.starts[block.n_tabled] + block.left.shape[0]


@compiled
def _unclamped(slope, offset, bound):
    """Return whether offset + slope x', x' within [-1, 1], needs no clamp in any lane of any synapse.

    bound (1, LANES) is working memory.
    """
    zero, largest = splat(0.0), splat(0.0)
    for i in range(slope.shape[0]):
        i_slope, i_offset = load(slope, i), load(offset, i)
        size = maximum(i_slope, zero - i_slope) + maximum(i_offset, zero - i_offset)
        largest = maximum(largest, size)
    store(bound, 0, largest)
    above = False
    for lane in range(LANES):
        above |= bound[0, lane] > _UNCLAMPED
    return not above


@compiled
def _synapse(slope, offset, x, dying):
    """Return exp(-a); with the published rule 0, that is Y = 1, where it is above `dying` (None: no rule)."""
    e = exp2(multiply_add(slope, splat(x), offset))
    return e if dying is None else zero_where_above(e, e, splat(dying))


@compiled
def _is_split(block, f):
    return block.part_starts[2 * f] < block.part_starts[2 * f + 2]


@inlined
def _compute_parts(features, values, starts, slope, offset, parts):
    """Write 2^(offset + slope coarse) and 2^(slope fine), the factors of split values' exp(-a)."""
    for f in range(features.shape[0]):
        f_slope, f_offset = load(slope, features[f]), load(offset, features[f])
        for k in range(starts[2 * f], starts[2 * f + 1]):
            store(parts, k, exp2_within(multiply_add(f_slope, splat(values[k]), f_offset)))
        for k in range(starts[2 * f + 1], starts[2 * f + 2]):
            store(parts, k, exp2_within(f_slope * splat(values[k])))


@compiled
def _dendrites(block, slope, offset, dying, parts, table, Z, first_Z, fed, lane_P, V):
    """Eqs. 1, 2 and 5 of one vector of dendrites: follow the recipe, Z = 1 / product, V += P Z.

    If V is None, all Z[first_Z + n] are kept instead; else Z has room for a tile of samples only. `parts` is
    None, or memory for the two factors of split values' exp(-a): only where `_unclamped` holds, as clamped
    factors do not multiply to the clamped product, and without a `dying` rule.

    It is one function because a call costs: numba passes a block as some sixty numbers.
    """
    one = splat(1.0)
    D, n_tabled = block.features.shape[0], block.n_tabled
    store(table, 0, one)
    if parts is not None:
        _compute_parts(block.features, block.parts, block.part_starts, slope, offset, parts)
    for f in range(n_tabled):
        f_slope, f_offset = load(slope, block.features[f]), load(offset, block.features[f])
        if parts is None:
            for u in range(block.starts[f], block.starts[f + 1]):
                store(table, 1 + u, one + _synapse(f_slope, f_offset, block.values[u], dying))
        elif _is_split(block, f):
            for u in range(block.starts[f], block.starts[f + 1]):
                e = load(parts, block.coarse[u]) * load(parts, block.fine[u])
                store(table, 1 + u, one + e)
        else:
            for u in range(block.starts[f], block.starts[f + 1]):
                e = exp2_within(multiply_add(f_slope, splat(block.values[u]), f_offset))
                store(table, 1 + u, one + e)
    R = block.counts.shape[0]
    first_pair, first_sample = 1 + block.starts[n_tabled], block.left.shape[0] - R
    for r in range(first_sample):
        store(table, first_pair + r, load(table, block.left[r]) * load(table, block.right[r]))
    for first in range(0, R, _TILE):
        size = min(_TILE, R - first)
        z = first_Z if V is not None else first_Z + first
        sample = first_sample + first
        for n in range(size):
            store(Z, z + n, load(table, block.left[sample + n]) * load(table, block.right[sample + n]))
        for f in range(n_tabled, D):
            f_slope, f_offset = load(slope, block.features[f]), load(offset, block.features[f])
            start = block.starts[f] + first
            if parts is None:
                for n in range(size):
                    # not product + product e: where the product is infinite and e is 0, that is not a number
                    factor = one + _synapse(f_slope, f_offset, block.values[start + n], dying)
                    store(Z, z + n, load(Z, z + n) * factor)
            elif _is_split(block, f):
                for n in range(size):
                    e = load(parts, block.coarse[start + n]) * load(parts, block.fine[start + n])
                    store(Z, z + n, multiply_add(load(Z, z + n), e, load(Z, z + n)))
            else:
                for n in range(size):
                    e = exp2_within(multiply_add(f_slope, splat(block.values[start + n]), f_offset))
                    store(Z, z + n, multiply_add(load(Z, z + n), e, load(Z, z + n)))
        for n in range(size):
            store(Z, z + n, reciprocal(minimum(load(Z, z + n), splat(_CLOSED))))
        if V is not None:
            for k in range(fed[0]):
                p, v = load(lane_P, fed[1 + k]), fed[1 + k] * R + first
                for n in range(size):
                    store(V, v + n, multiply_add(p, load(Z, z + n), load(V, v + n)))


@compiled
def _soma(Z, first_Z, lane_P, fed, V):
    """Eq. 5: add one vector of dendrites to V (C R rows)."""
    R = V.shape[0] // lane_P.shape[0]
    for k in range(fed[0]):
        p, v = load(lane_P, fed[1 + k]), fed[1 + k] * R
        for n in range(R):
            store(V, v + n, multiply_add(p, load(Z, first_Z + n), load(V, v + n)))


@compiled
def _fold(V, C, size):
    """Add up the LANES / size partial sums of each individual, and close up the numbers of each output.

    Half of the lanes is added to the other half until `size` are left.
    """
    R = V.shape[0] // C
    for c in range(C):
        numbers = V[c * R : (c + 1) * R].reshape(R * LANES)
        half = LANES // 2
        while half >= size:
            for n in range(R):
                for lane in range(half):
                    first = 2 * half * n + lane
                    numbers[half * n + lane] = numbers[first] + numbers[first + half]
            half //= 2


@compiled
def _unfold(dV, C, size):
    """Give each dendrite its individual's gradient: the transpose of `_fold`, from the last sample on."""
    R = dV.shape[0] // C
    tile = np.empty(LANES, _f32)
    if size < LANES:
        for c in range(C):
            numbers = dV[c * R : (c + 1) * R].reshape(R * LANES)
            for n in range(R - 1, -1, -1):
                for s in range(size):
                    tile[s] = numbers[n * size + s]
                for lane in range(LANES):
                    numbers[n * LANES + lane] = tile[lane & (size - 1)]  # size is a power of two


# After the soma: functions of n_rows folded vectors per output, V row c R + n


@compiled
def _softmax_loss(V, lane_counts, lane_w_t, lane_theta_t, n):
    """Eqs. 8, 9 and 10 of one vector of samples: minus their log-likelihood. V becomes the telodendra R."""
    C = lane_w_t.shape[0]
    R = V.shape[0] // C
    total = splat(0.0)
    for c in range(C):
        telodendron = tanh(load(lane_w_t, c) * load(V, c * R + n) - load(lane_theta_t, c))
        store(V, c * R + n, telodendron)
        total = total + exp2_within(telodendron * splat(_LOG2_E))
    log_total = log(total)
    loss = splat(0.0)
    for c in range(C):
        loss = multiply_add(load(lane_counts, c * R + n), log_total - load(V, c * R + n), loss)
    return loss


@compiled
def _sigmoid_loss(V, lane_counts, lane_w_t, lane_theta_t, n):
    """Eqs. 4 and 10 of one vector of samples: log(1 + exp(u)), minus u for those of class 1."""
    R = V.shape[0]
    u = load(lane_w_t, 0) * load(V, n) - load(lane_theta_t, 0)
    size = maximum(u, splat(0.0) - u)
    softplus = maximum(u, splat(0.0)) + log(splat(1.0) + exp2(size * splat(-_LOG2_E)))
    positives = load(lane_counts, R + n)
    return (load(lane_counts, n) + positives) * softplus - positives * u


@compiled
def _head_loss(head, V, lane_counts, lane_w_t, lane_theta_t, n_rows, lane_loss):
    """Write the sums over the samples of each lane to lane_loss (LANES,)."""
    sums = _vectors(1)
    lane_loss.fill(0.0)
    for first in range(0, n_rows, _ROWS_PER_SUM):
        partial = splat(0.0)
        for n in range(first, min(first + _ROWS_PER_SUM, n_rows)):
            if head == DNM:
                partial = partial + _sigmoid_loss(V, lane_counts, lane_w_t, lane_theta_t, n)
            else:
                partial = partial + _softmax_loss(V, lane_counts, lane_w_t, lane_theta_t, n)
        store(sums, 0, partial)
        for lane in range(LANES):
            lane_loss[lane] += sums[0, lane]


@compiled
def population_loss(block, parameters, P, scaling, head):
    """Return the sum over the block's samples of -log O[true class] (S,); `head` is MODN or DNM."""
    S, D = parameters.shape[0], block.features.shape[0]
    M, C = P.shape[1:]
    R = block.counts.shape[0]
    loss = np.zeros(S, np.float64)
    lane_loss = np.empty(LANES, np.float64)
    slope, offset = _vectors(D), _vectors(D)
    lane_P, lane_w_t, lane_theta_t = _vectors(C), _vectors(C), _vectors(C)
    table, parts = _vectors(_n_table_rows(block)), _vectors(block.parts.shape[0])
    Z, bound, fed = _vectors(_TILE), _vectors(1), np.empty(1 + C, np.int64)
    V, lane_counts = _vectors(C * R), _vectors(block.counts.size)
    first, packed = 0, 0
    while first < S:
        size = _largest_chunk(S - first)
        _clear(V, C * R)
        for vector in range((M * size + LANES - 1) // LANES):
            _pack_synapses(parameters, scaling, M, first, size, vector, slope, offset)
            _pack_filter(P, first, size, vector, lane_P, fed)
            if _unclamped(slope, offset, bound):
                _dendrites(block, slope, offset, None, parts, table, Z, 0, fed, lane_P, V)
            else:
                _dendrites(block, slope, offset, None, None, table, Z, 0, fed, lane_P, V)
        _fold(V, C, size)
        _pack_telodendra(parameters, scaling, C, first, size, lane_w_t, lane_theta_t)
        if packed != size:
            _pack_counts(block.counts, size, lane_counts)
            packed = size
        _head_loss(head, V, lane_counts, lane_w_t, lane_theta_t, _n_folded_rows(R, size), lane_loss)
        for lane in range(LANES):
            loss[first + lane % size] += lane_loss[lane]
        first += size
    return loss


@compiled
def filters_loss(block, parameters, P, scaling):
    """Return the same for filters P (S, M, C) and one row of parameters: the dendrites are computed once.

    Here the lanes are filters, and the soma is a matrix product of the dendrites (R, M) and the filters.
    """
    D = block.features.shape[0]
    S, M, C = P.shape
    R = block.counts.shape[0]
    loss = np.empty(S, np.float64)
    lane_loss = np.empty(LANES, np.float64)
    slope, offset = _vectors(D), _vectors(D)
    lane_w_t, lane_theta_t = _vectors(C), _vectors(C)
    table, Z, lane_P = _vectors(_n_table_rows(block)), _vectors(R), _vectors(C * M)
    V, lane_counts = _vectors(C * R), _vectors(block.counts.size)

    dendrites = np.empty((R, M), _f32)
    for vector in range((M + LANES - 1) // LANES):
        _pack_synapses(parameters, scaling, M, 0, 1, vector, slope, offset)
        _dendrites(block, slope, offset, None, None, table, Z, 0, None, None, None)
        for n in range(R):
            for j in range(vector * LANES, min(M, (vector + 1) * LANES)):
                dendrites[n, j] = Z[n, j - vector * LANES]
    _pack_telodendra(parameters, scaling, C, 0, 1, lane_w_t, lane_theta_t)
    _pack_counts(block.counts, LANES, lane_counts)

    for first in range(0, S, LANES):
        for c in range(C):
            for j in range(M):
                for lane in range(LANES):
                    chosen = first + lane < S and P[first + lane, j, c]
                    lane_P[c * M + j, lane] = _f32(1.0) if chosen else _f32(0.0)
        for n in range(R):
            for c in range(C):
                total = splat(0.0)
                for j in range(M):
                    total = multiply_add(splat(dendrites[n, j]), load(lane_P, c * M + j), total)
                store(V, c * R + n, total)
        _head_loss(MODN, V, lane_counts, lane_w_t, lane_theta_t, R, lane_loss)
        for lane in range(min(LANES, S - first)):
            loss[first + lane] = lane_loss[lane]
    return loss


# Backward


@compiled
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
        total = total + exp2(telodendron * splat(_LOG2_E))
        samples = samples + load(lane_counts, c * R + n)
        true_R = multiply_add(load(lane_counts, c * R + n), telodendron, true_R)
    inverse_total = reciprocal(total)
    for c in range(C):
        telodendron, count = load(R_n, c), load(lane_counts, c * R + n)
        proba = exp2(telodendron * splat(_LOG2_E)) * inverse_total
        slope = one - telodendron * telodendron
        exact = (samples * proba - count) * slope
        published = count * (proba - one) * slope  # minus Eqs. 15 and 16, without V
        store(dU, c, exact if head == MODN else published)
        # Eqs. 17 and 18 have the other sign, Eqs. 19-22 are exact
        soma = splat(0.0) - published if head == MODNP_PUBLISHED else exact
        store(V, c * R + n, soma * load(lane_w_t, c))
    return samples * log(total) - true_R


@compiled
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
        total = total + exp2((load(dU, c) - largest) * splat(_LOG2_E))
    inverse_total = reciprocal(total)
    for c in range(C):
        proba = exp2((load(dU, c) - largest) * splat(_LOG2_E)) * inverse_total
        gradient = samples * proba - load(lane_counts, c * R + n)
        store(dU, c, gradient)
        store(V, c * R + n, gradient * load(lane_w_t, c))
    return samples * (log(total) + largest) - true_U


@compiled
def _sigmoid_gradient(V, lane_counts, lane_w_t, lane_theta_t, n, dU):
    """Return `_sigmoid_loss`; V becomes dloss/dV and dU (1, LANES) dloss/dU."""
    R = V.shape[0]
    loss = _sigmoid_loss(V, lane_counts, lane_w_t, lane_theta_t, n)
    u = load(lane_w_t, 0) * load(V, n) - load(lane_theta_t, 0)
    positives = load(lane_counts, R + n)
    proba = reciprocal(splat(1.0) + exp2(u * splat(-_LOG2_E)))
    gradient = (load(lane_counts, n) + positives) * proba - positives
    store(dU, 0, gradient)
    store(V, n, gradient * load(lane_w_t, 0))
    return loss


@compiled
def _head_gradient(head, V, lane_counts, lane_w_t, lane_theta_t, n_rows, lane_loss, dw_t, dtheta_t):
    """Write the sums over samples to lane_loss (LANES,), dw_t and dtheta_t (C, LANES); V becomes dloss/dV."""
    C = lane_w_t.shape[0]
    R = V.shape[0] // C
    R_n, V_n, dU, loss = _vectors(C), _vectors(C), _vectors(C), _vectors(1)
    lane_loss.fill(0.0)
    dw_t.fill(0.0)
    dtheta_t.fill(0.0)
    for n in range(n_rows):
        for c in range(C):
            store(V_n, c, load(V, c * R + n))
        if head == DNM:
            store(loss, 0, _sigmoid_gradient(V, lane_counts, lane_w_t, lane_theta_t, n, dU))
        elif head == POTENTIALS:
            store(loss, 0, _potentials_gradient(V, lane_counts, lane_w_t, lane_theta_t, n, dU))
        else:
            store(loss, 0, _softmax_gradient(head, V, lane_counts, lane_w_t, lane_theta_t, n, R_n, dU))
        for lane in range(LANES):
            lane_loss[lane] += loss[0, lane]
        for c in range(C):
            for lane in range(LANES):
                dw_t[c, lane] += dU[c, lane] * V_n[c, lane]
                dtheta_t[c, lane] -= dU[c, lane]


@compiled
def _dendrites_gradient(Z, first_Z, lane_P, dV, dlog_Z, first):
    """Eq. 5 backwards: dlog_Z[first + n] = Z dloss/dZ."""
    C = lane_P.shape[0]
    R = dV.shape[0] // C
    for n in range(R):
        total = splat(0.0)
        for c in range(C):
            total = multiply_add(load(lane_P, c), load(dV, c * R + n), total)
        store(dlog_Z, first + n, total * load(Z, first_Z + n))


@compiled
def _filter_gradient(Z, first_Z, dV, first, size, vector, sums, dP):
    """Eq. 5 backwards, its other factor: add one vector's dloss/dP to dP (S, M, C).

    sums (1, LANES) is working memory.
    """
    M, C = dP.shape[1:]
    R = dV.shape[0] // C
    for c in range(C):
        total = splat(0.0)
        for n in range(R):
            total = multiply_add(load(Z, first_Z + n), load(dV, c * R + n), total)
        store(sums, 0, total)
        for d in range(min(LANES // size, M - vector * (LANES // size))):
            for s in range(size):
                dP[first + s, vector * (LANES // size) + d, c] += sums[0, d * size + s]


@compiled
def _synapses_gradient(block, slope, offset, dying, parts, table, da, da_x):
    """Eqs. 1 and 2 backwards: da and da_x (D, LANES) get the sums of dloss/da and of dloss/da x'.

    log Z is minus the sum of log(1 + exp(-a)), so dlog_Z goes unchanged to both factors of a pair, and
    dlog_Z/da = 1 - Y = e / (1 + e) turns it into the gradient of a synapse's potential. `parts` as in
    `_dendrites`.
    """
    one = splat(1.0)
    R = block.counts.shape[0]
    first_pair = 1 + block.starts[block.n_tabled]
    n_pairs = block.left.shape[0]
    samples = first_pair + n_pairs - R
    _clear(table, samples)
    for r in range(n_pairs - 1, -1, -1):
        share = load(table, first_pair + r)
        store(table, block.left[r], load(table, block.left[r]) + share)
        store(table, block.right[r], load(table, block.right[r]) + share)
    if parts is not None:
        _compute_parts(block.features, block.parts, block.part_starts, slope, offset, parts)
    for f in range(block.features.shape[0]):
        i = block.features[f]
        f_slope, f_offset = load(slope, i), load(offset, i)
        start, stop = block.starts[f], block.starts[f + 1]
        first = 1 + start if f < block.n_tabled else samples
        total, total_x = splat(0.0), splat(0.0)
        split = parts is not None and _is_split(block, f)
        for u in range(stop - start):
            x = block.values[start + u]
            if parts is None:
                e = _synapse(f_slope, f_offset, x, dying)
            elif split:
                e = load(parts, block.coarse[start + u]) * load(parts, block.fine[start + u])
            else:
                e = exp2_within(multiply_add(f_slope, splat(x), f_offset))
            gradient = load(table, first + u) * (e * reciprocal(one + e))
            total = total + gradient
            total_x = multiply_add(gradient, splat(x), total_x)
        store(da, i, total)
        store(da_x, i, total_x)


@compiled
def _unpack_gradient(da, da_x, scaling, M, first, size, vector, gradient):
    """Add one vector's share to its places: a = alpha_s (w x - theta), x = middle + half x'."""
    D = da.shape[0]
    for i in range(D):
        for d in range(min(LANES // size, M - vector * (LANES // size))):
            j = vector * (LANES // size) + d
            for s in range(size):
                lane = d * size + s
                dx = scaling.middle[i] * da[i, lane] + scaling.half[i] * da_x[i, lane]
                gradient[first + s, i * M + j] += scaling.alpha_s * dx
                gradient[first + s, (D + i) * M + j] -= scaling.alpha_s * da[i, lane]


@compiled
def population_gradient(block, parameters, P, scaling, head, dying, loss, gradient, dP):
    """Add the sums over the block's samples to loss (S,), gradient (S, 2DM + 2C) and dP (S, M, C), float64.

    `dying` is None, or for the published gradients the exp(-a) above which a synapse counts as Y = 1, in the
    loss too. `dP` is None, or for a filter P of real numbers where its gradient goes.
    """
    S, D = parameters.shape[0], block.features.shape[0]
    M, C = P.shape[1:]
    R = block.counts.shape[0]
    lane_loss = np.empty(LANES, np.float64)
    dw_t, dtheta_t = np.empty((C, LANES), np.float64), np.empty((C, LANES), np.float64)
    slope, offset, da, da_x = _vectors(D), _vectors(D), _vectors(D), _vectors(D)
    lane_P, lane_w_t, lane_theta_t = _vectors(C), _vectors(C), _vectors(C)
    n_table_rows = _n_table_rows(block)
    table, Z, parts = _vectors(n_table_rows), _vectors(M * R), _vectors(block.parts.shape[0])
    V, lane_counts = _vectors(C * R), _vectors(block.counts.size)
    bound, fed = _vectors(1), np.empty(1 + C, np.int64)
    first, packed = 0, 0
    while first < S:
        size = _largest_chunk(S - first)
        n_vectors = (M * size + LANES - 1) // LANES
        _clear(V, C * R)
        for vector in range(n_vectors):
            _pack_synapses(parameters, scaling, M, first, size, vector, slope, offset)
            _pack_filter(P, first, size, vector, lane_P, fed)
            if dying is None and _unclamped(slope, offset, bound):
                _dendrites(block, slope, offset, None, parts, table, Z, vector * R, None, None, None)
            else:
                _dendrites(block, slope, offset, dying, None, table, Z, vector * R, None, None, None)
            _soma(Z, vector * R, lane_P, fed, V)
        _fold(V, C, size)
        _pack_telodendra(parameters, scaling, C, first, size, lane_w_t, lane_theta_t)
        if packed != size:
            _pack_counts(block.counts, size, lane_counts)
            packed = size
        n_rows = _n_folded_rows(R, size)
        _head_gradient(head, V, lane_counts, lane_w_t, lane_theta_t, n_rows, lane_loss, dw_t, dtheta_t)
        for lane in range(LANES):
            loss[first + lane % size] += lane_loss[lane]
            for c in range(C):
                gradient[first + lane % size, 2 * D * M + c] += scaling.alpha_t * dw_t[c, lane]
                gradient[first + lane % size, 2 * D * M + C + c] += scaling.alpha_t * dtheta_t[c, lane]
        _unfold(V, C, size)
        for vector in range(n_vectors):
            _pack_synapses(parameters, scaling, M, first, size, vector, slope, offset)
            _pack_filter(P, first, size, vector, lane_P, fed)
            if dP is not None:
                _filter_gradient(Z, vector * R, V, first, size, vector, da, dP)
            _dendrites_gradient(Z, vector * R, lane_P, V, table, n_table_rows - R)
            if dying is None and _unclamped(slope, offset, bound):
                _synapses_gradient(block, slope, offset, None, parts, table, da, da_x)
            else:
                _synapses_gradient(block, slope, offset, dying, None, table, da, da_x)
            _unpack_gradient(da, da_x, scaling, M, first, size, vector, gradient)
        first += size
