"""BBO with other bounds, and with the faults of the authors' code: what `benchmarks.open_choices` compares.

None of it is for use: `modn.optimizers.bbo` is what the paper's results come from, without the faults.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from modn.optimizers.bbo import BBO, BBOState
from modn.optimizers.core.space import Array, Space


class ClippedBBO(BBO):
    """The variables stay in the box in which they began."""

    def ask(self, state: BBOState, rng: np.random.Generator) -> Array:
        candidates = super().ask(state, rng)
        return (
            candidates if state.space.boolean else np.clip(candidates, state.space.lower, state.space.upper)
        )


@dataclass(frozen=True)
class BoxedBBO(BBO):
    """All variables begin within [-reach, reach], those of the telodendra too; mutations grow with it."""

    reach: float = 1.0

    def init(self, space: Space, rng: np.random.Generator) -> Any:
        if space.boolean:
            return super().init(space, rng)
        bound = np.full(space.size, self.reach)
        return super().init(Space.box(-bound, bound), rng)


class LastGenerationBBO(BBO):
    """A fault of the authors' code: what it returns is the best of the newest individuals, not of all."""

    def tell(
        self, state: Any, candidates: Array, costs: Any, rng: np.random.Generator, gradients: Any = None
    ) -> Any:
        state = super().tell(state, candidates, costs, rng, gradients)
        newest = int(np.argmin(costs))
        return replace(state, best=np.array(candidates[newest]), best_cost=float(costs[newest]))


class ReseededBBO(BBO):
    """Every individual draws the same numbers, as if each were made after the generator was seeded anew."""

    def ask(self, state: BBOState, rng: np.random.Generator) -> Array:
        if state.generation == 0:
            return state.habitats
        V, boolean = state.space.size, state.space.boolean
        same = np.random.default_rng(0)
        immigrates, spin, mutates = same.random((3, V))
        drawn = same.integers(0, 2, V, dtype=np.bool_) if boolean else same.standard_normal(V)
        immigration, emigration = self._rates()
        habitats = state.habitats.copy()
        for i, habitat in enumerate(habitats):
            others = emigration.copy()
            others[i] = 0  # from another habitat
            source = np.searchsorted(others.cumsum(), spin * others.sum(), side="right")
            incoming = state.habitats[source, np.arange(V)]
            moved = incoming if boolean else habitat + self.blend * (incoming - habitat)
            habitat[:] = np.where(immigrates < immigration[i], moved, habitat)
            mutant = drawn if boolean else habitat + self.sigma * state.space.range * drawn
            habitat[:] = np.where(mutates < self.mutation, mutant, habitat)
        return habitats


class RepeatingBBO(BBO):
    """A fault of the authors' code: every generation, of every run, draws the same numbers as the last one.

    Their generator is seeded with 1 in each evaluation, and all individuals of a generation are made before
    the first of them is evaluated.
    """

    def ask(self, state: BBOState, rng: np.random.Generator) -> Array:
        return super().ask(state, np.random.default_rng(1))


class FaultyBBO(RepeatingBBO, LastGenerationBBO):
    """Both faults of the authors' code."""
