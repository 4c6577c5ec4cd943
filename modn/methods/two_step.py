"""TwoStep: the paper's scheme for a MODN whose filter P is learned (Sec. III-B).

Step one searches P while the parameters stay as they are, step two the parameters while P stays. The authors
do each once; `rounds` repeats them.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from modn.constraints import Constraint, Integer, IsA
from modn.methods.base import Array, Filter, Method, OnStep, Start, Steps, Training, Work
from modn.methods.problems import LearnedFilter
from modn.methods.search import Search, improve
from modn.optimizers.core.base import Optimizer


@dataclass(frozen=True)
class TwoStep(Method):
    """An optimizer that searches P and the parameters in turn.

    >>> from modn import Objective
    >>> from modn.methods import TwoStep, neuron_problem
    >>> objective = Objective([[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1], 2, 2, alpha_s=10.0, alpha_t=1.0)
    >>> from modn.optimizers import make
    >>> problem = neuron_problem(objective, "learned")
    >>> trained = TwoStep(make("bbo", population=20), rounds=2).train(problem, 20, np.random.default_rng(0))
    >>> trained.loss < 0.6
    True
    """

    optimizer: Optimizer
    filter_iterations: int = 10  # on P, in each round
    rounds: int = 1  # of the two steps; the budget for the parameters is shared among them

    allowed: ClassVar[dict[str, Constraint]] = {
        "optimizer": IsA(Optimizer),
        "filter_iterations": Integer(0),
        "rounds": Integer(1),
    }

    @property
    def iterations(self) -> int | None:
        """The optimizer's own budget."""
        return self.optimizer.iterations

    @property
    def uses_gradient(self) -> bool:
        """Never: P is discrete."""
        return False

    @property
    def plans_ahead(self) -> bool:
        """Whether the optimizer does, or rounds share the budget."""
        return self.optimizer.plans_ahead or self.rounds > 1

    def train(
        self,
        problem: LearnedFilter,
        budget: int,
        rng: np.random.Generator,
        on_step: OnStep | None = None,
        start: Start | None = None,
    ) -> Training:
        """Take the two steps in turn."""
        found = self._drawn(problem, rng) if start is None else self._given(problem, start)
        steps = Steps(on_step)
        for share in self._shares(budget):
            for step, iterations in (
                (self._filter_step, self.filter_iterations),
                (self._parameter_step, share),
            ):
                if not steps.stopped:
                    found = found.followed_by(step(problem, iterations, rng, steps, found))
        return found

    def work(self, problem: Any, budget: int, started: bool = False) -> Work:
        """The first draw, and the iterations on P and on the parameters of each round."""
        spent = self.optimizer.evaluations
        drawn = 0 if started else self.optimizer.population
        searched = sum(spent(self.filter_iterations) + spent(share) for share in self._shares(budget))
        return Work(drawn + searched, budget + self.rounds * (self.filter_iterations + 2))

    def _shares(self, budget: int) -> list[int]:
        """The parameter iterations of each round; they add up to the budget."""
        return [budget * (k + 1) // self.rounds - budget * k // self.rounds for k in range(self.rounds)]

    def _drawn(self, problem: LearnedFilter, rng: np.random.Generator) -> Training:
        """The best of an initial population of parameters, each with a filter of its own."""
        n = self.optimizer.population
        parameters = problem.space.sample(n, rng)
        P = problem.filters_of(problem.filter_space.sample(n, rng))
        losses = problem.objective.loss(parameters, P)
        best = int(np.argmin(losses))
        return Training(parameters[best], P[best], float(losses[best]), np.empty(0), 0, n)

    def _given(self, problem: LearnedFilter, start: Start) -> Training:
        """The start, as if it had just been found."""
        if start.P is None:
            raise ValueError("start has no P; allowed: a Boolean array (M, C)")
        parameters, P = np.asarray(start.parameters), np.asarray(start.P)
        loss = float(problem.objective.loss(parameters, P)[0]) if start.loss is None else start.loss
        return Training(parameters, P, loss, np.empty(0), 0, 0)

    def _filter_step(
        self, problem: LearnedFilter, iterations: int, rng: np.random.Generator, steps: Steps, now: Training
    ) -> Training:
        """The best filter found for the present parameters."""
        P = np.asarray(now.P)

        def cost(bits: Filter) -> Array:
            return problem.objective.loss(now.parameters, problem.filters_of(bits))

        space = problem.filter_space
        found = improve(self.optimizer, space, cost, iterations, rng, steps, P.ravel(), now.loss)
        best = found.best.reshape(P.shape)
        return Training(
            now.parameters, best, found.best_cost, found.curve, len(found.curve), found.evaluations
        )

    def _parameter_step(
        self, problem: LearnedFilter, iterations: int, rng: np.random.Generator, steps: Steps, now: Training
    ) -> Training:
        """The best parameters found for the present filter."""
        fixed = problem.with_filter(np.asarray(now.P))
        return Search(self.optimizer).train(fixed, iterations, rng, steps, now.as_start())
