"""Memetic: one method after another, such as BBO to explore and Adam to descend from the best it found."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from modn.methods.base import Method, OnStep, Start, Steps, Training, Work
from modn.methods.problems import LearnedFilter


@dataclass(frozen=True)
class Memetic(Method):
    """`first` searches, `then` continues on the parameters from the best it found; P stays.

    >>> from modn import Objective
    >>> from modn.methods import Memetic, Search, neuron_problem
    >>> objective = Objective([[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1], 2, 2, alpha_s=10.0, alpha_t=1.0)
    >>> from modn.optimizers import make
    >>> method = Memetic(Search(make("bbo", population=20)), Search(make("bp", iterations=20)))
    >>> problem = neuron_problem(objective, "full")
    >>> trained = method.train(problem, 20, np.random.default_rng(0))
    >>> trained.loss < 0.6
    True
    """

    first: Method
    then: Method

    @property
    def iterations(self) -> int | None:
        """The budget of the first method."""
        return self.first.iterations

    @property
    def uses_gradient(self) -> bool:
        """Whether the first method does."""
        return self.first.uses_gradient

    @property
    def plans_ahead(self) -> bool:
        """Always: the second method begins where the budget of the first ends."""
        return True

    def individuals(self, n_features: int) -> int:
        """The larger number of the two."""
        return max(self.first.individuals(n_features), self.then.individuals(n_features))

    def train(
        self,
        problem: Any,
        budget: int,
        rng: np.random.Generator,
        on_step: OnStep | None = None,
        start: Start | None = None,
    ) -> Training:
        """Train by one method, then by the other."""
        steps = Steps(on_step)
        found = self.first.train(problem, budget, rng, steps, start)
        if steps.stopped:
            return found
        rest = problem.with_filter(np.asarray(found.P)) if isinstance(problem, LearnedFilter) else problem
        return found.followed_by(
            self.then.train(rest, self._then_budget(budget), rng, steps, found.as_start())
        )

    def work(self, problem: Any, budget: int, started: bool = False) -> Work:
        """The sum of both."""
        first = self.first.work(problem, budget, started)
        then = self.then.work(problem, self._then_budget(budget), started=True)
        return Work(first.evaluations + then.evaluations, first.steps + then.steps)

    def cost(self, problem: Any, budget: int, gradient: float = 1.0, started: bool = False) -> float:
        """The sum of both, of which either may use gradients."""
        then = self.then.cost(problem, self._then_budget(budget), gradient, started=True)
        return self.first.cost(problem, budget, gradient, started) + then

    def _then_budget(self, budget: int) -> int:
        """The second method's own budget, but no more than the first one has."""
        own = self.then.iterations
        return budget if own is None else min(own, budget)
