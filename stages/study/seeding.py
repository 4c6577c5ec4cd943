"""Random generators that depend only on the number of a run and the name of its cell.

So the result of a cell does not depend on the order of computation, nor on the number of workers.
"""

import hashlib

import numpy as np


def generator(seed: int, *name: str) -> np.random.Generator:
    """The generator of one run of one cell, such as generator(100, "comparison", "iris", "modn", "bbo")."""
    digest = hashlib.sha256("\0".join(name).encode()).digest()
    words = np.frombuffer(digest, dtype="<u4")
    return np.random.default_rng(np.random.SeedSequence([seed, *words.tolist()]))
