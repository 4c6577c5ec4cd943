"""The compiled core of `modn.fast.objective`: float32, single-threaded, without state.

Until the soma sums them, all dendrites of all individuals are independent of each other. So the kernels deal
them out to the LANES numbers of a vector (`modn.fast.packing`) and compute on whole vectors only: the
dendrites (`modn.fast.dendrites`), the soma, and what follows it (`modn.fast.heads`).

Arguments: `parameters` (S, 2DM + 2C) and P (S or 1, M, C) as in `Objective`; `scaling` holds what turns a row
of parameters into slopes and offsets.
"""

# numba infers the types of compiled functions itself
# mypy: allow-untyped-defs

import numpy as np

from modn.fast.compiling import compiled, part
from modn.fast.dendrites import TILE, compute_dendrites, n_table_rows, synapses_gradient, unclamped
from modn.fast.heads import head_gradient, head_loss
from modn.fast.lanes import LANES, load, multiply_add, splat, store
from modn.fast.packing import (
    clear,
    f32,
    fold,
    largest_chunk,
    n_folded_rows,
    new_vectors,
    pack_counts,
    pack_filter,
    pack_synapses,
    pack_telodendra,
    unfold,
    unpack_gradient,
)


@part
def _soma(Z, first_Z, lane_P, fed, V):
    """Eq. 5: add one vector of dendrites to V (C R rows)."""
    R = V.shape[0] // lane_P.shape[0]
    for k in range(fed[0]):
        p, v = load(lane_P, fed[1 + k]), fed[1 + k] * R
        for n in range(R):
            store(V, v + n, multiply_add(p, load(Z, first_Z + n), load(V, v + n)))


