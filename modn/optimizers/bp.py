"""BP, back-propagation: full-batch gradient descent with a constant step (Eqs. 11-14)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from modn.constraints import Constraint, Number
from modn.optimizers.core.base import Optimizer, State, register
from modn.optimizers.core.space import Array, Space


@dataclass(frozen=True, eq=False)
class BPState(State):
    """The points of descent."""

    points: Array  # (population, V)


@register("bp")
@dataclass(frozen=True)
class BP(Optimizer):
    """Parameters of BP; defaults: Table 2 of the paper."""

    population: int = 1  # independent descents, from different starts
    iterations: int | None = 3000  # steps
    learning_rate: float = 0.01  # eta

    state_class: ClassVar[type[State]] = BPState
    uses_gradient: ClassVar[bool] = True
    searches_bits: ClassVar[bool] = False

    allowed: ClassVar[dict[str, Constraint]] = {
        "learning_rate": Number(0, ends="(]"),
    }

    def _init(self, space: Space, rng: np.random.Generator) -> BPState:
        points = space.sample(self.population, rng)
        return BPState(space, 0, points[0], np.inf, points)

    def ask(self, state: BPState, rng: np.random.Generator) -> Array:
        """The points reached."""
        return state.points

    def _tell(
        self,
        state: BPState,
        candidates: Array,
        costs: Array,
        rng: np.random.Generator,
        gradients: Array | None,
    ) -> BPState:
        assert gradients is not None  # `tell` checks it
        return state.updated(points=candidates - self.learning_rate * gradients)
