"""Random search: every generation is a new uniform draw. The floor that any other optimizer must beat.

Source: S. Brooks, "A discussion of random methods for seeking maxima", Operations Research 6(2), 1958, the
simple random method: x = lower + u (upper - lower), u uniform in [0, 1) for each variable and sample, and the
best sample is the result. Bits are 0 or 1 with equal probability.
"""

from dataclasses import dataclass

import numpy as np

from modn.optimizers.core.base import Optimizer, State, register
from modn.optimizers.core.space import Array, Space


@register("random_search")
@dataclass(frozen=True)
class RandomSearch(Optimizer):
    """Random search has no parameters of its own."""

    def _init(self, space: Space, rng: np.random.Generator) -> State:
        return State(space, 0, space.sample(1, rng)[0], np.inf)

    def ask(self, state: State, rng: np.random.Generator) -> Array:
        """A uniform draw."""
        return state.space.sample(self.population, rng)

    def _tell(
        self, state: State, candidates: Array, costs: Array, rng: np.random.Generator, gradients: Array | None
    ) -> State:
        return state