@compiled
def population_loss(block, parameters, P, scaling, head):
    """Return the sum over the block's samples of their loss (S,)."""
    S, D = parameters.shape[0], block.features.shape[0]
    M, C = P.shape[1:]
    R = block.counts.shape[0]
    loss = np.zeros(S, np.float64)
    lane_loss = np.empty(LANES, np.float64)
    slope, offset = new_vectors(D), new_vectors(D)
    lane_P, lane_w_t, lane_theta_t = new_vectors(C), new_vectors(C), new_vectors(C)
    table, parts = new_vectors(n_table_rows(block)), new_vectors(block.parts.shape[0])
    Z, bound, fed = new_vectors(np.int64(TILE)), new_vectors(np.int64(1)), np.empty(1 + C, np.int64)
    V, lane_counts = new_vectors(C * R), new_vectors(block.counts.size)
    first, packed = np.int64(0), 0  # a literal is a type of its own, to compile for
    while first < S:
        size = largest_chunk(S - first)
        clear(V, C * R)
        for vector in range((M * size + LANES - 1) // LANES):
            pack_synapses(parameters, scaling, M, first, size, vector, slope, offset)
            pack_filter(P, first, size, vector, lane_P, fed)
            if unclamped(slope, offset, bound):
                compute_dendrites(block, slope, offset, None, parts, table, Z, 0, fed, lane_P, V)
            else:
                compute_dendrites(block, slope, offset, None, None, table, Z, 0, fed, lane_P, V)
        fold(V, C, size)
        pack_telodendra(parameters, scaling, C, first, size, lane_w_t, lane_theta_t)
        if packed != size:
            pack_counts(block.counts, size, lane_counts)
            packed = size
        head_loss(head, V, lane_counts, lane_w_t, lane_theta_t, n_folded_rows(R, size), lane_loss)
        for lane in range(LANES):
            loss[first + lane % size] += lane_loss[lane]
        first += size
    return loss


@compiled
def filters_loss(block, parameters, P, scaling, head):
    """Return the same for filters P (S, M, C) and one row of parameters: the dendrites are computed once.

    Here the lanes are filters, and the soma is a matrix product of the dendrites (R, M) and the filters.
    """
    D = block.features.shape[0]
    S, M, C = P.shape
    R = block.counts.shape[0]
    loss = np.empty(S, np.float64)
    lane_loss = np.empty(LANES, np.float64)
    slope, offset = new_vectors(D), new_vectors(D)
    lane_w_t, lane_theta_t = new_vectors(C), new_vectors(C)
    table, Z, lane_P = new_vectors(n_table_rows(block)), new_vectors(R), new_vectors(C * M)
    V, lane_counts = new_vectors(C * R), new_vectors(block.counts.size)

    dendrites = np.empty((R, M), f32)
    for vector in range((M + LANES - 1) // LANES):
        pack_synapses(parameters, scaling, M, 0, 1, vector, slope, offset)
        compute_dendrites(block, slope, offset, None, None, table, Z, 0, None, None, None)
        for n in range(R):
            for j in range(vector * LANES, min(M, (vector + 1) * LANES)):
                dendrites[n, j] = Z[n, j - vector * LANES]
    pack_telodendra(parameters, scaling, C, 0, 1, lane_w_t, lane_theta_t)
    pack_counts(block.counts, LANES, lane_counts)

    for first in range(0, S, LANES):
        for c in range(C):
            for j in range(M):
                for lane in range(LANES):
                    lane_P[c * M + j, lane] = f32(P[first + lane, j, c]) if first + lane < S else f32(0.0)
        for n in range(R):
            for c in range(C):
                total = splat(0.0)
                for j in range(M):
                    total = multiply_add(splat(dendrites[n, j]), load(lane_P, c * M + j), total)
                store(V, c * R + n, total)
        head_loss(head, V, lane_counts, lane_w_t, lane_theta_t, R, lane_loss)
        for lane in range(min(LANES, S - first)):
            loss[first + lane] = lane_loss[lane]
    return loss


@part
def _dendrites_gradient(Z, first_Z, lane_P, dV, dlog_Z, first):
    """Eq. 5 backwards: dlog_Z[first + n] = Z dloss/dZ."""
    C = lane_P.shape[0]
    R = dV.shape[0] // C
    for n in range(R):
        total = splat(0.0)
        for c in range(C):
            total = multiply_add(load(lane_P, c), load(dV, c * R + n), total)
        store(dlog_Z, first + n, total * load(Z, first_Z + n))


@part
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
def population_gradient(block, parameters, P, scaling, head, dying, loss, gradient, dP):
    """Add the sums over the block's samples to loss (S,), gradient (S, 2DM + 2C) and dP (S, M, C), float64.

    `dying` is None, or for the published gradients the exp(-a) above which a synapse counts as Y = 1, in the
    loss too. `dP` is empty, or for a filter P of real numbers where its gradient goes.
    """
    S, D = parameters.shape[0], block.features.shape[0]
    M, C = P.shape[1:]
    R = block.counts.shape[0]
    lane_loss = np.empty(LANES, np.float64)
    dw_t, dtheta_t = np.empty((C, LANES), np.float64), np.empty((C, LANES), np.float64)
    slope, offset, da, da_x = new_vectors(D), new_vectors(D), new_vectors(D), new_vectors(D)
    lane_P, lane_w_t, lane_theta_t = new_vectors(C), new_vectors(C), new_vectors(C)
    table_rows = n_table_rows(block)
    table, Z, parts = new_vectors(table_rows), new_vectors(M * R), new_vectors(block.parts.shape[0])
    V, lane_counts = new_vectors(C * R), new_vectors(block.counts.size)
    bound, fed = new_vectors(np.int64(1)), np.empty(1 + C, np.int64)
    first, packed = np.int64(0), 0  # a literal is a type of its own, to compile for
    while first < S:
        size = largest_chunk(S - first)
        n_vectors = (M * size + LANES - 1) // LANES
        clear(V, C * R)
        for vector in range(n_vectors):
            pack_synapses(parameters, scaling, M, first, size, vector, slope, offset)
            pack_filter(P, first, size, vector, lane_P, fed)
            if dying is None and unclamped(slope, offset, bound):
                compute_dendrites(block, slope, offset, None, parts, table, Z, vector * R, None, None, None)
            else:
                compute_dendrites(block, slope, offset, dying, None, table, Z, vector * R, None, None, None)
            _soma(Z, vector * R, lane_P, fed, V)
        fold(V, C, size)
        pack_telodendra(parameters, scaling, C, first, size, lane_w_t, lane_theta_t)
        if packed != size:
            pack_counts(block.counts, size, lane_counts)
            packed = size
        n_rows = n_folded_rows(R, size)
        head_gradient(head, V, lane_counts, lane_w_t, lane_theta_t, n_rows, lane_loss, dw_t, dtheta_t)
        for lane in range(LANES):
            loss[first + lane % size] += lane_loss[lane]
            for c in range(C):
                gradient[first + lane % size, 2 * D * M + c] += scaling.alpha_t * dw_t[c, lane]
                gradient[first + lane % size, 2 * D * M + C + c] += scaling.alpha_t * dtheta_t[c, lane]
        unfold(V, C, size)
        for vector in range(n_vectors):
            pack_synapses(parameters, scaling, M, first, size, vector, slope, offset)
            pack_filter(P, first, size, vector, lane_P, fed)
            if dP.size > 0:
                _filter_gradient(Z, vector * R, V, first, size, vector, da, dP)
            _dendrites_gradient(Z, vector * R, lane_P, V, table, table_rows - R)
            if dying is None and unclamped(slope, offset, bound):
                synapses_gradient(block, slope, offset, None, parts, table, da, da_x)
            else:
                synapses_gradient(block, slope, offset, dying, None, table, da, da_x)
            unpack_gradient(da, da_x, scaling, M, first, size, vector, gradient)
        first += size
