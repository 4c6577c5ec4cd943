"""The loop around an optimizer: ask, evaluate, tell, until the iterations are used up or a callback stops."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from modn.constraints import Integer, check
from modn.optimizers.core.base import Optimizer
from modn.optimizers.core.space import Array, Space
from modn.validation import finite_array

Cost = Callable[[Array], Any]  # (n, V) -> (n,), or with gradients -> ((n,), (n, V))


@dataclass(frozen=True, eq=False)
class Minimum:
    """What a search found and what it used.

    >>> from modn.optimizers import Space, make, minimize
    >>> rng = np.random.default_rng(0)
    >>> found = minimize(make("pso", population=20), Space.bits(10), lambda bits: bits.sum(axis=1), 30, rng)
    >>> found.evaluations, len(found.curve), found.best.shape
    (620, 31, (10,))
    """

    best: Array  # (V,) the best individual ever evaluated
    best_cost: float  # its cost; inf if no cost was finite
    curve: Array  # (iterations done + 1,) best cost so far, the initial population's first
    evaluations: int  # individuals evaluated


def minimize(
    optimizer: Optimizer,
    space: Space,
    cost: Cost,
    iterations: int,
    rng: np.random.Generator,
    callback: Callable[[int, float], bool | None] | None = None,
    start: npt.ArrayLike | None = None,
) -> Minimum:
    """Minimise `cost` over `space`.

    `cost` takes candidates (n, V) and returns costs (n,) - for an optimizer that `uses_gradient`: costs and
    gradients (n, V). `iterations=0` evaluates the initial population only. `callback(iteration, best_cost)`
    is called after the initial population (iteration 0) and after each iteration; returning True stops the
    search. `start` (V,) takes the place of one individual of the initial population.

    >>> from modn.optimizers import Space, make, minimize
    >>> box, rng = Space.box([-5.0, -5.0], [5.0, 5.0]), np.random.default_rng(0)
    >>> found = minimize(make("lshade"), box, lambda x: (x**2).sum(axis=1), iterations=100, rng=rng)
    >>> found.best_cost < 1e-6
    True
    """
    check("iterations", iterations, Integer(0))
    optimizer = replace(optimizer, iterations=iterations)  # some plan ahead
    state = optimizer.init(space, rng)
    curve: list[float] = []
    evaluations = 0
    for iteration in range(iterations + 1):
        candidates = optimizer.ask(state, rng)
        if iteration == 0 and start is not None:
            candidates = candidates.copy()
            candidates[0] = finite_array("start", start, (space.size,))
        costs, gradients = cost(candidates) if optimizer.uses_gradient else (cost(candidates), None)
        state = optimizer.tell(state, candidates, costs, rng, gradients)
        evaluations += len(candidates)
        curve.append(state.best_cost)
        if callback is not None and callback(iteration, state.best_cost):
            break
    return Minimum(state.best, state.best_cost, np.array(curve), evaluations)
