"""Memetic: one method after another, such as BBO to look around and Adam to go down from the best it found."""

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
        rest = problem.with_filter(found.P) if isinstance(problem, LearnedFilter) else problem
        best = Start(found.parameters, found.P, found.loss)
        polished = self.then.train(rest, self._then_budget(budget), rng, steps, best)
        return Training(
            polished.parameters,
            found.P,
            polished.loss,
            np.concatenate([found.curve, polished.curve]),
            found.filter_steps,
            found.evaluations + polished.evaluations,
        )

    def work(self, problem: Any, budget: int, started: bool = False) -> Work:
        """The sum of both."""
        first = self.first.work(problem, budget, started)
        then = self.then.work(problem, self._then_budget(budget), started=True)
        return Work(first.evaluations + then.evaluations, first.steps + then.steps)

    def _then_budget(self, budget: int) -> int:
        """A cap on the iterations is one on the second method's, too."""
        own = self.then.iterations
        return budget if own is None else min(own, budget)
