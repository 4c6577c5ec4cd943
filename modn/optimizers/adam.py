"""Adam: gradient steps scaled by running means of the gradient and of its square.

Source: D. Kingma and J. Ba, "Adam: a method for stochastic optimization", ICLR 2015, algorithm 1.

On any cost it is the plain algorithm. Where it trains a MODN, `modn.descent` makes the steps: it has a start,
a loss, a relaxed filter and a decay of the weights that suit the neuron, and the last fields below are its.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from modn.optimizers.base import Optimizer, State, register
from modn.optimizers.checks import check_integer, check_number, check_numbers
from modn.optimizers.compiled import compiled
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
    iterations: int | None = 500  # steps
    learning_rate: float = 0.05  # length of a step in each variable while the gradient keeps its sign
    beta1: float = 0.9  # decay of the gradient's mean
    beta2: float = 0.999  # decay of the squared gradient's mean
    epsilon: float = 1e-8  # keeps the division finite where the gradient vanishes
    decays: tuple[float, ...] = (
        0.0,
        0.001,
        0.01,
        0.03,
        0.1,
    )  # MODN: of the synapses' weights, to choose from
    folds: int = 4  # MODN: of the cross-validation that chooses
    validation_rows: int = 5000  # MODN: samples that take part in it, at most
    filter_share: float = 0.5  # MODN: of the steps, the first, in which P is relaxed
    slope: float = 1.0  # MODN: deviation of the synapses' first weights, for features in standard units
    opening: float = 0.5  # MODN: each dendrite's first output at the sample it starts around

    state_class: ClassVar[type[State]] = AdamState
    uses_gradient: ClassVar[bool] = True
    searches_bits: ClassVar[bool] = False
    learns_filter: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self, "learning_rate", 0, ends="(]")
        check_number(self, "beta1", 0, 1, "[)")
        check_number(self, "beta2", 0, 1, "[)")
        check_number(self, "epsilon", 0, ends="(]")
        check_numbers(self, "decays", 0)
        check_integer(self, "folds", 2)
        check_integer(self, "validation_rows", 2)
        check_number(self, "filter_share", 0, 1)
        check_number(self, "slope", 0)
        check_number(self, "opening", 0, 1, "()")

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
        change, mean, mean_square = self.change(gradients, state.mean, state.mean_square, state.generation)
        return replace(state, points=candidates - change, mean=mean, mean_square=mean_square)

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
