"""Seeds that depend on a run's number and a cell's name, and on nothing else.

So a cell gives the same result whoever computes it, in whatever order, on however many workers.
"""

import hashlib

import numpy as np


def generator(seed: int, *name: str) -> np.random.Generator:
    """The generator of one run of one cell, such as generator(100, "comparison", "iris", "modn", "bbo")."""
    digest = hashlib.sha256("\0".join(name).encode()).digest()
    words = np.frombuffer(digest, dtype="<u4")
    return np.random.default_rng(np.random.SeedSequence([seed, *words.tolist()]))
