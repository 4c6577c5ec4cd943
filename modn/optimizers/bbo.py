"""BBO, biogeography-based optimization.

Source: D. Simon, "Biogeography-based optimization", IEEE Trans. Evolutionary Computation 12(6), 2008.
Habitats (individuals) with a low cost emigrate much and immigrate little. Two variants:

`continuous` (default), what the MODN paper's results come from: an immigrating variable is pulled towards
its source, x += blend (x_source - x), mutation is Gaussian, and the best part of the old population is kept.
Nothing holds the variables inside the initial box. Bits are replaced and redrawn instead.

`simon`, the 2008 algorithm: an immigrating variable is replaced; mutation redraws a variable of the worse
half of the habitats, the more often the less probable the habitat's species count is; the elites replace
the worst.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from modn.optimizers.base import Optimizer, State, register
from modn.optimizers.checks import check_choice, check_integer, check_number
from modn.optimizers.draws import rare_positions, roulette
from modn.optimizers.space import Array, Space


@dataclass(frozen=True, eq=False)
class BBOState(State):
    """The habitats, best first."""

    habitats: Array  # (population, V)
    costs: Array  # (population,)
    species: Array  # (population,) probability of each habitat's species count (simon)


@register("bbo")
@dataclass(frozen=True)
class BBO(Optimizer):
    """Parameters of BBO; defaults: Table 2 of the paper, where it names one."""

    population: int = 100  # habitats
    variant: str = "continuous"  # continuous | simon
    mutation: float = 0.1  # mutation probability of a variable (simon: its maximum)
    modification: float = 1.0  # probability that a habitat takes part in immigration at all
    max_immigration: float = 1.0  # immigration rate of the worst habitat
    max_emigration: float = 1.0  # emigration rate of the best habitat
    blend: float = 0.9  # continuous: how far an immigrating variable moves to its source
    sigma: float = 0.02  # continuous: standard deviation of the mutation, in units of the variable's range
    kept: float = 0.2  # continuous: share of the old population, its best, that is kept
    immigration_lower: float = 0.0  # simon: lower bound of the immigration probability
    immigration_upper: float = 1.0  # simon: upper bound of the immigration probability
    step_size: float = 1.0  # simon: time step of the species counts' probabilities
    elites: int = 2  # simon: best habitats that survive as they are

    state_class: ClassVar[type[State]] = BBOState
    smallest_population: ClassVar[int] = 2  # immigrants come from another habitat

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self, "variant", ("continuous", "simon"))
        for field in ("mutation", "modification", "max_immigration", "blend"):
            check_number(self, field, 0, 1)
        check_number(self, "max_emigration", 0, 1, "(]")
        check_number(self, "sigma", 0)
        check_number(self, "kept", 0, 1, "()")
        check_number(self, "immigration_lower", 0, 1)
        check_number(self, "immigration_upper", self.immigration_lower, 1)
        check_number(self, "step_size", 0)
        check_integer(self, "elites", 0, self.population - 1 if self.variant == "simon" else None)

    def _init(self, space: Space, rng: np.random.Generator) -> BBOState:
        n = self.population
        habitats = space.sample(n, rng)
        return BBOState(space, 0, habitats[0], np.inf, habitats, np.full(n, np.inf), np.full(n, 1 / n))

    def ask(self, state: BBOState, rng: np.random.Generator) -> Array:
        """The habitats after migration and mutation."""
        if state.generation == 0:
            return state.habitats
        if self.variant == "simon":
            return self._simon_mutation(self._migrate(state, rng), state, rng)
        return self._mutation(self._migrate(state, rng), state, rng)

    def _tell(
        self,
        state: BBOState,
        candidates: Array,
        costs: Array,
        rng: np.random.Generator,
        gradients: Array | None,
    ) -> BBOState:
        n = self.population
        if state.generation > 1:
            count = self.elites if self.variant == "simon" else min(max(round(self.kept * n), 1), n - 1)
            count = min(count, int(np.isfinite(state.costs).sum()))
            order = np.argsort(costs, kind="stable")[: n - count]
            candidates = np.concatenate([state.habitats[:count], candidates[order]])
            costs = np.concatenate([state.costs[:count], costs[order]])
        order = np.argsort(costs, kind="stable")
        state = replace(state, habitats=candidates[order], costs=costs[order])
        return replace(state, species=self._next_species(state)) if self.variant == "simon" else state

    def _rates(self) -> tuple[Array, Array]:
        """Immigration probability and emigration rate of each habitat, best first."""
        n = self.population
        if self.variant == "simon":  # species counts n-1 ... 0 of at most n, immigration scaled to its bounds
            emigration = self.max_emigration * np.arange(n - 1, -1, -1) / n
            return np.linspace(self.immigration_lower, self.immigration_upper, n), emigration
        emigration = np.linspace(1, 0, n)
        return self.max_immigration * (1 - emigration), self.max_emigration * emigration

    def _migrate(self, state: BBOState, rng: np.random.Generator) -> Array:
        habitats = state.habitats.copy()
        immigration, emigration = self._rates()
        takes_part = rng.random(self.population) < self.modification
        immigrates = rng.random(habitats.shape) < np.where(takes_part, immigration, 0)[:, None]
        target = np.flatnonzero(immigrates)
        row, column = np.divmod(target, state.space.size)
        source = roulette(emigration, row.size, rng)
        if self.variant == "continuous":  # from another habitat: whoever drew itself draws again
            while (itself := np.flatnonzero(source == row)).size:
                source[itself] = roulette(emigration, itself.size, rng)
        incoming = state.habitats.reshape(-1)[source * state.space.size + column]
        if self.variant == "continuous" and not state.space.boolean:
            own = habitats.reshape(-1)[target]
            incoming = own + self.blend * (incoming - own)
        habitats.reshape(-1)[target] = incoming
        return habitats

    def _mutation(self, habitats: Array, state: BBOState, rng: np.random.Generator) -> Array:
        chosen = rare_positions(habitats.size, self.mutation, rng)
        if state.space.boolean:
            habitats.reshape(-1)[chosen] = rng.integers(0, 2, size=chosen.size, dtype=np.bool_)
        else:
            scale = self.sigma * state.space.range
            habitats.reshape(-1)[chosen] += scale[chosen % scale.size] * rng.standard_normal(chosen.size)
        return habitats

    def _simon_mutation(self, habitats: Array, state: BBOState, rng: np.random.Generator) -> Array:
        rate = self.mutation * (1 - state.species / state.species.max())
        worse = self.population // 2
        mutates = rng.random(habitats[worse:].shape) < rate[worse:, None]
        redrawn = state.space.sample(self.population - worse, rng)
        habitats[worse:] = np.where(mutates, redrawn, habitats[worse:])
        return habitats

    def _next_species(self, state: BBOState) -> Array:
        """One Euler step of the species counts' birth-and-death process (Simon's Eq. 2), best first."""
        n = self.population
        count = np.arange(n - 1, -1, -1)
        probability = state.species
        immigration = self.max_immigration * (1 - count / n)
        emigration = self.max_emigration * count / n
        one_less = np.append(probability[1:], 0) * self.max_immigration * (1 - (count - 1) / n)
        one_more = np.append(0, probability[:-1]) * self.max_emigration * (count + 1) / n
        change = one_less + one_more - (immigration + emigration) * probability
        probability = np.maximum(probability + self.step_size * change, 0)
        return probability / probability.sum()
