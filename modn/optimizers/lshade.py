"""L-SHADE: differential evolution that learns F and CR from its successes while its population shrinks.

Source: R. Tanabe and A. Fukunaga, "Improving the search performance of SHADE using linear population size
reduction", IEEE CEC 2014. Each trial draws its CR from a normal and its F from a Cauchy distribution around a
random entry of a memory (Eqs. 1-2). The strategy is current-to-pbest/1 (Eq. 3; see `de`), where x_r2 may also
come from an archive of beaten parents, with binomial crossover (Eq. 5). The better of parent and trial
survives (Eq. 6). After a generation one entry of the memory becomes the weighted Lehmer mean of the F and CR
that improved on their parents, weighted by the improvement (Algorithm 1, Eqs. 7-9).

The population falls linearly over the evaluations (Eq. 10), that is, geometrically over the generations:
    N_g = N_0 (N_end / N_0)^(g / iterations)
since a generation uses N_g evaluations. `minimize` sets `iterations` to its budget; if `iterations` is None,
the population stays as it is. The source's N_0 = 18 V suits 10,000 V evaluations; training a neuron has about
a hundredth of that, so N_0 is a parameter. Bits are searched as positions in [-1, 1].
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np

from modn.constraints import Constraint, Flag, Integer, Number
from modn.optimizers.core.base import Optimizer, State, register
from modn.optimizers.core.differential import apart_from, best_rows, better_of, trial_vectors
from modn.optimizers.core.relaxed import relaxed, to_candidates, to_positions
from modn.optimizers.core.space import Array, Space, rows_of


@dataclass(frozen=True, eq=False)
class LSHADEState(State):
    """The population, its challengers, and what was learnt from earlier ones."""

    parents: Array  # (n, V)
    costs: Array  # (n,)
    trials: Array  # (n, V) to be evaluated next
    scale: Array  # (n,) F of each trial
    crossover: Array  # (n,) CR of each trial
    archive: Array  # (up to archive_ratio n, V) beaten parents
    scale_memory: Array  # (memory,)
    crossover_memory: Array  # (memory,); NaN: CR is 0 from now on
    oldest: int  # entry of the memory to be replaced next


@register("lshade")
@dataclass(frozen=True)
class LSHADE(Optimizer):
    """Parameters of L-SHADE; defaults: those of its paper, but for the population and the box."""

    population: int = 100  # individuals at the start
    final_population: int = 4  # individuals at the end
    memory: int = 6  # H, entries of the memory
    best_share: float = 0.11  # p, share of the population that counts as its best
    archive_ratio: float = 2.6  # size of the archive, in units of the population
    clip: bool = False  # trials stay in the box (Eq. 4)

    state_class: ClassVar[type[State]] = LSHADEState
    plans_ahead: ClassVar[bool] = True

    allowed: ClassVar[dict[str, Constraint]] = {
        "population": Integer(4),
        "memory": Integer(1),
        "best_share": Number(0, 1, "(]"),
        "archive_ratio": Number(0),
        "clip": Flag(),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("final_population", Integer(4, self.population))

    def evaluations(self, iterations: int) -> int:
        """The sum of the shrinking populations."""
        return _evaluations(replace(self, iterations=iterations), iterations)

    def size(self, generation: int) -> int:
        """The population of a generation; 0 is the initial one."""
        if generation == 0 or self.iterations is None:
            return self.population
        # Eq. 10 in generations (see the module's docstring)
        passed = min(generation / max(self.iterations, 1), 1)
        return round(self.population * (self.final_population / self.population) ** passed)

    def _init(self, space: Space, rng: np.random.Generator) -> LSHADEState:
        n = self.population
        first = relaxed(space).sample(n, rng)
        half = np.full(self.memory, 0.5)
        return LSHADEState(
            space,
            0,
            to_candidates(space, first[0]),
            np.inf,
            parents=first,
            costs=np.full(n, np.inf),
            trials=first,
            scale=np.zeros(n),
            crossover=np.zeros(n),
            archive=first[:0],
            scale_memory=half,
            crossover_memory=half,
            oldest=0,
        )

    def ask(self, state: LSHADEState, rng: np.random.Generator) -> Array:
        """The trials; at first the initial population."""
        return to_candidates(state.space, state.trials)

    def _tell(
        self,
        state: LSHADEState,
        candidates: Array,
        costs: Array,
        rng: np.random.Generator,
        gradients: Array | None,
    ) -> LSHADEState:
        evaluated = to_positions(state.space, state.trials, candidates)
        if state.generation == 1:
            state = state.updated(parents=evaluated, costs=costs)
        else:
            state = self._selected(self._learnt(state, costs), evaluated, costs, rng)
        return self._challenged(self._reduced(state), rng)

    def _learnt(self, state: LSHADEState, costs: Array) -> LSHADEState:
        """The memory after Algorithm 1: what the trials that beat their parents have in common.

        A trial's weight is its gain, |f(trial) - f(parent)|, as a share of all gains (Eqs. 7-9); the sum of
        all gains cancels in the mean.
        """
        better = costs < state.costs
        if not better.any():
            return state
        gain = state.costs[better] - costs[better]
        known = np.isfinite(gain)  # it is not where the parent's cost was infinite
        gain = np.where(known, gain, gain[known].max() if known.any() else 1.0)
        scale, crossover = state.scale[better], state.crossover[better]
        scales, crossovers = state.scale_memory.copy(), state.crossover_memory.copy()
        scales[state.oldest] = _lehmer_mean(scale, gain)
        if np.isnan(crossovers[state.oldest]) or crossover.max() == 0:
            crossovers[state.oldest] = np.nan
        else:
            crossovers[state.oldest] = _lehmer_mean(crossover, gain)
        oldest = (state.oldest + 1) % self.memory
        return state.updated(scale_memory=scales, crossover_memory=crossovers, oldest=oldest)

    def _selected(
        self, state: LSHADEState, evaluated: Array, costs: Array, rng: np.random.Generator
    ) -> LSHADEState:
        """The better of each parent and its trial (Eq. 6); beaten parents are archived, random ones leave."""
        beaten = state.parents[costs < state.costs]
        room = round(self.archive_ratio * self.size(state.generation))
        kept = np.sort(rng.permutation(len(state.archive) + len(beaten))[:room])
        archive = rows_of(state.archive, beaten, kept)
        parents, costs = better_of(state.parents, state.costs, evaluated, costs)
        return state.updated(parents=parents, costs=costs, archive=archive)

    def _reduced(self, state: LSHADEState) -> LSHADEState:
        """The best of the population, as many as its size is now (Eq. 10)."""
        n = self.size(state.generation)
        if n == len(state.costs):
            return state
        best = np.argsort(state.costs, kind="stable")[:n]
        return state.updated(parents=state.parents[best], costs=state.costs[best])

    def _challenged(self, state: LSHADEState, rng: np.random.Generator) -> LSHADEState:
        """The same with a new trial for each parent."""
        n = len(state.costs)
        entry = (rng.random(n) * self.memory).astype(np.intp)
        scale = _positive_cauchy(state.scale_memory[entry], rng)
        around = state.crossover_memory[entry]
        # Eq. 1: CR ~ N(M_CR, 0.1), cut off at 0 and 1; 0 if the memory's entry is the terminal value
        crossover = np.minimum(np.maximum(around + 0.1 * rng.standard_normal(n), 0), 1)
        crossover = np.where(np.isnan(around), 0, crossover)
        own = np.arange(n)[None]
        one = apart_from(own, n, rng)
        two = apart_from(np.vstack([own, one]), n + len(state.archive), rng)
        # Eq. 3: v = x + F (x_pbest - x) + F (x_r1 - x_r2)
        rows = own[0], best_rows(state.costs, self.best_share, rng), one, two
        trials = trial_vectors(
            state.space, state.parents, state.archive, rows, scale, crossover, self.clip, rng
        )
        return state.updated(trials=trials, scale=scale, crossover=crossover)


@lru_cache(maxsize=256)
def _evaluations(plan: LSHADE, iterations: int) -> int:
    """Kept, because a study asks for the same numbers of iterations again and again."""
    return sum(plan.size(generation) for generation in range(iterations + 1))


def _lehmer_mean(values: Array, weights: Array) -> float:
    """mean_WL (Eqs. 7-9), sum of w S^2 / sum of w S: nearer to the large values than the mean."""
    return float((weights * values**2).sum() / (weights * values).sum())


def _positive_cauchy(location: Array, rng: np.random.Generator) -> Array:
    """Eq. 2: F ~ Cauchy(M_F, 0.1), drawn again while not positive, cut off at 1."""
    drawn = location + 0.1 * rng.standard_cauchy(location.size)
    while (low := np.flatnonzero(drawn <= 0)).size:
        drawn[low] = location[low] + 0.1 * rng.standard_cauchy(low.size)
    return np.minimum(drawn, 1)
