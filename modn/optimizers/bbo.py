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

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from modn.constraints import Constraint, Integer, Number, OneOf
from modn.optimizers.core.base import Optimizer, State, register
from modn.optimizers.core.compiled import compiled
from modn.optimizers.core.draws import rare_positions
from modn.optimizers.core.space import Array, Space, rows_of


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

    allowed: ClassVar[dict[str, Constraint]] = {
        "population": Integer(2),
        "variant": OneOf(("continuous", "simon")),
        "mutation": Number(0, 1),
        "modification": Number(0, 1),
        "max_immigration": Number(0, 1),
        "max_emigration": Number(0, 1, "(]"),
        "blend": Number(0, 1),
        "sigma": Number(0),
        "kept": Number(0, 1, "()"),
        "immigration_lower": Number(0, 1),
        "step_size": Number(0),
        "elites": Integer(0),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("immigration_upper", Number(self.immigration_lower, 1))
        if self.variant == "simon":
            self.require("elites", Integer(0, self.population - 1))

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
            survivors = np.append(np.arange(count), count + np.argsort(costs, kind="stable")[: n - count])
            costs = np.concatenate([state.costs[:count], costs])
            order = survivors[np.argsort(costs[survivors], kind="stable")]
            habitats = rows_of(state.habitats[:count], candidates, order)
        else:
            order = np.argsort(costs, kind="stable")
            habitats = candidates[order]
        state = state.updated(habitats=habitats, costs=costs[order])
        return state.updated(species=self._next_species(state)) if self.variant == "simon" else state

    def _rates(self) -> tuple[Array, Array]:
        """Immigration probability and emigration rate of each habitat, best first."""
        n = self.population
        if self.variant == "simon":  # species counts n-1 ... 0 of at most n, immigration scaled to its bounds
            emigration = self.max_emigration * np.arange(n - 1, -1, -1) / n
            return np.linspace(self.immigration_lower, self.immigration_upper, n), emigration
        emigration = np.linspace(1, 0, n)
        return self.max_immigration * (1 - emigration), self.max_emigration * emigration

    def _migrate(self, state: BBOState, rng: np.random.Generator) -> Array:
        immigration, emigration = self._rates()
        if self.modification < 1:
            immigration = np.where(rng.random(self.population) < self.modification, immigration, 0)
        continuous = self.variant == "continuous"
        blend = self.blend if continuous and not state.space.boolean else None
        return _migrated(rng, state.habitats, immigration, emigration, continuous, blend)

    def _mutation(self, habitats: Array, state: BBOState, rng: np.random.Generator) -> Array:
        chosen = rare_positions(habitats.size, self.mutation, rng)
        if state.space.boolean:
            habitats.reshape(-1)[chosen] = rng.integers(0, 2, size=chosen.size, dtype=np.bool_)
        else:
            scale = self.sigma * state.space.range
            _shift(rng, habitats.reshape(-1), chosen, scale)
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


@compiled
def _shift(rng, variables, chosen, scale):  # type: ignore[no-untyped-def]
    """Gaussian noise on the chosen ones of the variables of all habitats (population V,), in place."""
    for position in chosen:
        variables[position] += scale[position % scale.size] * rng.standard_normal()


@compiled
def _migrated(rng, habitats, immigration, emigration, from_others, blend):  # type: ignore[no-untyped-def]
    """The habitats after migration: a variable's source is drawn by roulette on the emigration rates.

    `from_others`: no habitat draws itself. `blend` None: the variable is replaced.
    """
    n, V = habitats.shape
    edges = np.cumsum(emigration)
    total = edges[-1]
    edges[-1] = np.inf
    # The wheel cut into equal parts: which habitat is at each one's beginning. Few steps are left from there.
    begin = np.empty(1025, np.int64)
    parts_per_unit = 1024 / total
    habitat = 0
    for part in range(1025):
        while part >= edges[habitat] * parts_per_unit:
            habitat += 1
        begin[part] = habitat
    changed = habitats.copy()
    draws, immigrants = np.empty(V), np.empty(V, np.int64)
    for i in range(n):
        rate = immigration[i]
        # Written first and kept or overwritten then: a branch on a draw is mispredicted half of the time.
        count = 0
        for v in range(V):
            draw = rng.random()
            draws[count], immigrants[count] = draw, v
            count += int(draw < rate)
        own = emigration[i] if from_others else 0.0
        own_begin = edges[i - 1] if i > 0 else 0.0
        turn = (total - own) / rate
        for k in range(count):
            spin = draws[k] * turn  # a draw below the rate is uniform below the rate: it turns the wheel, too
            spin += own * int(spin >= own_begin)
            source = begin[int(spin * parts_per_unit)]
            while spin >= edges[source]:
                source += 1
            v = immigrants[k]
            own_x, incoming = habitats[i, v], habitats[source, v]
            changed[i, v] = incoming if blend is None else own_x + blend * (incoming - own_x)
    return changed
