"""Gray code: each variable is one word of `bits` bits, its box cut into 2**bits equidistant values.

Neighbouring values differ in a single bit (F. Gray, US patent 2632058, 1953). A bit of a Boolean space is a
word of one bit. Words are uint32, so that crossover and mutation work on whole variables at once.
"""

import numpy as np

from modn.optimizers.space import Array, Space

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
    share = (candidates - space.lower) * (steps / np.where(space.range > 0, space.range, 1))
    level = np.rint(np.clip(share, 0, steps)).astype(np.uint32)
    return level ^ (level >> 1)


def decode(space: Space, words: Array, bits: int) -> Array:
    """The candidates (n, V) of the Gray words (n, V)."""
    if space.boolean:
        return words.astype(np.bool_)
    level = words.copy()
    for shift in (1, 2, 4, 8, 16):  # each binary digit is the parity of the Gray digits above it
        level ^= level >> shift
    return space.lower + level * (space.range / (2**bits - 1))
