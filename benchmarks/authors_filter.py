"""How the authors' code treats the filter of MODNP and MODNF: what `benchmarks.open_choices` compares.

There P is real. In training it counts as (sign(P) + 1) / 2, so that a zero of MODNP's partition counts 1/2,
and ten generations search it, from the fixed P on, for these two models as well. At test P is used as it is.
"""

from dataclasses import dataclass, replace

import numpy as np

from modn import filters
from modn.fast.objective import Objective
from modn.methods import neuron_problem
from modn.methods.search import improve
from modn.optimizers.bbo import BBO
from modn.optimizers.core.space import Array, Space

FILTER_ITERATIONS = 10


@dataclass(frozen=True)
class FilterFaults:
    """Which of them are made."""

    halved: bool = False  # a zero of P counts 1/2 in training
    searched: bool = False  # P is searched, and real at test


@dataclass(frozen=True, eq=False)
class RealFilter:
    """The loss as a function of the parameters, for a P of real numbers that count by their sign."""

    objective: Objective  # with strengths: they carry what each dendrite feeds each output
    space: Space
    P: Array  # (M, C)
    halved: bool

    def loss(self, population: Array) -> Array:
        """(S, V) -> (S,)."""
        return self._loss(np.atleast_2d(population), self.P.reshape(1, -1))

    def filter_loss(self, parameters: Array, filters: Array) -> Array:
        """(V,), (S, M C) -> (S,), one parameter vector with many filters."""
        return self._loss(parameters[None], filters)

    def _loss(self, rows: Array, filters: Array) -> Array:
        counts = (np.sign(filters) + 1) / 2 if self.halved else (filters > 0).astype(float)
        S = max(len(rows), len(counts))
        fed = [np.broadcast_to(part, (S, part.shape[1])) for part in (rows, counts)]
        M, C = self.P.shape
        return self.objective.loss(np.hstack(fed), np.ones((M, C), dtype=bool))


def train(
    objective: Objective, filter: str, bbo: BBO, budget: int, rng: np.random.Generator, faults: FilterFaults
) -> tuple[Array, Array]:
    """The parameters (V,), and the real P (M, C) that is used at test."""
    M, C = objective.n_dendrites, objective.n_classes
    with_strengths = Objective(
        objective.X, objective.y, M, C, objective.alpha_s, objective.alpha_t, strengths=True
    )
    P = filters.FIXED[filter](M, C).astype(float)
    problem = RealFilter(with_strengths, neuron_problem(objective, filter).space, P, faults.halved)
    begun, loss = None, np.inf
    if faults.searched:
        drawn = problem.space.sample(bbo.population, rng)
        begun = drawn[np.argmin(problem.loss(drawn))]
        problem = replace(problem, P=_searched(problem, begun, bbo, rng))
        loss = float(problem.loss(begun)[0])
    found = improve(bbo, problem.space, problem.loss, budget, rng, None, begun, loss)
    return found.best, problem.P


def _searched(problem: RealFilter, parameters: Array, bbo: BBO, rng: np.random.Generator) -> Array:
    """The best filter (M, C) of ten generations whose first individuals are all the fixed P."""
    bound = np.ones(problem.P.size)
    state = bbo.init(Space.box(-bound, bound), rng)
    state.habitats[:] = problem.P.ravel()
    for _ in range(FILTER_ITERATIONS + 1):
        candidates = bbo.ask(state, rng)
        state = bbo.tell(state, candidates, problem.filter_loss(parameters, candidates), rng)
    return state.best.reshape(problem.P.shape)
