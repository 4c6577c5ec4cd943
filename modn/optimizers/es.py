"""ES, the (mu + lambda) evolution strategy with one global step size.

Source: A. Engelbrecht, "Computational Intelligence", Wiley, 2007, chapter 12; D. Simon, "Evolutionary
Optimization Algorithms", Wiley, 2013, chapter 6. Each generation a few children take each variable from one
of two random parents, are mutated by Gaussian noise, and compete with all parents for survival. Rechenberg's
1/5 rule adapts the step size: up when more than a fifth of the children beat their better parent, down when
fewer do. Bits are searched as positions in [-1, 1].
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from modn.optimizers.base import Optimizer, State, register
from modn.optimizers.checks import check_flag, check_integer, check_number
from modn.optimizers.relaxed import relaxed, to_candidates, to_positions
from modn.optimizers.space import Array, Space


@dataclass(frozen=True, eq=False)
class ESState(State):
    """The parents and the children to be evaluated next."""

    parents: Array  # (population, V)
    costs: Array  # (population,)
    children: Array  # (children, V)
    rivals: Array  # (children,) cost of each child's better parent
    sigma: float


@register("es")
@dataclass(frozen=True)
class ES(Optimizer):
    """Parameters of the ES; defaults: Table 2 of the paper, where it names one."""

    population: int = 250  # mu, parents
    children: int = 10  # lambda, new individuals per generation
    sigma: float = 1.0  # standard deviation of the mutation at the start, in the variables' own units
    factor: float = 1.22  # by which the 1/5 rule changes sigma; 1: sigma stays
    clip: bool = True  # children stay in the box

    state_class: ClassVar[type[State]] = ESState

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer(self, "children", 1)
        check_number(self, "sigma", 0, ends="(]")
        check_number(self, "factor", 1)
        check_flag(self, "clip")

    def _init(self, space: Space, rng: np.random.Generator) -> ESState:
        parents = relaxed(space).sample(self.population, rng)
        first = to_candidates(space, parents[0])
        costs = np.full(self.population, np.inf)
        return ESState(space, 0, first, np.inf, parents, costs, parents, costs, self.sigma)

    def ask(self, state: ESState, rng: np.random.Generator) -> Array:
        """The children; at first the initial parents."""
        return to_candidates(state.space, state.children)

    def _tell(
        self,
        state: ESState,
        candidates: Array,
        costs: Array,
        rng: np.random.Generator,
        gradients: Array | None,
    ) -> ESState:
        told = to_positions(state.space, state.children, candidates)
        sigma = state.sigma
        if state.generation == 1:
            parents = told
        else:
            successes = np.count_nonzero(costs < state.rivals) / self.children
            if successes != 0.2:
                sigma *= self.factor if successes > 0.2 else 1 / self.factor
            parents, costs = self._survivors(state, told, costs)
        children, rivals = self._children(state.space, parents, costs, sigma, rng)
        return replace(state, parents=parents, costs=costs, children=children, rivals=rivals, sigma=sigma)

    def _survivors(self, state: ESState, children: Array, costs: Array) -> tuple[Array, Array]:
        """The best of parents and children; a child takes the place of a parent that dies."""
        everyone = np.concatenate([state.costs, costs])
        alive = np.zeros(everyone.size, dtype=np.bool_)
        alive[np.argsort(everyone, kind="stable")[: self.population]] = True
        dying, born = np.flatnonzero(~alive[: self.population]), np.flatnonzero(alive[self.population :])
        if not born.size:
            return state.parents, state.costs
        parents, parents_costs = state.parents.copy(), state.costs.copy()
        parents[dying], parents_costs[dying] = children[born], costs[born]
        return parents, parents_costs

    def _children(
        self, space: Space, parents: Array, costs: Array, sigma: float, rng: np.random.Generator
    ) -> tuple[Array, Array]:
        n, V = self.children, space.size
        one, two = rng.integers(0, self.population, size=(2, n))
        # a bit per variable and single-precision noise: the draws are a large part of this algorithm's cost
        coins = np.frombuffer(rng.bytes(-(-n * V // 8)), np.uint8)
        from_two = np.unpackbits(coins, count=n * V).reshape(n, V)
        noise = rng.standard_normal((n, V), dtype=np.float32)
        noise *= np.float32(sigma)
        children = parents[two]
        children -= parents[one]
        children *= from_two
        children += parents[one]
        children += noise
        if self.clip:
            box = relaxed(space)
            np.maximum(children, box.lower, out=children)
            np.minimum(children, box.upper, out=children)
        return children, np.minimum(costs[one], costs[two])
