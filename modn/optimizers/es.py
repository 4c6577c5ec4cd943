"""ES, the (mu + lambda) evolution strategy with one global step size.

Source: A. Engelbrecht, "Computational Intelligence", Wiley, 2007, chapter 12; D. Simon, "Evolutionary
Optimization Algorithms", Wiley, 2013, chapter 6. Each generation a few children take each variable from one
of two random parents, are mutated by Gaussian noise, and compete with all parents for survival. Rechenberg's
1/5 rule adapts the step size: up when more than a fifth of the children beat their better parent, down when
fewer do. Bits are searched as positions in [-1, 1].
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from modn.constraints import Constraint, Flag, Integer, Number
from modn.optimizers.core.base import Optimizer, State, register
from modn.optimizers.core.compiled import compiled
from modn.optimizers.core.draws import coins
from modn.optimizers.core.relaxed import relaxed, to_candidates, to_positions
from modn.optimizers.core.space import Array, Space, rows_of

MERGED = 8  # generations after which the parents are copied into one array; the others copy children only


@dataclass(frozen=True, eq=False)
class ESState(State):
    """The parents and the children to be evaluated next."""

    old: Array  # (population, V) the parents some generations ago
    young: Array  # (k, V) all children since then
    rows: Array  # (population,) the parents, best first: their rows in `old` with `young` below it
    costs: Array  # (population,) of the parents, ascending
    children: Array  # (children, V)
    rivals: Array  # (children,) cost of each child's better parent
    sigma: float

    @property
    def parents(self) -> Array:
        """(population, V), best first."""
        return rows_of(self.old, self.young, self.rows)


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
        rows, costs = np.arange(self.population), np.full(self.population, np.inf)
        best = to_candidates(space, first[0])
        return ESState(space, 0, best, np.inf, first, first[:0], rows, costs, first, costs, self.sigma)

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
        old, young, sigma = state.old, state.young, state.sigma
        if state.generation == 1:
            old = evaluated
            rows = np.argsort(costs, kind="stable")
            costs = costs[rows]
        else:
            successes = np.count_nonzero(costs < state.rivals) / self.children
            if successes != 0.2:
                sigma *= self.factor if successes > 0.2 else 1 / self.factor
            n_before = len(old) + len(young)
            young = np.concatenate([young, evaluated])
            rows, costs = _survivors(state.rows, state.costs, n_before, costs)
            if len(young) >= MERGED * self.children:
                old, young, rows = rows_of(old, young, rows), young[:0], np.arange(self.population)
        n, box = self.children, relaxed(state.space)
        pairs = (rng.random((2, n)) * self.population).astype(np.intp)
        chosen = coins(n * box.size, rng).reshape(n, box.size)
        children, rivals = _crossed(
            rng, old, young, rows, costs, pairs, chosen, sigma, box.lower, box.upper, self.clip
        )
        return state.updated(
            old=old, young=young, rows=rows, costs=costs, children=children, rivals=rivals, sigma=sigma
        )


@compiled
def _survivors(rows, costs, first, new_costs):  # type: ignore[no-untyped-def]
    """The rows and costs, ascending, of the best of the parents and of children in rows from `first` on.

    Of equals, the older come first.
    """
    rows, costs = rows.copy(), costs.copy()
    for child in range(len(new_costs)):
        place = len(costs)
        while place > 0 and new_costs[child] < costs[place - 1]:
            place -= 1
            if place + 1 < len(costs):
                rows[place + 1], costs[place + 1] = rows[place], costs[place]
        if place < len(costs):
            rows[place], costs[place] = first + child, new_costs[child]
    return rows, costs


@compiled
def _crossed(  # type: ignore[no-untyped-def]
    rng, old, young, rows, costs, pairs, coins, sigma, lower, upper, clip
):
    """Children (n, V) of pairs of parents (2, n), mutated, and the cost (n,) of each one's better parent."""
    n, V = coins.shape
    children, rivals = np.empty((n, V)), np.empty(n)
    for i in range(n):
        a, b = rows[pairs[0, i]], rows[pairs[1, i]]
        rivals[i] = costs[min(pairs[0, i], pairs[1, i])]
        one = old[a] if a < len(old) else young[a - len(old)]
        two = old[b] if b < len(old) else young[b - len(old)]
        for v in range(V):
            noise = sigma * rng.standard_normal()
            # Arithmetic: a branch that follows coins is mispredicted half of the time.
            child = noise + one[v] + (two[v] - one[v]) * coins[i, v]
            if clip:
                child = min(max(child, lower[v]), upper[v])
            children[i, v] = child
    return children, rivals
