"""Train a MODN in one call."""

from typing import Any

import numpy as np

from modn.constraints import Integer, check
from modn.fast.objective import Objective
from modn.methods import LEARNED, Method, OnStep, Start, Training, make, neuron_problem

HEURISTIC_ITERATIONS = 300  # of a solver without a budget of its own; the paper's for small datasets


def train(
    objective: Objective,
    solver: str = "adam",
    filter: str = LEARNED,
    budget: int | None = None,
    random_state: int | np.random.Generator | None = None,
    on_step: OnStep | None = None,
    start: Start | None = None,
    **options: Any,
) -> Training:
    """Train a MODN on the samples of an objective and return the best parameters and filter P.

    `solver`, `filter` and `options` are those of `modn.methods.make`; `budget` is the number of iterations on
    the parameters, by default the solver's own. `on_step(step, loss)` is called after each step; returning
    True stops the training. `start`: parameters to continue from.

    >>> import modn
    >>> X, y = [[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1]
    >>> objective = modn.Objective(X, y, n_dendrites=2, n_classes=2, alpha_s=10.0, alpha_t=1.0)
    >>> trained = modn.train(objective, "bbo", budget=20, random_state=0)
    >>> neuron = modn.Neuron.from_parameters(trained.parameters, trained.P, 1, 10.0, 1.0)
    >>> neuron.predict_proba(X).argmax(axis=1).tolist()
    [0, 0, 1, 1]
    """
    method = make(solver, filter, **options)
    iterations = default_budget(method) if budget is None else budget
    check("budget", iterations, Integer(0))
    rng = np.random.default_rng(random_state)
    return method.train(neuron_problem(objective, filter), iterations, rng, on_step, start)


def default_budget(method: Method) -> int:
    """The method's own budget, or the one for heuristics."""
    return HEURISTIC_ITERATIONS if method.iterations is None else method.iterations
