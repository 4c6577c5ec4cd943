"""Memetic: one method after another, such as BBO to explore and Adam to descend from the best it found."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from modn.methods.base import Method, OnStep, Start, Steps, Training, Work
from modn.methods.problems import LearnedFilter


@dataclass(frozen=True)
class Memetic(Method):
    """`first` searches, `then` continues on the parameters from the best it found; P stays."""

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

    def _then_budget(self, budget: int) -> int:
        """The second method's own budget, but no more than the first one has."""
        own = self.then.iterations
        return budget if own is None else min(own, budget)
