"""Bits for algorithms that move real positions: a bit is searched in [-1, 1] and is 1 where positive."""

import numpy as np

from modn.optimizers.core.space import Array, Space


def relaxed(space: Space) -> Space:
    """The box in which the positions move."""
    return Space(np.full(space.size, -1.0), np.ones(space.size)) if space.boolean else space


def to_candidates(space: Space, positions: Array) -> Array:
    """The candidates the positions stand for."""
    return positions > 0 if space.boolean else positions


def to_positions(space: Space, positions: Array, candidates: Array) -> Array:
    """The positions, corrected where a candidate is not the one they stand for."""
    return np.where(candidates, np.abs(positions), -np.abs(positions)) if space.boolean else candidates
