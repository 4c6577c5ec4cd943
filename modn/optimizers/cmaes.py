"""CMA-ES, the covariance matrix adaptation evolution strategy: separable, with restarts.

Source: N. Hansen, "The CMA evolution strategy: a tutorial", arXiv:1604.00772, 2016. The equation numbers are
this tutorial's. A generation is lambda samples x = m + sigma sqrt(C) z with z ~ N(0, I) (Eqs. 38-40). The
best mu of them move
- the mean m (Eqs. 41-42),
- the step size sigma, by the length of the evolution path p_sigma (Eqs. 43-44),
- the covariance matrix C, by the evolution path p_c and the samples themselves (Eqs. 45 and 47).

Separable: R. Ros and N. Hansen, "A simple modification in CMA-ES achieving linear time and space complexity",
PPSN 2008. C is diagonal and learns (V + 2) / 3 times faster, so that time and memory are linear in V. The
strategy parameters are this paper's; `rates` says where the tutorial's differ.

Restarts: A. Auger and N. Hansen, "A restart CMA evolution strategy with increasing population size", IEEE CEC
2005. A search that stands still begins anew at a random place, with a larger lambda.

An iteration always evaluates `population` individuals. After a restart with twice the lambda, a generation
takes two iterations, so that the cost of an iteration is known beforehand.

As with every optimizer here, the initial population is uniform in the space; the first mean is its best
individual. Nothing holds the variables inside the initial box. Bits are searched as the signs of positions.
"""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar, NamedTuple

import numpy as np

from modn.constraints import Constraint, Integer, Number
from modn.optimizers.core.base import Optimizer, State, register
from modn.optimizers.core.compiled import compiled
from modn.optimizers.core.relaxed import relaxed, to_candidates, to_positions
from modn.optimizers.core.space import Array, Space

SMALLEST, LARGEST = 1e-12, 1e12  # deviations, in units of the first ones, at which a search starts again
CONDITION = 1e14  # likewise, the largest variance in units of the smallest, and so the condition number of C


@dataclass(frozen=True, eq=False)
class CMAESState(State):
    """The normal distribution that is sampled, and how it got there; in units of the variables' ranges."""

    mean: Array  # (V,) in the variables' own units
    sigma: float  # step size
    variances: Array  # (V,) the diagonal of C
    sigma_path: Array  # (V,) p_sigma
    path: Array  # (V,) p_c
    age: int  # generations since the last restart
    plateau: float  # best cost of the last generations that had the same
    still: int  # how many of them
    batches: int  # iterations a generation takes: lambda / population
    samples: Array  # (k, V) positions of this generation that have been evaluated
    costs: Array  # (k,)
    batch: Array  # (population, V) positions to be evaluated next


@register("cmaes")
@dataclass(frozen=True)
class CMAES(Optimizer):
    """Parameters of CMA-ES; those that its paper derives from V and lambda are derived."""

    population: int = 20  # lambda until the first restart; Eq. 48, 4 + 3 ln V, is 21 for V = 300
    sigma: float = 0.1  # first standard deviation, in units of the variable's range
    growth: int = 2  # factor of lambda at a restart

    state_class: ClassVar[type[State]] = CMAESState

    allowed: ClassVar[dict[str, Constraint]] = {
        "population": Integer(4),
        "sigma": Number(0, ends="(]"),
        "growth": Integer(1),
    }

    def _init(self, space: Space, rng: np.random.Generator) -> CMAESState:
        first = relaxed(space).sample(self.population, rng)
        zeros = np.zeros(space.size)
        return CMAESState(
            space,
            0,
            to_candidates(space, first[0]),
            np.inf,
            mean=first[0],
            sigma=self.sigma,
            variances=np.ones(space.size),
            sigma_path=zeros,
            path=zeros,
            age=0,
            plateau=np.inf,
            still=0,
            batches=1,
            samples=first[:0],
            costs=zeros[:0],
            batch=first,
        )

    def ask(self, state: CMAESState, rng: np.random.Generator) -> Array:
        """The next samples of the distribution; at first the initial population."""
        return to_candidates(state.space, state.batch)

    def _tell(
        self,
        state: CMAESState,
        candidates: Array,
        costs: Array,
        rng: np.random.Generator,
        gradients: Array | None,
    ) -> CMAESState:
        positions = to_positions(state.space, state.batch, candidates)
        if state.generation == 1:
            return self._sampled(state.updated(mean=positions[costs.argmin()]), rng)
        samples, costs = np.concatenate([state.samples, positions]), np.concatenate([state.costs, costs])
        if len(costs) < state.batches * self.population:
            return self._sampled(state.updated(samples=samples, costs=costs), rng)
        state = _adapted(state, samples, costs).updated(samples=samples[:0], costs=costs[:0])
        return self._sampled(self._restarted(state, rng) if self._stands_still(state) else state, rng)

    def _sampled(self, state: CMAESState, rng: np.random.Generator) -> CMAESState:
        # Eqs. 38-40: x = m + sigma sqrt(C) z
        deviations = state.sigma * np.sqrt(state.variances) * relaxed(state.space).range
        return state.updated(batch=_draw(rng, self.population, state.mean, deviations))

    def _stands_still(self, state: CMAESState) -> bool:
        """Whether to restart: no finite cost, the same best cost for long, or a degenerate distribution.

        After Auger and Hansen's stopping criteria (also in the tutorial's Appendix B): `patience` generations
        with the same best cost, deviations 1e-12 times the first ones, and condition numbers above 1e14.
        """
        free = state.variances[state.space.range > 0]
        if free.size == 0 or state.plateau == np.inf:
            return True
        reach = state.sigma / self.sigma * np.sqrt(free.max())
        patience = 10 + np.ceil(30 * state.space.size / (state.batches * self.population))
        return bool(
            state.still >= patience or not SMALLEST < reach < LARGEST or free.max() > CONDITION * free.min()
        )

    def _restarted(self, state: CMAESState, rng: np.random.Generator) -> CMAESState:
        """A new search from a random place, with a larger lambda."""
        place = relaxed(state.space).sample(1, rng)[0]
        fresh = self._init(state.space, rng).updated(mean=place, batches=state.batches * self.growth)
        return fresh.updated(generation=state.generation, best=state.best, best_cost=state.best_cost)


