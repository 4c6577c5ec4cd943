"""PSO, particle swarm optimization.

Source: R. Eberhart and J. Kennedy, "A new optimizer using particle swarm theory", MHS 1995, with the inertia
weight of Y. Shi and R. Eberhart (1998):
    v = inertia v + cognitive r1 (own best - x) + social r2 (swarm's best - x)
With the paper's inertia of 1 a swarm never slows down by itself, so velocities are clamped and positions are
kept in the box. Bits are searched as positions in [-1, 1].
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from modn.optimizers.base import Optimizer, State, register
from modn.optimizers.checks import check_flag, check_number
from modn.optimizers.relaxed import relaxed, to_candidates, to_positions
from modn.optimizers.space import Array, Space


@dataclass(frozen=True, eq=False)
class PSOState(State):
    """The swarm."""

    positions: Array  # (population, V)
    velocities: Array  # (population, V)
    own_best: Array  # (population, V) the best position of each particle
    own_costs: Array  # (population,) and its cost


@register("pso")
@dataclass(frozen=True)
class PSO(Optimizer):
    """Parameters of PSO; defaults: Table 2 of the paper, where it names one."""

    population: int = 200  # particles
    inertia: float = 1.0  # share of its velocity that a particle keeps
    cognitive: float = 0.3  # pull of the particle's own best position
    social: float = 0.3  # pull of the swarm's best position
    velocity_clamp: float = 0.5  # largest velocity, in units of the variable's range
    clip: bool = True  # positions stay in the box

    state_class: ClassVar[type[State]] = PSOState

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in ("inertia", "cognitive", "social"):
            check_number(self, field, 0)
        check_number(self, "velocity_clamp", 0, ends="(]")
        check_flag(self, "clip")

    def _init(self, space: Space, rng: np.random.Generator) -> PSOState:
        positions = relaxed(space).sample(self.population, rng)
        costs = np.full(self.population, np.inf)
        first = to_candidates(space, positions[0])
        return PSOState(space, 0, first, np.inf, positions, np.zeros_like(positions), positions, costs)

    def ask(self, state: PSOState, rng: np.random.Generator) -> Array:
        """What the particles stand for."""
        return to_candidates(state.space, state.positions)

    def _tell(
        self,
        state: PSOState,
        candidates: Array,
        costs: Array,
        rng: np.random.Generator,
        gradients: Array | None,
    ) -> PSOState:
        positions = to_positions(state.space, state.positions, candidates)
        better = costs < state.own_costs
        own_best = np.where(better[:, None], positions, state.own_best)
        own_costs = np.where(better, costs, state.own_costs)
        swarm_best = own_best[np.argmin(own_costs)]

        box = relaxed(state.space)
        limit = self.velocity_clamp * box.range
        velocities = self.inertia * state.velocities
        for coefficient, attractor in ((self.cognitive, own_best), (self.social, swarm_best)):
            pull = attractor - positions
            # in place, with single-precision draws: these arrays are the algorithm's whole cost
            pull *= rng.random(positions.shape, dtype=np.float32)
            pull *= coefficient
            velocities += pull
        np.maximum(velocities, -limit, out=velocities)
        np.minimum(velocities, limit, out=velocities)
        positions = positions + velocities
        if self.clip:
            np.maximum(positions, box.lower, out=positions)
            np.minimum(positions, box.upper, out=positions)
        return replace(
            state, positions=positions, velocities=velocities, own_best=own_best, own_costs=own_costs
        )
