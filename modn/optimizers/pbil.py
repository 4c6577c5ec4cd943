"""PBIL, population-based incremental learning.

Source: S. Baluja, "Population-based incremental learning", CMU-CS-94-163, 1994. A probability vector, 0.5 at
the start, is all that is learnt: each generation is sampled from it, then it moves towards the best and away
from the worst individuals. For real variables there are two codes:

`real` (default), that of D. Simon's comparison of BBO with other algorithms (2008), whose settings Table 2
of the paper repeats: the vector holds each variable's place in its box; samples are uniform around it,
clipped to the box. `gray`: Baluja's, one probability per bit of a Gray code.

A Boolean variable has one probability, that of being 1.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from modn.constraints import Constraint, Integer, Number, OneOf
from modn.optimizers.core.base import Optimizer, State, register
from modn.optimizers.core.compiled import compiled
from modn.optimizers.core.gray import MAX_BITS, decode, encode, word_bits
from modn.optimizers.core.space import Array, Space, rows_of


@dataclass(frozen=True, eq=False)
class PBILState(State):
    """The probability vector and the elite."""

    probability: Array  # (V,) or, for the Gray code, (V, bits), highest bit first
    elite: Array  # (elites, V) the best individuals so far; no rows before the first generation
    elite_costs: Array  # (elites,)


@register("pbil")
@dataclass(frozen=True)
class PBIL(Optimizer):
    """Parameters of PBIL; defaults: Table 2 of the paper, where it names one."""

    population: int = 200  # samples per generation
    learning_rate: float = 0.05  # how far the vector moves towards each of the best
    negative_learning_rate: float = 0.05  # how far the vector moves away from each of the worst
    best_count: int = 1  # individuals that attract
    bad_count: int = 0  # individuals that repel
    code: str = "real"  # real | gray
    spread: float = 1.0  # real: width of the uniform samples, in units of the variable's range
    bits: int = 16  # gray: per real variable
    elites: int = 1  # best individuals that stay in the population as they are

    state_class: ClassVar[type[State]] = PBILState

    allowed: ClassVar[dict[str, Constraint]] = {
        "population": Integer(2),
        "learning_rate": Number(0, 1),
        "negative_learning_rate": Number(0, 1),
        "code": OneOf(("real", "gray")),
        "spread": Number(0, ends="(]"),
        "bits": Integer(1, MAX_BITS),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("best_count", Integer(0, self.population))
        self.require("bad_count", Integer(0, self.population))
        self.require("elites", Integer(0, self.population - 1))

    @property
    def offspring(self) -> int:
        """All but the elites, whose costs are known."""
        return self.population - self.elites

    def _init(self, space: Space, rng: np.random.Generator) -> PBILState:
        gray = self.code == "gray" and not space.boolean
        probability = np.full((space.size, self.bits) if gray else space.size, 0.5)
        elite = np.empty((0, space.size), dtype=space.dtype)
        return PBILState(space, 0, space.sample(1, rng)[0], np.inf, probability, elite, np.empty(0))

    def ask(self, state: PBILState, rng: np.random.Generator) -> Array:
        """A population sampled from the probability vector, but for the elites' places."""
        n = self.population - len(state.elite)
        space, probability = state.space, state.probability
        if space.boolean:
            return rng.random((n, space.size)) < probability
        if self.code == "real":
            return _sampled(rng, n, probability, self.spread, space.lower, space.range)
        return decode(space, self._sample_words(probability, n, rng), self.bits)

    def _tell(
        self,
        state: PBILState,
        candidates: Array,
        costs: Array,
        rng: np.random.Generator,
        gradients: Array | None,
    ) -> PBILState:
        costs = np.concatenate([state.elite_costs, costs])
        order = np.argsort(costs, kind="stable")
        order = order[np.isfinite(costs[order])]

        def individuals(rows: Array) -> Array:
            return rows_of(state.elite, candidates, rows)

        probability = state.probability
        for place in self._places(state.space, individuals(order[: self.best_count])):
            probability = probability + self.learning_rate * (place - probability)
        worst = order[max(order.size - self.bad_count, 0) :]
        for place in self._places(state.space, individuals(worst)):
            probability = probability - self.negative_learning_rate * (place - probability)
        elites = order[: self.elites]
        return state.updated(
            probability=np.clip(probability, 0, 1),
            elite=individuals(elites),
            elite_costs=costs[elites],
        )

    def _places(self, space: Space, individuals: Array) -> Array:
        """The probability vectors that would give just these individuals."""
        if space.boolean:
            return individuals.astype(np.float64)
        if self.code == "real":
            return (individuals - space.lower) / np.where(space.range > 0, space.range, 1)
        words = encode(space, individuals, word_bits(space, self.bits))
        return ((words[:, :, None] >> np.arange(self.bits - 1, -1, -1)) & 1).astype(np.float64)

    def _sample_words(self, probability: Array, n: int, rng: np.random.Generator) -> Array:
        """Gray words (n, V) with each bit drawn by its own probability, rounded to 1 / 65536."""
        # 16 random bits decide each bit of a word: a quarter of the cost of one float64 uniform each.
        threshold = np.rint(probability * 65535).astype(np.uint16)
        # In front, bits that are never 1 fill up whole bytes: then all words are packed in one go.
        threshold = np.pad(threshold, ((0, 0), (-self.bits % 8, 0)))
        drawn = rng.integers(0, 65536, size=(n, *threshold.shape), dtype=np.uint16) < threshold
        packed = np.packbits(drawn.reshape(-1)).reshape(n, len(threshold), -1)
        words = np.zeros(packed.shape[:2], dtype=np.uint32)
        for byte in np.moveaxis(packed, -1, 0):
            words = words << 8 | byte
        return words


@compiled
def _sampled(rng, n, probability, spread, lower, reach):  # type: ignore[no-untyped-def]
    """n individuals (n, V), uniform around the vector's places in the box, clipped to it."""
    samples = np.empty((n, probability.size))
    for i in range(n):
        for v in range(probability.size):
            place = probability[v] + spread * (rng.random() - 0.5)
            samples[i, v] = lower[v] + reach[v] * min(max(place, 0.0), 1.0)
    return samples
