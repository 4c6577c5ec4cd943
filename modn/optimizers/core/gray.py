"""Gray code: each variable is one word of `bits` bits, its box cut into 2**bits equidistant values.

Neighbouring values differ in a single bit (F. Gray, US patent 2632058, 1953). A bit of a Boolean space is a
word of one bit. Words are uint32, so that crossover and mutation work on whole variables at once.
"""

import numpy as np

from modn.optimizers.core.compiled import compiled
from modn.optimizers.core.space import Array, Space

MAX_BITS = 24  # more would be lost in the rounding of float64 for boxes far from 0


def word_bits(space: Space, bits: int) -> int:
    """Bits per variable: one is enough for a Boolean variable."""
    return 1 if space.boolean else bits


def encode(space: Space, candidates: Array, bits: int) -> Array:
    """The Gray words (n, V) nearest to the candidates (n, V)."""
    if space.boolean:
        return candidates.astype(np.uint32)
    steps = 2**bits - 1
    # A variable whose bounds are equal has one value, whatever its code.
    return _encode(candidates, space.lower, steps / np.where(space.range > 0, space.range, 1), steps)


def decode(space: Space, words: Array, bits: int) -> Array:
    """The candidates (n, V) of the Gray words (n, V)."""
    if space.boolean:
        return words.astype(np.bool_)
    return _decode(words, space.lower, space.range / (2**bits - 1))


@compiled
def _encode(candidates, lower, steps_per_unit, steps):  # type: ignore[no-untyped-def]
    words = np.empty(candidates.shape, np.uint32)
    for i in range(candidates.shape[0]):
        for v in range(candidates.shape[1]):
            share = (candidates[i, v] - lower[v]) * steps_per_unit[v]
            level = np.uint32(np.rint(min(max(share, 0.0), float(steps))))
            words[i, v] = level ^ (level >> np.uint32(1))
    return words


@compiled
def _decode(words, lower, step):  # type: ignore[no-untyped-def]
    candidates = np.empty(words.shape, np.float64)
    for i in range(words.shape[0]):
        for v in range(words.shape[1]):
            level = words[i, v]
            for shift in (1, 2, 4, 8, 16):  # each binary digit is the parity of the Gray digits above it
                level ^= level >> np.uint32(shift)
            candidates[i, v] = lower[v] + level * step[v]
    return candidates
