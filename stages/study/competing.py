"""One competitor's training in the arena: the task of `arena`. Results depend on this file.

Evaluations are counted one by one, those that search P included; one with a gradient counts as several. A
method whose course does not depend on its budget is trained once, to the largest budget, and judged at the
smaller ones by what it has found by then. One that plans ahead is trained anew for each budget.
"""

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from modn.fast.objective import Objective
from modn.methods import Method
from stages.study import seeding
from stages.study.cells import Cell
from stages.study.families.modn import problem_of

FIRST_MARK, MARKS_PER_DECADE = 100, 8  # of the curves

Arrays = dict[str, np.ndarray]


def marks_of(budgets: Sequence[int]) -> np.ndarray:
    """Numbers of evaluations at which curves are kept: evenly spread in the logarithm, and the budgets."""
    first, last = min(FIRST_MARK, budgets[0]), budgets[-1]
    count = 1 + round(MARKS_PER_DECADE * np.log10(last / first))
    return np.unique([*np.geomspace(first, last, count).round().astype(int), *budgets])


class Recorded(Objective):
    """An objective that counts its evaluations and remembers the best individual at each mark."""

    marks: np.ndarray = np.empty(0)
    gradient_cost = 1.0
    spent = 0.0
    best = np.inf
    individual: tuple[np.ndarray, np.ndarray] | None = None  # parameters and P

    def watch(self, marks: np.ndarray, gradient_cost: float) -> None:
        """Begin to record, from no evaluation on."""
        self.marks, self.gradient_cost = marks, gradient_cost
        self.passed: list[tuple[float, Any]] = []  # at each mark, the best loss and its individual

    def loss(self, parameters: ArrayLike, P: ArrayLike) -> np.ndarray:
        """As the objective's."""
        losses = super().loss(parameters, P)
        self._record(losses, parameters, P, 1.0)
        return losses

    def loss_and_gradient(self, parameters: ArrayLike, P: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """As the objective's."""
        losses, gradients = super().loss_and_gradient(parameters, P)
        self._record(losses, parameters, P, self.gradient_cost)
        return losses, gradients

    def published_gradient(self, parameters: ArrayLike, P: ArrayLike, filter: str) -> np.ndarray:
        """As the objective's; its users ask for the loss as well, which counts as one evaluation."""
        gradients = super().published_gradient(parameters, P, filter)
        unknown = np.full(len(gradients), np.inf)
        self._record(unknown, parameters, P, self.gradient_cost - 1)
        return gradients

    def finish(self) -> None:
        """Pass the marks that are left."""
        self.passed += [(self.best, self.individual)] * (len(self.marks) - len(self.passed))

    def _record(self, losses: np.ndarray, parameters: ArrayLike, P: ArrayLike, cost: float) -> None:
        begin = self.spent
        self.spent += cost * len(losses)
        while len(self.passed) < len(self.marks) and self.marks[len(self.passed)] < self.spent:
            mark = self.marks[len(self.passed)]
            self._improve(losses[: int((mark - begin) / cost)], parameters, P)
            self.passed.append((self.best, self.individual))
        self._improve(losses, parameters, P)

    def _improve(self, losses: np.ndarray, parameters: ArrayLike, P: ArrayLike) -> None:
        """Look at the individuals of these losses, the first ones."""
        if len(losses) == 0:
            return
        first = int(losses.argmin())
        if losses[first] < self.best:
            self.best = float(losses[first])
            # One row of parameters may have many filters, and one filter many rows.
            rows, filters = np.atleast_2d(parameters), np.asarray(P).reshape(-1, *np.shape(P)[-2:])
            row, filter = rows[min(first, len(rows) - 1)], filters[min(first, len(filters) - 1)]
            self.individual = row.copy(), filter.copy()


def compete(
    cell: Cell,
    method: Method,
    budgets: Sequence[int],
    gradient_cost: float,
    seed: int,
    X: np.ndarray,
    y: np.ndarray,
) -> tuple[Arrays, dict[str, float]]:
    """What is stored of one run, and how long it took: a function of its arguments alone.

    At each of B budgets: `parameters` (B, V), `P` (B, M, C), `loss` (B,) of Eq. 10, `evaluations` (B,) used.
    `curve` (K,): the lowest loss by each of the `marks` (K,), infinite before the first is known; of a method
    that plans ahead, the lowest that any of its trainings had by then.
    """
    begin = perf_counter()
    marks = marks_of(budgets)
    found = []
    curve = np.full(len(marks), np.inf)
    for budget in budgets if method.plans_ahead else budgets[-1:]:
        name = (cell.study, cell.dataset, cell.model, cell.optimizer, str(budget))
        problem = problem_of(cell, X, y, Recorded)
        objective = problem.objective
        assert isinstance(objective, Recorded)
        objective.watch(marks, gradient_cost)
        iterations = method.iterations_within(problem, budget, gradient_cost)
        training = method.train(problem, iterations, seeding.generator(seed, *name))
        objective.finish()
        curve = np.minimum(curve, [loss for loss, _ in objective.passed])
        if method.plans_ahead:
            curve[marks >= budget] = np.minimum(curve[marks >= budget], training.loss)
            spent = method.cost(problem, iterations, gradient_cost)
            found.append((training.parameters, np.asarray(training.P), training.loss, spent))
        else:
            for early in budgets:
                loss, individual = objective.passed[int(np.searchsorted(marks, early))]
                assert individual is not None
                found.append((*individual, loss, min(early, objective.spent)))
    names = ("parameters", "P", "loss", "evaluations")
    arrays = {name: np.stack(parts) for name, parts in zip(names, zip(*found, strict=True), strict=True)}
    return arrays | {"marks": marks, "curve": curve}, {"training": perf_counter() - begin}
