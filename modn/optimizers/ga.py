"""GA, the genetic algorithm on a binary Gray code.

Source: D. Simon, "Evolutionary Optimization Algorithms", Wiley, 2013, chapter 3. Parents are selected, cut at
random bits and recombined in pairs; bits flip with a small probability; the elites survive unchanged. What
Table 2 leaves open is by default as in the simple GA of D. Goldberg's "Genetic Algorithms", 1989: roulette on
the fitness, one cut, no elites.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from modn.constraints import Constraint, Integer, Number, OneOf
from modn.optimizers.core.base import Optimizer, State, register
from modn.optimizers.core.compiled import compiled
from modn.optimizers.core.draws import rare_positions, roulette
from modn.optimizers.core.gray import MAX_BITS, decode, encode, word_bits
from modn.optimizers.core.space import Array, Space, rows_of


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

    allowed: ClassVar[dict[str, Constraint]] = {
        "population": Integer(2),
        "crossover": Number(0, 1),
        "mutation": Number(0, 1),
        "bits": Integer(1, MAX_BITS),
        "selection": OneOf(("roulette", "tournament")),
        "cuts": Integer(1),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("elites", Integer(0, self.population - 1))

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
        parents = self._select(state.costs, 2 * pairs, rng)
        cuts = self._cuts(pairs, state.space.size * bits, rng)
        children = _crossed(state.words, parents, cuts, bits)[:count]
        _flip(children.reshape(-1), rare_positions(children.size * bits, self.mutation, rng), bits)
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
        elites = 0
        if state.generation > 1:
            elites = self._elites(state)
            costs = np.concatenate([state.costs[:elites], costs])
        order = np.argsort(costs, kind="stable")
        return state.updated(words=rows_of(state.words[:elites], words, order), costs=costs[order])

    def _elites(self, state: GAState) -> int:
        return min(self.elites, int(np.isfinite(state.costs).sum()))

    def _select(self, costs: Array, n: int, rng: np.random.Generator) -> Array:
        """The rows of n parents, drawn independently."""
        if self.selection == "tournament":
            return rng.integers(0, self.population, size=(2, n)).min(axis=0)  # rows are sorted by cost
        fitness = np.where(costs >= 0, 1 / (1 + np.maximum(costs, 0)), 1 - np.minimum(costs, 0))
        return roulette(fitness, n, rng) if fitness.any() else rng.integers(0, self.population, size=n)

    def _cuts(self, pairs: int, bits: int, rng: np.random.Generator) -> Array:
        """After how many of its bits each pair of parents is cut (pairs, cuts); after all is not at all."""
        cuts = rng.integers(1, max(bits, 2), size=(pairs, self.cuts))
        return np.where(rng.random((pairs, 1)) < self.crossover, cuts, bits)


@compiled
def _crossed(words, parents, cuts, bits):  # type: ignore[no-untyped-def]
    """The children (2 pairs, V): parents p and pairs + p exchange the bits between odd and even cuts."""
    V, pairs = words.shape[1], len(cuts)
    children = np.empty((2 * pairs, V), np.uint32)
    for p in range(pairs):
        for v in range(V):
            exchanged = 0
            for cut in cuts[p]:
                before = min(max(cut - bits * v, 0), bits)  # of this word's bits, the leading ones
                exchanged ^= (1 << (bits - before)) - 1
            mother, father = words[parents[p], v], words[parents[pairs + p], v]
            swapped = (mother ^ father) & np.uint32(exchanged)
            children[p, v] = mother ^ swapped
            children[pairs + p, v] = father ^ swapped
    return children


@compiled
def _flip(words, flipped, bits):  # type: ignore[no-untyped-def]
    """Flip these bits, counted through all words, in place."""
    for bit in flipped:
        words[bit // bits] ^= np.uint32(1 << (bit % bits))
