"""GA, the genetic algorithm on a binary Gray code.

Source: D. Simon, "Evolutionary Optimization Algorithms", Wiley, 2013, chapter 3. Parents are selected, cut at
random bits and recombined in pairs; bits flip with a small probability; the elites survive unchanged. What
Table 2 leaves open is by default as in the simple GA of D. Goldberg's "Genetic Algorithms", 1989: roulette on
the fitness, one cut, no elites.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from modn.optimizers.base import Optimizer, State, register
from modn.optimizers.checks import check_choice, check_integer, check_number
from modn.optimizers.draws import rare_positions, roulette
from modn.optimizers.gray import MAX_BITS, decode, encode, word_bits
from modn.optimizers.space import Array, Space


@dataclass(frozen=True, eq=False)
class GAState(State):
    """The chromosomes, best first."""

    words: Array  # (population, V) Gray words
    costs: Array  # (population,)


@register("ga")
@dataclass(frozen=True)
class GA(Optimizer):
    """Parameters of the GA; defaults: Table 2 of the paper, where it names one."""

    population: int = 100  # chromosomes
    crossover: float = 1.0  # probability that a pair of parents is recombined
    mutation: float = 0.01  # probability that a bit flips
    bits: int = 16  # per real variable
    selection: str = "roulette"  # roulette (on 1 / (1 + cost)) | tournament (of two)
    cuts: int = 1  # crossover points per pair
    elites: int = 0  # best chromosomes that survive as they are

    state_class: ClassVar[type[State]] = GAState
    smallest_population: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self, "crossover", 0, 1)
        check_number(self, "mutation", 0, 1)
        check_integer(self, "bits", 1, MAX_BITS)
        check_choice(self, "selection", ("roulette", "tournament"))
        check_integer(self, "cuts", 1)
        check_integer(self, "elites", 0, self.population - 1)

    @property
    def offspring(self) -> int:
        """All but the elites, whose costs are known."""
        return self.population - self.elites

    def _init(self, space: Space, rng: np.random.Generator) -> GAState:
        bits = word_bits(space, self.bits)
        words = rng.integers(0, 2**bits, size=(self.population, space.size), dtype=np.uint32)
        first = decode(space, words[:1], bits)[0]
        return GAState(space, 0, first, np.inf, words, np.full(self.population, np.inf))

    def ask(self, state: GAState, rng: np.random.Generator) -> Array:
        """The children: all of the next population but the elites."""
        bits = word_bits(state.space, self.bits)
        if state.generation == 0:
            return decode(state.space, state.words, bits)
        count = self.population - self._elites(state)
        pairs = (count + 1) // 2
        mothers, fathers = state.words[self._select(state.costs, 2 * pairs, rng).reshape(2, pairs)]
        swapped = (mothers ^ fathers) & self._exchanged(pairs, state.space.size, bits, rng)
        children = np.concatenate([mothers ^ swapped, fathers ^ swapped])[:count]

        flipped = rare_positions(children.size * bits, self.mutation, rng)
        flip = np.left_shift(1, flipped % bits).astype(np.uint32)
        np.bitwise_xor.at(children.reshape(-1), flipped // bits, flip)
        return decode(state.space, children, bits)

    def _tell(
        self,
        state: GAState,
        candidates: Array,
        costs: Array,
        rng: np.random.Generator,
        gradients: Array | None,
    ) -> GAState:
        words = encode(state.space, candidates, word_bits(state.space, self.bits))
        if state.generation > 1:
            elites = self._elites(state)
            words = np.concatenate([state.words[:elites], words])
            costs = np.concatenate([state.costs[:elites], costs])
        order = np.argsort(costs, kind="stable")
        return replace(state, words=words[order], costs=costs[order])

    def _elites(self, state: GAState) -> int:
        return min(self.elites, int(np.isfinite(state.costs).sum()))

    def _select(self, costs: Array, n: int, rng: np.random.Generator) -> Array:
        """The rows of n parents, drawn independently."""
        if self.selection == "tournament":
            return rng.integers(0, self.population, size=(2, n)).min(axis=0)  # rows are sorted by cost
        fitness = np.where(costs >= 0, 1 / (1 + np.maximum(costs, 0)), 1 - np.minimum(costs, 0))
        return roulette(fitness, n, rng) if fitness.any() else rng.integers(0, self.population, size=n)

    def _exchanged(self, pairs: int, size: int, bits: int, rng: np.random.Generator) -> Array:
        """Masks (pairs, V) of the bits that a pair exchanges: between odd and even cuts."""
        cut = rng.integers(1, max(size * bits, 2), size=(self.cuts, pairs, 1))
        cut = np.where(rng.random((pairs, 1)) < self.crossover, cut, size * bits)
        # How many leading bits of each word lie before the cut; the others lie behind it.
        before = np.clip(cut - bits * np.arange(size), 0, bits)
        behind = (np.left_shift(1, bits - np.arange(bits + 1)) - 1).astype(np.uint32)
        return np.bitwise_xor.reduce(behind[before], axis=0)
