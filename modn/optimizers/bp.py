"""BP, back-propagation: full-batch gradient descent with a constant step (Eqs. 11-14)."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from modn.optimizers.base import Optimizer, State, register
from modn.optimizers.checks import check_choice, check_number
from modn.optimizers.space import Array, Space


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
    # Which gradient the cost function is to return: that of the loss, or Eqs. 15-22 as they are printed.
    gradient: str = "exact"  # exact | published

    state_class: ClassVar[type[State]] = BPState
    uses_gradient: ClassVar[bool] = True
    searches_bits: ClassVar[bool] = False
    learns_filter: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self, "learning_rate", 0, ends="(]")
        check_choice(self, "gradient", ("exact", "published"))

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
        assert gradients is not None  # `tell` saw to it
        return replace(state, points=candidates - self.learning_rate * gradients)
