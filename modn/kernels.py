"""The compiled core of `modn.objective`: numba, float32, single-threaded, no CPU-specific instruction.

Every dendrite of every individual is independent of the others until the soma sums them, so that the kernel
deals them out to LANES parallel lanes, whatever individual they belong to, and computes on whole lanes only: the
innermost loops run over LANES contiguous numbers and LLVM turns them into vector instructions.

A chunk of s individuals (s a power of two up to LANES) fills the lanes of a block with LANES / s dendrites of each
of them: lane l of block k is dendrite j = k LANES / s + l // s of the chunk's individual l % s.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

LANES = 16

_f32 = np.float32
_i32 = np.int32
_LOG2_E = _f32(1.4426950408889634)
_LN_2 = _f32(0.6931471805599453)

# Only contraction to fused multiply-adds: the order of every sum stays as written, and infinities mean what they mean.
_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})


@_compiled
def exp2(t: np.float32) -> np.float32:
    """Return 2^t with a relative error below 2e-7, for t clamped to [-126, 127]: no branch, no call, so it vectorises.

    Adding 1.5 * 2^23 rounds t to an integer that stands in the low bits of the sum; the fraction goes through the
    minimax polynomial of degree 5 on [-1/2, 1/2] and the integer is added to its exponent bits.
    """
    t = min(max(t, _f32(-126.0)), _f32(127.0))
    shifted = t + _f32(12582912.0)
    f = t - (shifted - _f32(12582912.0))
    p = _f32(0.0013276472)
    p = p * f + _f32(0.0096755413)
    p = p * f + _f32(0.0555071327)
    p = p * f + _f32(0.2402211972)
    p = p * f + _f32(0.6931469671)
    p = p * f + _f32(1.0000000717)
    exponent = _f32(shifted).view(_i32) << _i32(23)
    return _i32(_f32(p).view(_i32) + exponent).view(_f32)


@_compiled
def log(x: np.float32) -> np.float32:
    """Return ln x of a positive normal number, with an absolute error below 2e-7 for x in [1/4, 4]."""
    bits = _i32(_f32(x).view(_i32) - _i32(0x3F3504F3))  # counted from sqrt(1/2), so that m is in [0.71, 1.41]
    exponent = _f32(_i32(bits >> _i32(23)))
    f = _i32((bits & _i32(0x007FFFFF)) + _i32(0x3F3504F3)).view(_f32) - _f32(1.0)
    p = _f32(0.089599263)
    p = p * f + _f32(-0.144821931)
    p = p * f + _f32(0.149173758)
    p = p * f + _f32(-0.165437368)
    p = p * f + _f32(0.199584172)
    p = p * f + _f32(-0.250029462)
    p = p * f + _f32(0.333341605)
    p = p * f + _f32(-0.499999777)
    p = p * f + _f32(0.999999975)
    return p * f + exponent * _LN_2


@_compiled
def tanh(x: np.float32) -> np.float32:
    """Return tanh x with an absolute error below 2e-7."""
    return _f32(1.0) - _f32(2.0) / (_f32(1.0) + exp2(x * _f32(2.0) * _LOG2_E))


@_compiled
def _chunk_size(remaining: int) -> int:
    """Return the largest power of two that is not above `remaining` or LANES."""
    size = LANES
    while size > remaining:
        size //= 2
    return size


@_compiled
def _pack(slope, offset, P, first, size, block, lane_slope, lane_offset, lane_P):  # type: ignore[no-untyped-def]
    """Deal out the dendrites of one block to the lanes; a lane without a dendrite feeds no output."""
    D, M = slope.shape[1:]
    for l in range(LANES):
        j = block * (LANES // size) + l // size
        s = first + l % size
        p = s if P.shape[0] > 1 else 0
        for i in range(D):
            lane_slope[i, l] = slope[s, i, j] if j < M else _f32(0.0)
            lane_offset[i, l] = offset[s, i, j] if j < M else _f32(0.0)
        for c in range(P.shape[2]):
            lane_P[c, l] = _f32(1.0) if j < M and P[p, j, c] else _f32(0.0)


@_compiled
def _dendrites(x, lane_slope, lane_offset, Z):  # type: ignore[no-untyped-def]
    """Eqs. 1 and 2 for one block: Z = 1 / prod_i (1 + exp(-a_i)), one exp and no division per synapse."""
    Z[:] = _f32(1.0)
    for i in range(x.shape[0]):
        for n in range(x.shape[1]):
            for l in range(LANES):
                Z[n, l] += Z[n, l] * exp2(lane_offset[i, l] - lane_slope[i, l] * x[i, n])
    for n in range(Z.shape[0]):
        for l in range(LANES):
            Z[n, l] = _f32(1.0) / Z[n, l]


@_compiled
def _soma(Z, lane_P, V):  # type: ignore[no-untyped-def]
    """Eq. 5, one block's share."""
    for c in range(V.shape[0]):
        if lane_P[c].any():
            for n in range(Z.shape[0]):
                for l in range(LANES):
                    V[c, n, l] += lane_P[c, l] * Z[n, l]


