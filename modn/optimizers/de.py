"""DE, differential evolution.

Source: R. Storn and K. Price, "Differential evolution - a simple and efficient heuristic for global
optimization over continuous spaces", Journal of Global Optimization 11, 1997. Each individual is challenged
by a trial: a mutant crossed with it variable by variable (Eqs. 3-4). The better of the two survives. Two
strategies make the mutant:

`rand/1`, Eq. 2: x_r1 + F (x_r2 - x_r3), three other individuals.
`current-to-pbest/1` (default): x + F (x_pbest - x) + F (x_r1 - x_r2), where pbest is one of the best.
    J. Zhang and A. Sanderson, "JADE: adaptive differential evolution with optional external archive", IEEE
    Trans. Evolutionary Computation 13(5), 2009, Eq. 6; without JADE's archive and adaptation.

Bits are searched as positions in [-1, 1].
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from modn.constraints import Constraint, Flag, Integer, Number, OneOf
from modn.optimizers.core.base import Optimizer, State, register
from modn.optimizers.core.differential import apart_from, best_rows, better_of, trial_vectors
from modn.optimizers.core.relaxed import relaxed, to_candidates, to_positions
from modn.optimizers.core.space import Array, Space


@dataclass(frozen=True, eq=False)
class DEState(State):
    """The population and its challengers."""

    parents: Array  # (population, V)
    costs: Array  # (population,)
    trials: Array  # (population, V) to be evaluated next


@register("de")
@dataclass(frozen=True)
class DE(Optimizer):
    """Parameters of DE; the defaults suit the training of neurons (docs/optimizers.md)."""

    population: int = 30  # individuals
    strategy: str = "current-to-pbest/1"  # rand/1 | current-to-pbest/1
    scale: float = 0.7  # F, length of the differences
    crossover: float = 0.9  # CR, probability that a trial's variable is its mutant's
    best_share: float = 0.1  # current-to-pbest/1: p, share of the population that counts as its best
    clip: bool = False  # trials stay in the box

    state_class: ClassVar[type[State]] = DEState

    allowed: ClassVar[dict[str, Constraint]] = {
        "population": Integer(4),
        "strategy": OneOf(("rand/1", "current-to-pbest/1")),
        "scale": Number(0, 2, "(]"),
        "crossover": Number(0, 1),
        "best_share": Number(0, 1, "(]"),
        "clip": Flag(),
    }

    def _init(self, space: Space, rng: np.random.Generator) -> DEState:
        first = relaxed(space).sample(self.population, rng)
        costs = np.full(self.population, np.inf)
        return DEState(space, 0, to_candidates(space, first[0]), np.inf, first, costs, first)

    def ask(self, state: DEState, rng: np.random.Generator) -> Array:
        """The trials; at first the initial population."""
        return to_candidates(state.space, state.trials)

    def _tell(
        self,
        state: DEState,
        candidates: Array,
        costs: Array,
        rng: np.random.Generator,
        gradients: Array | None,
    ) -> DEState:
        evaluated = to_positions(state.space, state.trials, candidates)
        parents, costs = better_of(state.parents, state.costs, evaluated, costs)
        trials = self._trials(state.space, parents, costs, rng)
        return state.updated(parents=parents, costs=costs, trials=trials)

    def _trials(self, space: Space, parents: Array, costs: Array, rng: np.random.Generator) -> Array:
        n = self.population
        own = np.arange(n)[None]
        one = apart_from(own, n, rng)
        two = apart_from(np.vstack([own, one]), n, rng)
        if self.strategy == "rand/1":  # Storn and Price, Eq. 2: base = pull, so that the pull is 0
            three = apart_from(np.vstack([own, one, two]), n, rng)
            rows = one, one, two, three
        else:  # Zhang and Sanderson, Eq. 6
            rows = own[0], best_rows(costs, self.best_share, rng), one, two
        scale, crossover = np.full(n, self.scale), np.full(n, self.crossover)
        return trial_vectors(space, parents, parents[:0], rows, scale, crossover, self.clip, rng)
