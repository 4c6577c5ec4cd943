"""Training: an optimizer, an objective, and for MODN the two-step scheme that also learns P (Sec. III-B).

Step one searches the filter P while the parameters stay as they are, step two the parameters while P stays.
The authors do each once (10 iterations on P, then R on the parameters); `rounds` repeats them. A model whose
filter is given, and the baselines that have none, go through the same door with step two alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from modn import filters
from modn.objective import Objective
from modn.optimizers import Minimum, Optimizer, Space, minimize

Callback = Callable[[int, float], bool | None]


@dataclass(frozen=True)
class Schedule:
    """How the iterations are spent."""

    parameter_iterations: int  # R, on the parameters, of all rounds together
    filter_iterations: int = 10  # on P, in each round; used where P is learned
    rounds: int = 1  # of the two steps
    repair: bool = False  # connect each inoperative dendrite of the learned P, as MODNP would

    def __post_init__(self) -> None:
        for name, low in (("parameter_iterations", 0), ("filter_iterations", 0), ("rounds", 1)):
            if getattr(self, name) < low:
                raise ValueError(f"{name} is {getattr(self, name)}; allowed: an integer >= {low}")


@dataclass(frozen=True, eq=False)
class Training:
    """What training found and what it used."""

    parameters: np.ndarray  # (V,) the best ever evaluated
    P: np.ndarray  # (M, C) Boolean
    loss: float
    curve: np.ndarray  # best loss so far, after each iteration of either step, the initial population's first
    filter_iterations: int  # how many of the curve's steps were on P
    evaluations: int  # individuals evaluated
    seconds: dict[
        str, float
    ]  # by part: filter, parameters (both in all), optimizer, objective (where they went)

    @property
    def inoperative_dendrites(self) -> int:
        """Dendrites that feed no output."""
        return int((filters.dendrite_states(self.P) == "inoperative").sum())


def train(
    objective: Objective,
    optimizer: Optimizer,
    schedule: Schedule,
    rng: np.random.Generator,
    filter: str = "learned",
    callback: Callback | None = None,
) -> Training:
    """Minimise the objective's loss.

    `filter`: "learned" (MODN), "partition" (MODNP) or "full" (MODNF). `callback(iteration, loss)` is called
    after each iteration of either step; where it returns True, training stops with the best so far.
    """
    return _Trainer(objective, optimizer, schedule, rng, filter, callback).train()


class _Trainer:
    """The state of one training: the best so far, and the account of what was used."""

    def __init__(
        self,
        objective: Objective,
        optimizer: Optimizer,
        schedule: Schedule,
        rng: np.random.Generator,
        filter: str,
        callback: Callback | None,
    ) -> None:
        M, C = objective.n_dendrites, objective.n_classes
        fixed = {"partition": filters.partition, "full": filters.full}
        if filter not in ("learned", *fixed):
            raise ValueError(f"filter is {filter!r}; allowed: learned, {', '.join(fixed)}")
        if filter == "learned" and not optimizer.searches_bits:
            raise ValueError(
                f"{optimizer.name} follows a gradient and cannot learn a filter; allowed: partition, full"
            )
        self.objective, self.optimizer, self.schedule, self.rng = objective, optimizer, schedule, rng
        self.filter, self.callback = filter, callback
        self.space = parameter_space(objective)
        self.P = np.zeros((M, C), dtype=bool) if filter == "learned" else fixed[filter](M, C)
        self.parameters = np.zeros(objective.n_parameters)
        self.loss = np.inf
        self.curve: list[float] = []
        self.filter_iterations = self.evaluations = 0
        self.seconds = dict.fromkeys(("filter", "parameters", "optimizer", "objective"), 0.0)
        self.stopped = False

    def train(self) -> Training:
        if self.filter == "learned":
            self._draw_start()
            for share in self._shares():
                if not self.stopped:
                    self._filter_step()
                if not self.stopped:
                    self._parameter_step(share)
        else:
            self._parameter_step(self.schedule.parameter_iterations)
        return Training(
            self.parameters,
            self.P,
            self.loss,
            np.array(self.curve),
            self.filter_iterations,
            self.evaluations,
            self.seconds,
        )

    def _shares(self) -> list[int]:
        """The parameter iterations of each round; they add up to the budget."""
        total, rounds = self.schedule.parameter_iterations, self.schedule.rounds
        return [total * (k + 1) // rounds - total * k // rounds for k in range(rounds)]

    def _draw_start(self) -> None:
        """Begin at the best of an initial population of parameters, each with a filter of its own."""
        begin = perf_counter()
        n = self.optimizer.population
        parameters = self.space.sample(n, self.rng)
        P = Space.bits(self.P.size).sample(n, self.rng).reshape(n, *self.P.shape)
        losses = self.objective.loss(parameters, P)
        best = int(np.argmin(losses))
        self.parameters, self.P, self.loss = parameters[best], P[best], float(losses[best])
        self.evaluations += n
        self.seconds["filter"] += perf_counter() - begin

    def _filter_step(self) -> None:
        def cost(bits: np.ndarray) -> np.ndarray:
            return self.objective.loss(self.parameters, bits.reshape(len(bits), *self.P.shape))

        space = Space.bits(self.P.size)
        found = self._search("filter", space, cost, self.schedule.filter_iterations, self.P.ravel())
        self.filter_iterations += len(found.curve)
        if found.best_cost <= self.loss:
            self.P, self.loss = found.best.reshape(self.P.shape), found.best_cost
        if self.schedule.repair:
            self._repair()

    def _repair(self) -> None:
        """Let each inoperative dendrite feed the output that MODNP would give it."""
        M, C = self.P.shape
        idle = np.flatnonzero(filters.dendrite_states(self.P) == "inoperative")
        if idle.size:
            self.P = self.P.copy()
            self.P[idle, idle * C // M] = True
            self.loss = float(self.objective.loss(self.parameters, self.P)[0])

    def _parameter_step(self, iterations: int) -> None:
        start = self.parameters if np.isfinite(self.loss) else None
        found = self._search("parameters", self.space, self._parameter_cost(), iterations, start)
        if found.best_cost <= self.loss:
            self.parameters, self.loss = found.best, found.best_cost

    def _parameter_cost(self) -> Callable[[np.ndarray], object]:
        """The loss at the present P, with the gradient the optimizer asks for."""
        objective, P = self.objective, self.P
        if not self.optimizer.uses_gradient:
            return lambda parameters: objective.loss(parameters, P)
        if getattr(self.optimizer, "gradient", "exact") == "exact":
            return lambda parameters: objective.loss_and_gradient(parameters, P)
        return lambda parameters: (
            objective.loss(parameters, P),
            objective.published_gradient(parameters, P, self.filter),
        )

    def _search(
        self,
        part: str,
        space: Space,
        cost: Callable[[np.ndarray], object],
        iterations: int,
        start: np.ndarray | None,
    ) -> Minimum:
        """One step's search, its losses put behind those of the steps before."""
        before, best_before = len(self.curve), self.loss

        def told(iteration: int, loss: float) -> bool:
            self.curve.append(min(loss, best_before))
            stop = self.callback is not None and self.callback(before + iteration, self.curve[-1]) is True
            self.stopped = self.stopped or stop
            return stop

        begin = perf_counter()
        found = minimize(self.optimizer, space, cost, iterations, self.rng, told, start)
        self.evaluations += found.evaluations
        self.seconds[part] += perf_counter() - begin
        self.seconds["optimizer"] += found.seconds_own
        self.seconds["objective"] += found.seconds_cost
        return found


def parameter_space(objective: Objective) -> Space:
    """Where the initial population is drawn: synaptic w and theta in [-1, 1], telodendral ones in [0, 1]."""
    synaptic = objective.n_parameters - 2 * objective.n_classes
    lower = np.zeros(objective.n_parameters)
    lower[:synaptic] = -1
    return Space.box(lower, np.ones(objective.n_parameters))