@_compiled
def _fold(V, size):  # type: ignore[no-untyped-def]
    """Add up the LANES / size partial sums of each individual; sample n of individual s moves to n size + s."""
    if size < LANES:
        for c in range(V.shape[0]):
            flat = V[c].reshape(V[c].size)
            for n in range(V.shape[1]):
                for s in range(size):
                    total = _f32(0.0)
                    for l in range(s, LANES, size):
                        total += V[c, n, l]
                    flat[n * size + s] = total


@_compiled
def _log_partition(V, lane_w_t, lane_theta_t, n_rows, log_sum):  # type: ignore[no-untyped-def]
    """Eq. 8 in place (V becomes R) and the logarithm of Eq. 9's denominator, for rows of LANES numbers."""
    for n in range(n_rows):
        for l in range(LANES):
            log_sum[n, l] = _f32(0.0)
        for c in range(V.shape[0]):
            for l in range(LANES):
                V[c, n, l] = tanh(lane_w_t[c, l] * V[c, n, l] - lane_theta_t[c, l])
                log_sum[n, l] += exp2(V[c, n, l] * _LOG2_E)
        for l in range(LANES):
            log_sum[n, l] = log(log_sum[n, l])


@_compiled
def population_loss(x, counts, slope, offset, P, w_t, theta_t):  # type: ignore[no-untyped-def]
    """Sum over the samples of -log O[true class] (S,), in float64.

    x (D, N) features; counts (N, C) how often row n stands for a sample of class c; the synapse's potential is
    -a = ln 2 (offset - slope x), slope and offset (S, D, M); P (S or 1, M, C); R = tanh(w_t V - theta_t), (S, C).
    """
    S, D, M = slope.shape
    N, C = counts.shape
    loss = np.zeros(S, np.float64)
    Z = np.empty((N, LANES), _f32)
    V = np.empty((C, N, LANES), _f32)
    log_sum = np.empty((N, LANES), _f32)
    lane_slope = np.empty((D, LANES), _f32)
    lane_offset = np.empty((D, LANES), _f32)
    lane_P = np.empty((C, LANES), _f32)
    lane_w_t = np.empty((C, LANES), _f32)
    lane_theta_t = np.empty((C, LANES), _f32)
    first = 0
    while first < S:
        size = _chunk_size(S - first)
        V[:] = _f32(0.0)
        for block in range((M * size + LANES - 1) // LANES):
            _pack(slope, offset, P, first, size, block, lane_slope, lane_offset, lane_P)
            _dendrites(x, lane_slope, lane_offset, Z)
            _soma(Z, lane_P, V)
        _fold(V, size)
        for c in range(C):
            for l in range(LANES):
                lane_w_t[c, l] = w_t[first + l % size, c]
                lane_theta_t[c, l] = theta_t[first + l % size, c]
        _log_partition(V, lane_w_t, lane_theta_t, (N * size + LANES - 1) // LANES, log_sum)
        flat_log_sum = log_sum.reshape(log_sum.size)
        for c in range(C):
            R = V[c].reshape(V[c].size)
            for n in range(N):
                if counts[n, c] > 0:
                    for s in range(size):
                        loss[first + s] += counts[n, c] * (flat_log_sum[n * size + s] - R[n * size + s])
        first += size
    return loss
