"""Rows of parameters to lanes and back: which lane of which vector belongs to which dendrite.

A chunk of `size` individuals (a power of two up to LANES) fills a vector with LANES / size dendrites of each:
lane l of vector k is dendrite k (LANES / size) + l // size of the chunk's individual l % size. A population
fills the vectors with individuals, a single neuron fills them with its dendrites.
"""

# numba infers the types of compiled functions itself
# mypy: allow-untyped-defs

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from modn.fast.compiling import compiled, part
from modn.fast.lanes import LANES, fold_lanes, load, load_from, repeat_lanes, splat, store, store_from

f32 = np.float32
LOG2_E = 1.4426950408889634

# Beyond it every sigmoid is saturated: coefficients are cut there so that float32 stays finite.
LARGEST = 1e30


class Scaling(NamedTuple):
    """The scaling factors, and the features' own: x = middle + half x', x' within [-1, 1]."""

    alpha_s: float
    alpha_t: float
    middle: NDArray[np.float64]  # (D,)
    half: NDArray[np.float64]  # (D,)


@compiled
def new_vectors(n):
    """Return an array of n vectors that starts at a multiple of their size: none straddles cache lines."""
    memory = np.empty((n + 1) * LANES, f32)
    first = (-(memory.ctypes.data // 4)) % LANES
    return memory[first : first + n * LANES].reshape(n, LANES)


@part
def clear(vectors, n):
    """Set the first n vectors to 0."""
    for row in range(n):
        store(vectors, row, splat(0.0))


@part
def largest_chunk(remaining):
    """Return the size of the next chunk, if so many individuals remain."""
    size = LANES
    while size > remaining:
        size //= 2
    return size


@part
def _cut(number):
    return f32(min(max(number, -LARGEST), LARGEST))


@part
def n_folded_rows(R, size):
    """Return how many vectors R samples of `size` individuals fill."""
    return (R * size + LANES - 1) // LANES


@part
def pack_synapses(parameters, scaling, M, first, size, vector, slope, offset):
    """Write the coefficients of one vector's synapses to slope and offset (D, LANES).

    Lanes behind the last dendrite repeat it; `pack_filter` lets them feed no output.
    """
    D = slope.shape[0]
    unit = scaling.alpha_s * LOG2_E
    for i in range(D):
        for d in range(LANES // size):
            j = min(vector * (LANES // size) + d, M - 1)
            for s in range(size):
                w = parameters[first + s, i * M + j]
                theta = parameters[first + s, (D + i) * M + j]
                slope[i, d * size + s] = _cut(-unit * (w * scaling.half[i]))
                offset[i, d * size + s] = _cut(unit * (theta - w * scaling.middle[i]))


@part
def pack_filter(P, first, size, vector, lane_P, fed):
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
                p = f32(P[individual, j, c]) if j < M else f32(0.0)
                lane_P[c, d * size + s] = p
                is_fed |= p != 0
        if is_fed:
            fed[0] += 1
            fed[fed[0]] = c


@part
def pack_telodendra(parameters, scaling, C, first, size, lane_w_t, lane_theta_t):
    """Write alpha_t w_t and alpha_t theta_t of a chunk to (C, LANES)."""
    n = parameters.shape[1]
    for c in range(C):
        for lane in range(LANES):
            row = first + lane % size
            lane_w_t[c, lane] = _cut(scaling.alpha_t * parameters[row, n - 2 * C + c])
            lane_theta_t[c, lane] = _cut(scaling.alpha_t * parameters[row, n - C + c])


@part
def pack_counts(counts, size, lane_counts):
    """Write the counts beside the folded soma: `fold` moves sample n of individual s to n size + s."""
    R, C = counts.shape
    for c in range(C):
        numbers = lane_counts[c * R : (c + 1) * R].reshape(R * LANES)
        for n in range(R):  # what is written beyond the individuals of a sample, the next one overwrites
            store_from(numbers, n * size, splat(counts[n, c]))
        for number in range(R * size, n_folded_rows(R, size) * LANES):
            numbers[number] = f32(0.0)


@part
def fold(V, C, size):
    """Add up the LANES / size partial sums of each individual, and close up the numbers of each output.

    Half of the lanes is added to the other half until `size` are left.
    """
    R = V.shape[0] // C
    if size == LANES:
        return
    for c in range(C):
        numbers = V[c * R : (c + 1) * R].reshape(R * LANES)
        for n in range(R):
            sums = fold_lanes(load(V, c * R + n), 8)
            if size < 8:
                sums = fold_lanes(sums, 4)
            if size < 4:
                sums = fold_lanes(sums, 2)
            if size < 2:
                sums = fold_lanes(sums, 1)
            store_from(numbers, n * size, sums)  # the next sample overwrites all but the first `size` lanes


@part
def unfold(dV, C, size):
    """Give each dendrite its individual's gradient: the transpose of `fold`, from the last sample on."""
    R = dV.shape[0] // C
    if size == LANES:
        return
    for c in range(C):
        numbers = dV[c * R : (c + 1) * R].reshape(R * LANES)
        for n in range(R - 1, -1, -1):
            gradient = load_from(numbers, n * size)
            if size == 8:
                gradient = repeat_lanes(gradient, 8)
            elif size == 4:
                gradient = repeat_lanes(gradient, 4)
            elif size == 2:
                gradient = repeat_lanes(gradient, 2)
            else:
                gradient = repeat_lanes(gradient, 1)
            store(dV, c * R + n, gradient)


@part
def unpack_gradient(da, da_x, scaling, M, first, size, vector, gradient):
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
