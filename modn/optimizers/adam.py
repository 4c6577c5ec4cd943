"""Adam: gradient steps scaled by running means of the gradient and of its square.

Source: D. Kingma and J. Ba, "Adam: a method for stochastic optimization", ICLR 2015, algorithm 1.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from modn.optimizers.base import Optimizer, State, register
from modn.optimizers.checks import check_number
from modn.optimizers.space import Array, Space


@dataclass(frozen=True, eq=False)
class AdamState(State):
    """The points of descent and the two running means, each (population, V)."""

    points: Array
    mean: Array
    mean_square: Array


@register("adam")
@dataclass(frozen=True)
class Adam(Optimizer):
    """Parameters of Adam; the means' are those of its paper."""

    population: int = 1  # independent descents, from different starts
    iterations: int | None = 1000  # steps
    learning_rate: float = 0.05  # length of a step in each variable while the gradient keeps its sign
    beta1: float = 0.9  # decay of the gradient's mean
    beta2: float = 0.999  # decay of the squared gradient's mean
    epsilon: float = 1e-8  # keeps the division finite where the gradient vanishes

    state_class: ClassVar[type[State]] = AdamState
    uses_gradient: ClassVar[bool] = True
    searches_bits: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self, "learning_rate", 0, ends="(]")
        check_number(self, "beta1", 0, 1, "[)")
        check_number(self, "beta2", 0, 1, "[)")
        check_number(self, "epsilon", 0, ends="(]")

    def _init(self, space: Space, rng: np.random.Generator) -> AdamState:
        points = space.sample(self.population, rng)
        zeros = np.zeros_like(points)
        return AdamState(space, 0, points[0], np.inf, points, zeros, zeros)

    def ask(self, state: AdamState, rng: np.random.Generator) -> Array:
        """The points reached."""
        return state.points

    def _tell(
        self,
        state: AdamState,
        candidates: Array,
        costs: Array,
        rng: np.random.Generator,
        gradients: Array | None,
    ) -> AdamState:
        assert gradients is not None  # `tell` saw to it
        mean = self.beta1 * state.mean + (1 - self.beta1) * gradients
        mean_square = self.beta2 * state.mean_square + (1 - self.beta2) * gradients**2
        unbiased = mean / (1 - self.beta1**state.generation)
        unbiased_square = mean_square / (1 - self.beta2**state.generation)
        points = candidates - self.learning_rate * unbiased / (np.sqrt(unbiased_square) + self.epsilon)
        return replace(state, points=points, mean=mean, mean_square=mean_square)
