"""TwoStep: the paper's scheme for a MODN whose filter P is learned (Sec. III-B).

Step one searches P while the parameters stay as they are, step two the parameters while P stays. The authors
do each once; `rounds` repeats them.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from modn.constraints import Constraint, Integer
from modn.methods.base import Array, Filter, Method, OnStep, Start, Steps, Training, Work
from modn.methods.problems import LearnedFilter
from modn.methods.search import Search
from modn.optimizers.core.base import Optimizer
from modn.optimizers.core.minimize import minimize


@dataclass(frozen=True)
class TwoStep(Method):
    """An optimizer that searches P and the parameters in turn."""

    optimizer: Optimizer
    filter_iterations: int = 10  # on P, in each round
    rounds: int = 1  # of the two steps; the budget for the parameters is shared among them

    allowed: ClassVar[dict[str, Constraint]] = {"filter_iterations": Integer(0), "rounds": Integer(1)}

    @property
    def iterations(self) -> int | None:
        """The optimizer's own budget."""
        return self.optimizer.iterations

    @property
    def uses_gradient(self) -> bool:
        """Never: P is discrete."""
        return False

    def train(
        self,
        problem: LearnedFilter,
        budget: int,
        rng: np.random.Generator,
        on_step: OnStep | None = None,
        start: Start | None = None,
    ) -> Training:
        """Take the two steps in turn."""
        evaluations = filter_steps = 0
        curves = [np.empty(0)]
        if start is None:
            start, evaluations = self._drawn(problem, rng), self.optimizer.population
        parameters, P = np.asarray(start.parameters), np.asarray(start.P)
        loss = float(problem.objective.loss(parameters, P)[0]) if start.loss is None else start.loss
        steps = Steps(on_step)
        for share in self._shares(budget):
            parts = [self._filter_step, self._parameter_step]
            for part, iterations in zip(parts, (self.filter_iterations, share), strict=True):
                if steps.stopped:
                    break
                found = part(problem, iterations, rng, steps, Start(parameters, P, loss))
                parameters, P, loss = found.parameters, np.asarray(found.P), found.loss
                evaluations += found.evaluations
                filter_steps += found.filter_steps
                curves.append(found.curve)
        return Training(parameters, P, loss, np.concatenate(curves), filter_steps, evaluations)

    def work(self, problem: LearnedFilter, budget: int, started: bool = False) -> Work:
        """The first draw, and the iterations on P and on the parameters of each round."""
        spent = self.optimizer.evaluations
        drawn = 0 if started else self.optimizer.population
        searched = sum(spent(self.filter_iterations) + spent(share) for share in self._shares(budget))
        return Work(drawn + searched, budget + self.rounds * (self.filter_iterations + 2))

    def _shares(self, budget: int) -> list[int]:
        """The parameter iterations of each round; they add up to the budget."""
        return [budget * (k + 1) // self.rounds - budget * k // self.rounds for k in range(self.rounds)]

    def _drawn(self, problem: LearnedFilter, rng: np.random.Generator) -> Start:
        """The best of an initial population of parameters, each with a filter of its own."""
        n = self.optimizer.population
        parameters = problem.space.sample(n, rng)
        P = problem.filters_of(problem.filter_space.sample(n, rng))
        losses = problem.objective.loss(parameters, P)
        best = int(np.argmin(losses))
        return Start(parameters[best], P[best], float(losses[best]))

    def _filter_step(
        self, problem: LearnedFilter, iterations: int, rng: np.random.Generator, steps: Steps, now: Start
    ) -> Training:
        """The best filter found for the present parameters."""
        assert now.loss is not None
        P, loss = np.asarray(now.P), now.loss
        curve: list[float] = []

        def follow(iteration: int, cost: float) -> bool:
            curve.append(min(cost, loss))
            return steps(iteration, curve[-1])

        def cost(bits: Filter) -> Array:
            return problem.objective.loss(now.parameters, problem.filters_of(bits))

        found = minimize(self.optimizer, problem.filter_space, cost, iterations, rng, follow, P.ravel())
        best, best_cost = P, loss
        if found.best_cost <= loss:
            best, best_cost = found.best.reshape(P.shape), found.best_cost
        return Training(now.parameters, best, best_cost, np.array(curve), len(curve), found.evaluations)

    def _parameter_step(
        self, problem: LearnedFilter, iterations: int, rng: np.random.Generator, steps: Steps, now: Start
    ) -> Training:
        """The best parameters found for the present filter."""
        fixed = problem.with_filter(np.asarray(now.P))
        return Search(self.optimizer).train(fixed, iterations, rng, steps, now)
