"""PSO, particle swarm optimization.

Source: R. Eberhart and J. Kennedy, "A new optimizer using particle swarm theory", MHS 1995, with the inertia
weight of Y. Shi and R. Eberhart (1998):
    v = inertia v + cognitive r1 (own best - x) + social r2 (swarm's best - x)
With the paper's inertia of 1 a swarm never slows down by itself, so velocities are clamped and positions are
kept in the box. Bits are searched as positions in [-1, 1].
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from modn.constraints import Constraint, Flag, Number
from modn.optimizers.core.base import Optimizer, State, register
from modn.optimizers.core.compiled import compiled
from modn.optimizers.core.relaxed import relaxed, to_candidates, to_positions
from modn.optimizers.core.space import Array, Space


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

    allowed: ClassVar[dict[str, Constraint]] = {
        "inertia": Number(0),
        "cognitive": Number(0),
        "social": Number(0),
        "velocity_clamp": Number(0, ends="(]"),
        "clip": Flag(),
    }

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
        own_costs = np.where(better, costs, state.own_costs)
        box = relaxed(state.space)
        positions, velocities, own_best = _moved(
            rng,
            positions,
            state.velocities,
            state.own_best,
            better,
            own_costs.argmin(),
            (self.inertia, self.cognitive, self.social),
            self.velocity_clamp * box.range,
            box.lower if self.clip else np.full_like(box.lower, -np.inf),
            box.upper if self.clip else np.full_like(box.upper, np.inf),
        )
        return state.updated(
            positions=positions, velocities=velocities, own_best=own_best, own_costs=own_costs
        )


@compiled
def _moved(  # type: ignore[no-untyped-def]
    rng, positions, velocities, own_best, better, leader, weights, limit, lower, upper
):
    """The next positions, velocities and own best positions; `leader` holds the swarm's best."""
    inertia, cognitive, social = weights
    # in one piece: what the last generation leaves behind is then what the next one needs
    swarm = np.empty((3, *positions.shape))
    swarm_best = positions[leader] if better[leader] else own_best[leader]
    for i in range(positions.shape[0]):
        best = positions[i] if better[i] else own_best[i]
        for v in range(positions.shape[1]):
            # the leading 26 and the other 27 bits of one draw are two
            draw = rng.random() * 2.0**26
            r1 = np.floor(draw)
            r2 = draw - r1
            x = positions[i, v]
            own_pull, swarm_pull = r1 * 2.0**-26 * (best[v] - x), r2 * (swarm_best[v] - x)
            speed = inertia * velocities[i, v] + cognitive * own_pull + social * swarm_pull
            speed = min(max(speed, -limit[v]), limit[v])
            swarm[0, i, v] = min(max(x + speed, lower[v]), upper[v])
            swarm[1, i, v] = speed
            swarm[2, i, v] = best[v]
    return swarm[0], swarm[1], swarm[2]
