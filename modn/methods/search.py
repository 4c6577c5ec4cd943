"""Search: an optimizer on the parameters alone."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from modn.constraints import Constraint, IsA, OneOf
from modn.methods.base import Array, Method, OnStep, Problem, Start, Training, Work
from modn.optimizers.core.base import Optimizer
from modn.optimizers.core.minimize import Cost, Minimum, minimize
from modn.optimizers.core.space import Space

GRADIENTS = ("exact", "published")


@dataclass(frozen=True)
class Search(Method):
    """An optimizer that searches the parameters of any problem.

    >>> from modn import Objective
    >>> from modn.methods import Search, neuron_problem
    >>> objective = Objective([[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1], 2, 2, alpha_s=10.0, alpha_t=1.0)
    >>> from modn.optimizers import make
    >>> problem = neuron_problem(objective, "partition")
    >>> trained = Search(make("bbo", population=20)).train(problem, 20, np.random.default_rng(0))
    >>> trained.loss < 0.6
    True
    """

    optimizer: Optimizer
    # Which gradient the optimizer follows, if it uses one: that of the loss, or Eqs. 15-22 as printed.
    gradient: str = "exact"  # exact | published

    allowed: ClassVar[dict[str, Constraint]] = {"optimizer": IsA(Optimizer), "gradient": OneOf(GRADIENTS)}

    @property
    def iterations(self) -> int | None:
        """The optimizer's own budget."""
        return self.optimizer.iterations

    @property
    def uses_gradient(self) -> bool:
        """Whether the optimizer follows a gradient."""
        return self.optimizer.uses_gradient

    @property
    def plans_ahead(self) -> bool:
        """Whether the optimizer does."""
        return self.optimizer.plans_ahead

    def train(
        self,
        problem: Problem,
        budget: int,
        rng: np.random.Generator,
        on_step: OnStep | None = None,
        start: Start | None = None,
    ) -> Training:
        """Search; the best of the start and of all individuals is kept."""
        P = getattr(problem, "P", None)  # models without a filter have none
        parameters, loss = None, np.inf
        if start is not None:
            start.check_filter(P)
            parameters = np.asarray(start.parameters)
            loss = float(problem.loss(parameters)[0]) if start.loss is None else start.loss
        cost = self._cost(problem)
        found = improve(self.optimizer, problem.space, cost, budget, rng, on_step, parameters, loss)
        return Training(found.best, P, found.best_cost, found.curve, 0, found.evaluations)

    def work(self, problem: Any, budget: int, started: bool = False) -> Work:
        """The initial population and `budget` iterations."""
        return Work(self.optimizer.evaluations(budget), budget + 1)

    def _cost(self, problem: Problem) -> Cost:
        if not self.optimizer.uses_gradient:
            return problem.loss
        if self.gradient == "exact":
            return problem.loss_and_gradient
        published: Cost | None = getattr(problem, "loss_and_published_gradient", None)
        if published is None:
            raise ValueError("Search: gradient is 'published'; allowed: exact, but for MODNP and MODNF")
        return published


def improve(
    optimizer: Optimizer,
    space: Space,
    cost: Cost,
    budget: int,
    rng: np.random.Generator,
    on_step: OnStep | None,
    best: Array | None,
    loss: float,
) -> Minimum:
    """Search from the best individual known (None: there is none), which is kept unless a better is found.

    `loss` is that of the best known.
    """
    curve: list[float] = []

    def follow(iteration: int, best_cost: float) -> bool:
        curve.append(min(best_cost, loss))
        return on_step is not None and on_step(iteration, curve[-1]) is True

    found = minimize(optimizer, space, cost, budget, rng, follow, best)
    if best is not None and found.best_cost > loss:
        found = replace(found, best=best, best_cost=loss)
    return replace(found, curve=np.array(curve))
