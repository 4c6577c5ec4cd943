"""The loss of a MODN as a problem: its filter P is given (MODNP, MODNF), or to be learned (MODN)."""

from dataclasses import dataclass

import numpy as np

from modn import filters
from modn.constraints import OneOf, check
from modn.fast.objective import Objective
from modn.filters import LEARNED
from modn.methods.base import Array, Filter
from modn.optimizers.core.space import Space


@dataclass(frozen=True, eq=False)
class FixedFilter:
    """The loss as a function of the parameters; P (M, C) stays as it is.

    >>> from modn import Objective
    >>> from modn.methods import neuron_problem
    >>> objective = Objective([[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1], 2, 2, alpha_s=10.0, alpha_t=1.0)
    >>> problem = neuron_problem(objective, "full")
    >>> problem.space.size, problem.P.all()
    (8, np.True_)
    """

    objective: Objective
    P: Filter
    filter: str | None = None  # its name among `filters.FIXED`; None: P was learned

    @property
    def space(self) -> Space:
        """Where an initial population is drawn: all in [-1, 1], but w_t and theta_t in [0, 1]."""
        return _parameter_space(self.objective)

    def loss(self, population: Array) -> Array:
        """(S, V) -> (S,)."""
        return self.objective.loss(population, self.P)

    def loss_and_gradient(self, population: Array) -> tuple[Array, Array]:
        """(S, V) -> (S,), (S, V), exact."""
        return self.objective.loss_and_gradient(population, self.P)

    def loss_and_published_gradient(self, population: Array) -> tuple[Array, Array]:
        """(S, V) -> (S,), (S, V) by Eqs. 15-22 to the letter."""
        gradient = self.objective.published_gradient(population, self.P, str(self.filter))
        return self.loss(population), gradient


@dataclass(frozen=True, eq=False)
class LearnedFilter:
    """The loss as a function of the parameters and of P (M, C).

    >>> from modn import Objective
    >>> from modn.methods import neuron_problem
    >>> objective = Objective([[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1], 2, 2, alpha_s=10.0, alpha_t=1.0)
    >>> neuron_problem(objective, "learned").filter_space.size  # M C bits
    4
    """

    objective: Objective

    @property
    def space(self) -> Space:
        """Where an initial population of parameters is drawn."""
        return _parameter_space(self.objective)

    @property
    def filter_space(self) -> Space:
        """All filters, each a row of M C bits."""
        return Space.bits(self.objective.n_dendrites * self.objective.n_classes)

    def filters_of(self, bits: Filter) -> Filter:
        """Rows of bits (S, M C) as filters (S, M, C)."""
        return bits.reshape(len(bits), self.objective.n_dendrites, self.objective.n_classes)

    def with_filter(self, P: Filter) -> FixedFilter:
        """The problem that is left when P is given."""
        return FixedFilter(self.objective, P)


def neuron_problem(objective: Objective, filter: str) -> FixedFilter | LearnedFilter:
    """The problem of training a MODN: `filter` is "learned", or one of `filters.FIXED`.

    >>> from modn import Objective
    >>> from modn.methods import neuron_problem
    >>> objective = Objective([[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1], 2, 2, alpha_s=10.0, alpha_t=1.0)
    >>> [type(neuron_problem(objective, name)).__name__ for name in ("learned", "partition")]
    ['LearnedFilter', 'FixedFilter']
    """
    check("filter", filter, OneOf(filters.NAMES))
    if filter == LEARNED:
        return LearnedFilter(objective)
    P = filters.FIXED[filter](objective.n_dendrites, objective.n_classes)
    return FixedFilter(objective, P, filter)


def _parameter_space(objective: Objective) -> Space:
    lower = np.full(objective.n_parameters, -1.0)
    w_t = 2 * objective.X.shape[1] * objective.n_dendrites
    lower[w_t : w_t + 2 * objective.n_classes] = 0
    return Space.box(lower, np.ones(objective.n_parameters))
