"""exp for float64, as arithmetic: LLVM turns a loop over it into vectors, which it cannot do with a call."""

# numba infers the types of compiled functions itself
# mypy: allow-untyped-defs

from functools import partial

import numpy as np

from modn.fast.compiling import part

_LOG2_E = 1.4426950408889634
# Their sum is ln 2; an integer below 2^20 times the first is exact
_LN_2_HIGH, _LN_2_LOW = 0.6931471803691238, 1.9082149292705877e-10
_ROUNDING = 1.5 * 2.0**52  # adding it rounds to an integer, which then stands in the low bits of the sum
_LARGEST = 700.0


@partial(part, fastmath={"contract"})
def exp(x):
    """Return e^x with a relative error below 1e-15, for x cut to [-700, 700].

    x = n ln 2 + r with |r| <= ln 2 / 2: the series of e^r up to r^12, times 2^n by way of the exponent's
    bits.
    """
    x = min(max(x, -_LARGEST), _LARGEST)
    shifted = x * _LOG2_E + _ROUNDING
    n = shifted - _ROUNDING
    r = (x - n * _LN_2_HIGH) - n * _LN_2_LOW
    p = 1 / 479001600
    p = p * r + 1 / 39916800
    p = p * r + 1 / 3628800
    p = p * r + 1 / 362880
    p = p * r + 1 / 40320
    p = p * r + 1 / 5040
    p = p * r + 1 / 720
    p = p * r + 1 / 120
    p = p * r + 1 / 24
    p = p * r + 1 / 6
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    bits = np.float64(p).view(np.int64) + (np.float64(shifted).view(np.int64) << np.int64(52))
    return np.int64(bits).view(np.float64)
