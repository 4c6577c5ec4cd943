"""Random choices several algorithms share; everything is drawn from the generator passed in."""

import numpy as np

from modn.optimizers.core.compiled import compiled
from modn.optimizers.core.space import Array


def rare_positions(n: int, probability: float, rng: np.random.Generator) -> Array:
    """The indices in range(n) at which n independent trials of the given probability succeed, ascending.

    The gaps between successes are geometric: about n * probability numbers are drawn instead of n.
    """
    if probability <= 0:
        return np.empty(0, dtype=np.int64)
    if probability >= 1:
        return np.arange(n)
    # Six standard deviations above the mean: more memory is almost never needed.
    likely = n * probability + 6 * np.sqrt(n * probability)
    return _walk(rng, n, np.log1p(-probability), int(likely) + 8)


@compiled
def _walk(rng, n, log_failure, room):  # type: ignore[no-untyped-def]
    """Go from success to success: a gap is g with probability failure^g (1 - failure)."""
    found = np.empty(room, np.int64)
    count, position = 0, -1.0
    while True:
        # in floating point: a gap may be beyond all integers
        position += 1 + np.floor(np.log(1 - rng.random()) / log_failure)
        if position >= n:
            return found[:count]
        if count == len(found):
            found = np.concatenate((found, np.empty_like(found)))
        found[count] = int(position)
        count += 1


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
    return np.searchsorted(edges[:-1], rng.random(n) * edges[-1], side="right")