class Rates(NamedTuple):
    """The strategy parameters of Ros and Hansen."""

    weights: Array  # (mu,) w_i of the better half, best first
    mu_eff: float  # how many samples the weights are worth
    c_sigma: float  # share of p_sigma that is forgotten each generation
    d_sigma: float  # damping of the step size
    c_c: float  # share of p_c that is forgotten
    c_cov: float  # learning rate of C
    expected: float  # E||N(0, I)||, the expected length of a standard normal vector


@cache
def rates(n_samples: int, V: int) -> Rates:
    """Those of a generation of lambda = n_samples in V dimensions.

    The tutorial, which is later, has ln((lambda + 1) / 2) - ln i as weights (Eq. 49), V + mu_eff + 5 in
    c_sigma (Eq. 55), mu_eff in c_c (Eq. 56), and two learning rates instead of c_cov (Eqs. 57-58).
    """
    mu = n_samples // 2
    weights = np.log(mu + 1) - np.log(np.arange(1, mu + 1))  # w_i ~ ln(mu + 1) - ln i
    weights /= weights.sum()
    mu_eff = 1 / (weights**2).sum()  # Eq. 8
    c_sigma = (mu_eff + 2) / (V + mu_eff + 3)
    d_sigma = 1 + 2 * max(0, np.sqrt((mu_eff - 1) / (V + 1)) - 1) + c_sigma  # Eq. 55
    # c_cov of the full matrix: 1 / mu_cov of it is for p_c, the rest for the samples; mu_cov = mu_eff
    full = 2 / (mu_eff * (V + np.sqrt(2)) ** 2)
    full += (1 - 1 / mu_eff) * min(1, (2 * mu_eff - 1) / ((V + 2) ** 2 + mu_eff))
    c_cov = min(1, full * (V + 2) / 3)  # sep-CMA-ES: a diagonal has fewer entries to learn
    expected = np.sqrt(V) * (1 - 1 / (4 * V) + 1 / (21 * V**2))
    return Rates(weights, mu_eff, c_sigma, d_sigma, 4 / (V + 4), c_cov, expected)


def _adapted(state: CMAESState, samples: Array, costs: Array) -> CMAESState:
    """The distribution after a generation: Eqs. 41-47 of the tutorial, with a diagonal C."""
    r = rates(len(costs), state.space.size)
    best = np.argsort(costs, kind="stable")[: len(r.weights)]
    reach = relaxed(state.space).range
    steps = (samples[best] - state.mean) / (state.sigma * np.where(reach > 0, reach, 1))
    # Eq. 41: <y>_w = sum of w_i y_i. einsum, not @: BLAS sums in another order on another machine
    step = np.einsum("i,iv->v", r.weights, steps)
    deviations = np.sqrt(state.variances)
    # Eq. 43: p_sigma <- (1 - c_sigma) p_sigma + sqrt(c_sigma (2 - c_sigma) mu_eff) C^(-1/2) <y>_w
    sigma_path = (1 - r.c_sigma) * state.sigma_path
    sigma_path += np.sqrt(r.c_sigma * (2 - r.c_sigma) * r.mu_eff) * step / deviations
    length = np.sqrt((sigma_path**2).sum()) / r.expected
    age = state.age + 1
    # h_sigma (tutorial, Appendix A): p_c stalls while p_sigma is long, lest C grow too fast
    unbiased = np.sqrt(1 - (1 - r.c_sigma) ** (2 * age))
    moves = float(length < (1.4 + 2 / (state.space.size + 1)) * unbiased)
    # Eq. 45: p_c <- (1 - c_c) p_c + h_sigma sqrt(c_c (2 - c_c) mu_eff) <y>_w
    path = (1 - r.c_c) * state.path + moves * np.sqrt(r.c_c * (2 - r.c_c) * r.mu_eff) * step
    # Eq. 47, its diagonal: C <- (1 - c_cov) C + c_cov (p_c^2 / mu_cov + (1 - 1 / mu_cov) sum of w_i y_i^2)
    rank_mu = np.einsum("i,iv->v", r.weights, steps**2)
    learnt = path**2 / r.mu_eff + (1 - 1 / r.mu_eff) * rank_mu
    lowest = float(costs[best[0]])
    return state.updated(
        mean=state.mean + state.sigma * reach * step,  # Eq. 42, c_m = 1
        # Eq. 44: sigma <- sigma exp(c_sigma / d_sigma (||p_sigma|| / E||N(0, I)|| - 1)), here e-fold at most
        sigma=float(state.sigma * np.exp(min(r.c_sigma / r.d_sigma * (length - 1), 1))),
        variances=(1 - r.c_cov) * state.variances + r.c_cov * learnt,
        sigma_path=sigma_path,
        path=path,
        age=age,
        plateau=lowest,
        still=state.still + 1 if lowest == state.plateau else 0,
    )


@compiled
def _draw(rng, n, mean, deviations):  # type: ignore[no-untyped-def]
    """n positions (n, V), normal around the mean."""
    samples = np.empty((n, mean.size))
    for i in range(n):
        for v in range(mean.size):
            samples[i, v] = mean[v] + deviations[v] * rng.standard_normal()
    return samples
