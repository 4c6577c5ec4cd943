"""Random choices several algorithms share; everything is drawn from the generator passed in."""

import numpy as np

from modn.optimizers.space import Array


def rare_positions(n: int, probability: float, rng: np.random.Generator) -> Array:
    """The indices in range(n) at which n independent trials of the given probability succeed, ascending.

    The gaps between successes are geometric: about n * probability numbers are drawn instead of n.
    """
    if probability <= 0 or n == 0:
        return np.empty(0, dtype=np.int64)
    expected = n * probability
    found: list[Array] = []
    last = -1
    while last < n:
        # Six standard deviations above the mean: a second batch is almost never needed.
        gaps = rng.geometric(probability, size=int(expected + 6 * np.sqrt(expected)) + 8)
        # A gap beyond n ends the search anyway; clipping keeps the sum of huge gaps from overflowing.
        found.append(last + np.cumsum(np.minimum(gaps, n + 1)))
        last = int(found[-1][-1])
    positions = np.concatenate(found)
    return positions[positions < n]


def coins(n: int, rng: np.random.Generator) -> Array:
    """n fair coins, 0 or 1 (uint8).

    32 of them from the leading bits of each uniform number: `rng.integers` spends more time on checking its
    arguments than on the few numbers a small population needs.
    """
    words = (rng.random(-(-n // 32)) * 2**32).astype("<u4")
    return np.unpackbits(words.view(np.uint8), count=n)


def roulette(weights: Array, n: int, rng: np.random.Generator) -> Array:
    """n indices, each drawn with a probability proportional to its weight."""
    edges = np.cumsum(weights)
    turn = rng.random(n)
    spin = turn * edges[-1]
    # A binary search of unsorted numbers spends its time on mispredicted branches. A table over equal parts
    # of the wheel gives the index at the part's beginning; few steps ahead are left, taken by all at once.
    parts = 1024
    begin = np.searchsorted(edges[:-1], np.arange(parts) / parts * edges[-1], side="right")
    edges[-1] = np.inf
    index = begin[(turn * parts).astype(np.intp)]
    while (ahead := spin >= edges[index]).any():
        index += ahead
    return index
