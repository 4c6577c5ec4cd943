"""The loop around an optimizer: ask, evaluate, tell, until the iterations are used up or a callback stops."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from modn.optimizers.core.base import Optimizer
from modn.optimizers.core.space import Array, Space

Cost = Callable[[Array], Any]  # (n, V) -> (n,), or with gradients -> ((n,), (n, V))


@dataclass(frozen=True, eq=False)
class Minimum:
    """What a search found and what it used."""

    best: Array  # (V,) the best individual ever evaluated
    best_cost: float  # its cost; inf if no cost was finite
    curve: Array  # (iterations done + 1,) best cost so far, the initial population's first
    evaluations: int  # individuals evaluated
    seconds_own: float  # spent in the optimizer
    seconds_cost: float  # spent in the cost function


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
    """
    if iterations < 0:
        raise ValueError(f"iterations={iterations}: must be at least 0")
    clock = _Clock()
    state = clock.own(optimizer.init, space, rng)
    curve: list[float] = []
    evaluations = 0
    for iteration in range(iterations + 1):
        candidates = clock.own(optimizer.ask, state, rng)
        if iteration == 0 and start is not None:
            candidates = _with_start(candidates, start)
        answer = clock.cost(cost, candidates)
        costs, gradients = answer if optimizer.uses_gradient else (answer, None)
        state = clock.own(optimizer.tell, state, candidates, costs, rng, gradients)
        evaluations += len(candidates)
        curve.append(state.best_cost)
        if callback is not None and callback(iteration, state.best_cost):
            break
    return Minimum(
        state.best, state.best_cost, np.array(curve), evaluations, clock.seconds_own, clock.seconds_cost
    )


def _with_start(candidates: Array, start: npt.ArrayLike) -> Array:
    start = np.asarray(start)
    if start.shape != candidates.shape[1:] or not np.isfinite(start).all():
        raise ValueError(
            f"start has shape {start.shape}; allowed is {candidates.shape[1:]}, all values finite"
        )
    candidates = candidates.copy()
    candidates[0] = start
    return candidates


class _Clock:
    """Seconds spent in the optimizer and in the cost function."""

    def __init__(self) -> None:
        self.seconds_own = self.seconds_cost = 0.0

    def own(self, call: Callable[..., Any], *arguments: Any) -> Any:
        begin = perf_counter()
        result = call(*arguments)
        self.seconds_own += perf_counter() - begin
        return result

    def cost(self, call: Callable[..., Any], *arguments: Any) -> Any:
        begin = perf_counter()
        result = call(*arguments)
        self.seconds_cost += perf_counter() - begin
        return result
