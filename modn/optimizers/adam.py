"""Adam: gradient steps scaled by running means of the gradient and of its square.

Source: D. Kingma and J. Ba, "Adam: a method for stochastic optimization", ICLR 2015, algorithm 1.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from modn.constraints import Constraint, Number
from modn.optimizers.core.base import Optimizer, State, register
from modn.optimizers.core.compiled import compiled
from modn.optimizers.core.space import Array, Space


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
    iterations: int | None = 500  # steps
    learning_rate: float = 0.05  # length of a step in each variable while the gradient keeps its sign
    beta1: float = 0.9  # decay of the gradient's mean
    beta2: float = 0.999  # decay of the squared gradient's mean
    epsilon: float = 1e-8  # keeps the division finite where the gradient vanishes

    state_class: ClassVar[type[State]] = AdamState
    uses_gradient: ClassVar[bool] = True
    searches_bits: ClassVar[bool] = False

    allowed: ClassVar[dict[str, Constraint]] = {
        "learning_rate": Number(0, ends="(]"),
        "beta1": Number(0, 1, "[)"),
        "beta2": Number(0, 1, "[)"),
        "epsilon": Number(0, ends="(]"),
    }

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
        assert gradients is not None  # `tell` checks it
        change, mean, mean_square = self.change(gradients, state.mean, state.mean_square, state.generation)
        return state.updated(points=candidates - change, mean=mean, mean_square=mean_square)

    def change(
        self, gradients: Array, mean: Array, mean_square: Array, step: int
    ) -> tuple[Array, Array, Array]:
        """What step number `step` (from 1) takes off the points, and the two running means after it."""
        return _change(
            gradients, mean, mean_square, step, self.learning_rate, self.beta1, self.beta2, self.epsilon
        )


@compiled
def _change(  # type: ignore[no-untyped-def]
    gradients, mean, mean_square, step, learning_rate, beta1, beta2, epsilon
):
    change, new_mean, new_square = np.empty_like(mean), np.empty_like(mean), np.empty_like(mean)
    bias1, bias2 = 1 - beta1**step, 1 - beta2**step
    for i in range(mean.shape[0]):
        for v in range(mean.shape[1]):
            m = beta1 * mean[i, v] + (1 - beta1) * gradients[i, v]
            s = beta2 * mean_square[i, v] + (1 - beta2) * gradients[i, v] ** 2
            new_mean[i, v], new_square[i, v] = m, s
            change[i, v] = learning_rate * (m / bias1) / (np.sqrt(s / bias2) + epsilon)
    return change, new_mean, new_square
