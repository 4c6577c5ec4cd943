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

from modn.constraints import Constraint, Flag, Integer, Number
from modn.optimizers.core.base import Optimizer, State, register
from modn.optimizers.core.draws import coins
from modn.optimizers.core.relaxed import bounds, relaxed, to_candidates, to_positions
from modn.optimizers.core.space import Array, Space


@dataclass(frozen=True, eq=False)
class ESState(State):
    """The parents and the children to be evaluated next."""

    pool: Array  # (population + children, V) the parents in some of the rows, the others are free
    rows: Array  # (population + children,) the parents' rows, best first, then the free ones
    costs: Array  # (population,) of the parents, ascending
    children: Array  # (children, V)
    rivals: Array  # (children,) cost of each child's better parent
    sigma: float

    @property
    def parents(self) -> Array:
        """(population, V), best first."""
        return self.pool[self.rows[: self.costs.size]]


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

    allowed: ClassVar[dict[str, Constraint]] = {
        "children": Integer(1),
        "sigma": Number(0, ends="(]"),
        "factor": Number(1),
        "clip": Flag(),
    }

    @property
    def offspring(self) -> int:
        """The children; the parents' costs are known."""
        return self.children

    def _init(self, space: Space, rng: np.random.Generator) -> ESState:
        first = relaxed(space).sample(self.population, rng)
        pool = np.concatenate([first, np.zeros((self.children, space.size))])
        costs = np.full(self.population, np.inf)
        best = to_candidates(space, first[0])
        return ESState(space, 0, best, np.inf, pool, np.arange(len(pool)), costs, first, costs, self.sigma)

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
        evaluated = to_positions(state.space, state.children, candidates)
        pool, sigma = state.pool.copy(), state.sigma
        if state.generation == 1:
            pool[: self.population] = evaluated
            order = np.argsort(costs, kind="stable")
            rows, costs = np.concatenate([order, state.rows[self.population :]]), costs[order]
        else:
            successes = np.count_nonzero(costs < state.rivals) / self.children
            if successes != 0.2:
                sigma *= self.factor if successes > 0.2 else 1 / self.factor
            # The children take the free rows; then the rows of the worst are free. The costs are nearly in
            # order already, which takes a third of the time that sorting shuffled ones would.
            pool[state.rows[self.population :]] = evaluated
            costs = np.concatenate([state.costs, costs])
            order = np.argsort(costs, kind="stable")
            rows, costs = state.rows[order], costs[order[: self.population]]
        children, rivals = self._children(state.space, pool, rows, costs, sigma, rng)
        return replace(
            state, pool=pool, rows=rows, costs=costs, children=children, rivals=rivals, sigma=sigma
        )

    def _children(
        self, space: Space, pool: Array, rows: Array, costs: Array, sigma: float, rng: np.random.Generator
    ) -> tuple[Array, Array]:
        """The next children and the costs of their better parents."""
        n, V = self.children, space.size
        pairs = (rng.random((2, n)) * self.population).astype(np.intp)
        one, two = pool.take(rows[pairs], axis=0)
        # Arithmetic, not `np.where`: a branch that follows coins is mispredicted half of the time.
        two -= one
        two *= coins(n * V, rng).reshape(n, V)
        children = rng.standard_normal((n, V))
        children *= sigma
        children += one
        children += two
        if self.clip:
            lower, upper = bounds(space)
            np.maximum(children, lower, out=children)
            np.minimum(children, upper, out=children)
        return children, costs[np.minimum(*pairs)]
