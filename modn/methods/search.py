"""Search: an optimizer on the parameters alone."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from modn.constraints import Constraint, OneOf
from modn.methods.base import Array, Method, OnStep, Problem, Start, Training, Work
from modn.optimizers.core.base import Optimizer
from modn.optimizers.core.minimize import minimize

GRADIENTS = ("exact", "published")


@dataclass(frozen=True)
class Search(Method):
    """An optimizer that searches the parameters of any problem."""

    optimizer: Optimizer
    # Which gradient the optimizer follows, if it uses one: that of the loss, or Eqs. 15-22 as printed.
    gradient: str = "exact"  # exact | published

    allowed: ClassVar[dict[str, Constraint]] = {"gradient": OneOf(GRADIENTS)}

    @property
    def iterations(self) -> int | None:
        """The optimizer's own budget."""
        return self.optimizer.iterations

    @property
    def uses_gradient(self) -> bool:
        """Whether the optimizer follows a gradient."""
        return self.optimizer.uses_gradient

    def train(
        self,
        problem: Problem,
        budget: int,
        rng: np.random.Generator,
        on_step: OnStep | None = None,
        start: Start | None = None,
    ) -> Training:
        """Search; the best of the start and of all individuals is kept."""
        P = getattr(problem, "P", None)
        parameters, loss = np.zeros(problem.space.size), np.inf
        if start is not None:
            if P is not None and not np.array_equal(np.asarray(start.P), P):
                raise ValueError("start has another P than the problem; allowed: the same P")
            parameters = np.array(start.parameters)
            loss = float(problem.loss(parameters)[0]) if start.loss is None else start.loss
        curve: list[float] = []
        best_before = loss

        def follow(iteration: int, cost: float) -> bool:
            curve.append(min(cost, best_before))
            return on_step is not None and on_step(iteration, curve[-1]) is True

        found = minimize(
            self.optimizer,
            problem.space,
            self._cost(problem),
            budget,
            rng,
            follow,
            None if start is None else parameters,
        )
        if found.best_cost <= loss:
            parameters, loss = found.best, found.best_cost
        return Training(parameters, P, loss, np.array(curve), 0, found.evaluations)

    def work(self, problem: Problem, budget: int, started: bool = False) -> Work:
        """The initial population and `budget` iterations."""
        return Work(self.optimizer.evaluations(budget), budget + 1)

    def _cost(self, problem: Problem) -> Callable[[Array], Any]:
        if not self.optimizer.uses_gradient:
            return problem.loss
        # Eqs. 15-22 are those of MODNP and MODNF: other models have the exact gradient only.
        published: Callable[[Array], Any] | None = getattr(problem, "loss_and_published_gradient", None)
        return published if self.gradient == "published" and published else problem.loss_and_gradient
