"""Random search: every generation is a new uniform draw. The floor that any other optimizer must beat."""

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
