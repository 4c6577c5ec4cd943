"""Training: an optimizer, an objective, and for MODN the two-step scheme that also learns P (Sec. III-B).

Step one searches the filter P while the parameters stay as they are, step two the parameters while P stays.
The authors do each once (10 iterations on P, then R on the parameters); `rounds` repeats them. A model whose
filter is given, and the baselines that have none, go through the same door with step two alone. A MODN
trained by Adam needs no two steps: `modn.descent` moves P and the parameters together.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

import numpy as np

from modn import filters
from modn.descent import descend
from modn.objective import Objective
from modn.optimizers import Minimum, Optimizer, Space, minimize
from modn.optimizers.adam import Adam

Callback = Callable[[int, float], bool | None]


class Baseline(Protocol):
    """An objective of a model without a filter: DNM, MLP."""

    @property
    def n_parameters(self) -> int:
        """V, the length of a row of parameters."""

    def loss(self, parameters: np.ndarray) -> np.ndarray:
        """(S, V) -> (S,)."""

    def loss_and_gradient(self, parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(S, V) -> (S,), (S, V)."""


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

    def shares(self) -> list[int]:
        """The parameter iterations of each round; they add up to the budget."""
        total, rounds = self.parameter_iterations, self.rounds
        return [total * (k + 1) // rounds - total * k // rounds for k in range(rounds)]


@dataclass(frozen=True, eq=False)
class Training:
    """What training found and what it used."""

    parameters: np.ndarray  # (V,) the best ever evaluated
    P: np.ndarray | None  # (M, C) Boolean; None: the model has no filter
    loss: float
    # best loss so far, after each iteration of either step, the initial population's first; Adam's of a MODN
    # is the loss it follows, which is not Eq. 10
    curve: np.ndarray
    filter_iterations: int  # how many of the curve's steps were on P
    evaluations: int  # individuals evaluated
    seconds: dict[
        str, float
    ]  # by part: filter, parameters (both in all), optimizer, objective (where they went)

    @property
    def inoperative_dendrites(self) -> int:
        """Dendrites that feed no output."""
        return 0 if self.P is None else int((filters.dendrite_states(self.P) == "inoperative").sum())


def train(
    objective: Objective | Baseline,
    optimizer: Optimizer,
    schedule: Schedule,
    rng: np.random.Generator,
    filter: str | None = None,
    callback: Callback | None = None,
    start: tuple[np.ndarray, np.ndarray | None] | None = None,
) -> Training:
    """Minimise the objective's loss.

    `filter` of an Objective: "learned" (MODN), "partition" (MODNP) or "full" (MODNF); a baseline has none.
    `callback(iteration, loss)` is called after each iteration of either step; where it returns True, training
    stops with the best so far. `start`, the parameters and P of an earlier training, is gone on from: it is
    one of the initial population.
    """
    trainer = _Trainer(objective, optimizer, schedule, rng, callback)
    if isinstance(objective, Objective):
        trainer.train_with_filter(objective, filter or "learned", start)
    elif filter is None:
        if start is not None:
            trainer.begin_at(start[0], objective.loss(start[0]))
        trainer.parameter_step(objective.loss, objective.loss_and_gradient, schedule.parameter_iterations)
        trainer.polish(objective.loss_and_gradient)
    else:
        raise ValueError(
            f"filter is {filter!r}; allowed: None, since {type(objective).__name__} has no filter"
        )
    return trainer.result()


def n_callbacks(optimizer: Optimizer, schedule: Schedule, filter: str | None, started: bool = False) -> int:
    """How often `train` calls its callback where nothing stops it: what a progress bar counts to."""
    steps = schedule.parameter_iterations
    if isinstance(optimizer, Adam) and filter is not None:
        descents = 1 if started or len(optimizer.decays) == 1 else 1 + optimizer.folds
        return descents * (steps + 1)
    calls = steps + 1
    if filter == "learned":
        calls = steps + schedule.rounds * (schedule.filter_iterations + 2)
    if optimizer.polisher is not None:
        calls += _polishing_steps(optimizer.polisher, schedule) + 1
    return calls


def _polishing_steps(polisher: Optimizer, schedule: Schedule) -> int:
    """A cap on the iterations is one on the steps, too."""
    own, cap = polisher.iterations, schedule.parameter_iterations
    return cap if own is None else min(own, cap)


def n_evaluations(optimizer: Optimizer, schedule: Schedule, filter: str | None) -> int:
    """How many individuals `train` evaluates from no start where nothing stops it: what a run will cost."""
    steps = schedule.parameter_iterations
    if isinstance(optimizer, Adam) and filter is not None:
        tried = optimizer.folds * len(optimizer.decays) if len(optimizer.decays) > 1 else 0
        return (tried + optimizer.population) * (steps + 1)
    count = optimizer.evaluations(steps)
    if filter == "learned":
        drawn, on_filters = optimizer.population, optimizer.evaluations(schedule.filter_iterations)
        count = drawn + sum(on_filters + optimizer.evaluations(share) for share in schedule.shares())
    if optimizer.polisher is not None:
        count += optimizer.polisher.evaluations(_polishing_steps(optimizer.polisher, schedule))
    return count


class _Trainer:
    """The state of one training: the best so far, and the account of what was used."""

    def __init__(
        self,
        objective: Objective | Baseline,
        optimizer: Optimizer,
        schedule: Schedule,
        rng: np.random.Generator,
        callback: Callback | None,
    ) -> None:
        self.optimizer, self.schedule, self.rng, self.callback = optimizer, schedule, rng, callback
        self.space = parameter_space(objective)
        self.parameters = np.zeros(objective.n_parameters)
        self.P: np.ndarray | None = None
        self.loss = np.inf
        self.curve: list[float] = []
        self.filter_iterations = self.evaluations = 0
        self.seconds = dict.fromkeys(("filter", "parameters", "optimizer", "objective"), 0.0)
        self.stopped = False

    def result(self) -> Training:
        return Training(
            self.parameters,
            self.P,
            self.loss,
            np.array(self.curve),
            self.filter_iterations,
            self.evaluations,
            self.seconds,
        )

    def begin_at(self, parameters: np.ndarray, loss: np.ndarray) -> None:
        """Go on from these parameters (V,), whose loss is (1,)."""
        self.parameters, self.loss = np.array(parameters), float(loss[0])

    def train_with_filter(
        self, objective: Objective, filter: str, start: tuple[np.ndarray, np.ndarray | None] | None
    ) -> None:
        fixed = {"partition": filters.partition, "full": filters.full}
        if filter != "learned" and filter not in fixed:
            raise ValueError(f"filter is {filter!r}; allowed: learned, {', '.join(fixed)}")
        if filter == "learned" and not self.optimizer.learns_filter:
            able = ", ".join(fixed)
            raise ValueError(f"{self.optimizer.name} follows a gradient and cannot learn P; allowed: {able}")
        shape = objective.n_dendrites, objective.n_classes
        P = fixed[filter](*shape) if filter in fixed else None
        if start is not None:
            if P is not None and not np.array_equal(np.asarray(start[1]), P):
                raise ValueError(f"start has another P than filter={filter!r}")
            P = np.asarray(start[1])
            self.begin_at(start[0], objective.loss(start[0], P))
        if isinstance(self.optimizer, Adam):
            self._descend(objective, self.optimizer, filters.shared_out(*shape) if P is None else P, filter)
        elif filter == "learned":
            self.P = self._alternate(objective, self._draw_start(objective) if P is None else P)
        else:
            self.P = P
            self._parameter_step(objective, np.asarray(P), filter, self.schedule.parameter_iterations)
        self.polish(lambda parameters: objective.loss_and_gradient(parameters, np.asarray(self.P)))

    def _alternate(self, objective: Objective, P: np.ndarray) -> np.ndarray:
        """The two steps, in turn."""
        for share in self.schedule.shares():
            if not self.stopped:
                P = self._filter_step(objective, P)
            if not self.stopped:
                self._parameter_step(objective, P, "learned", share)
        return P

    def _descend(self, objective: Objective, adam: Adam, P: np.ndarray, filter: str) -> None:
        """By the gradient, P too where it is learned; from the best so far, if there is one."""
        steps = 0

        def told(loss: float) -> bool:
            nonlocal steps
            steps += 1
            self.stopped = self.callback is not None and self.callback(steps - 1, loss) is True
            return self.stopped

        begin = perf_counter()
        found = descend(
            objective,
            adam,
            P,
            filter == "learned",
            self.schedule.parameter_iterations,
            self.rng,
            told,
            self.parameters if np.isfinite(self.loss) else None,
            self.schedule.repair,
        )
        self.parameters, self.P = found.parameters, found.P
        self.loss = float(objective.loss(found.parameters, found.P)[0])
        self.curve, self.filter_iterations = found.curve.tolist(), found.filter_steps
        self.evaluations += found.evaluations
        self.seconds["parameters"] += perf_counter() - begin
        self.seconds["objective"] += found.seconds_objective
        self.seconds["optimizer"] += self.seconds["parameters"] - found.seconds_objective

    def _draw_start(self, objective: Objective) -> np.ndarray:
        """Begin at the best of an initial population of parameters, each with a filter of its own."""
        begin = perf_counter()
        n, shape = self.optimizer.population, (objective.n_dendrites, objective.n_classes)
        parameters = self.space.sample(n, self.rng)
        P = Space.bits(shape[0] * shape[1]).sample(n, self.rng).reshape(n, *shape)
        losses = objective.loss(parameters, P)
        best = int(np.argmin(losses))
        self.parameters, self.loss = parameters[best], float(losses[best])
        self.evaluations += n
        self.seconds["filter"] += perf_counter() - begin
        return P[best]

    def _filter_step(self, objective: Objective, P: np.ndarray) -> np.ndarray:
        """The best filter found for the present parameters."""

        def cost(bits: np.ndarray) -> np.ndarray:
            return objective.loss(self.parameters, bits.reshape(len(bits), *P.shape))

        found = self._search("filter", Space.bits(P.size), cost, self.schedule.filter_iterations, P.ravel())
        self.filter_iterations += len(found.curve)
        if found.best_cost <= self.loss:
            P, self.loss = found.best.reshape(P.shape), found.best_cost
        return self._repaired(objective, P) if self.schedule.repair else P

    def _repaired(self, objective: Objective, P: np.ndarray) -> np.ndarray:
        """Let each inoperative dendrite feed the output that MODNP would give it."""
        P = filters.repaired(P)
        self.loss = float(objective.loss(self.parameters, P)[0])
        return P

    def _parameter_step(self, objective: Objective, P: np.ndarray, filter: str, iterations: int) -> None:
        def loss_and_gradient(parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            if getattr(self.optimizer, "gradient", "exact") == "exact":
                return objective.loss_and_gradient(parameters, P)
            return objective.loss(parameters, P), objective.published_gradient(parameters, P, filter)

        self.parameter_step(lambda parameters: objective.loss(parameters, P), loss_and_gradient, iterations)

    def parameter_step(
        self,
        loss: Callable[[np.ndarray], np.ndarray],
        loss_and_gradient: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
        iterations: int,
    ) -> None:
        """Search the parameters, from the best so far."""
        cost = loss_and_gradient if self.optimizer.uses_gradient else loss
        start = self.parameters if np.isfinite(self.loss) else None
        self._take(self._search("parameters", self.space, cost, iterations, start))

    def polish(self, loss_and_gradient: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]) -> None:
        """A memetic optimizer's last part: go down from the best so far."""
        polisher = self.optimizer.polisher
        if polisher is not None and not self.stopped:
            steps = _polishing_steps(polisher, self.schedule)
            self._take(
                self._search("parameters", self.space, loss_and_gradient, steps, self.parameters, polisher)
            )

    def _take(self, found: Minimum) -> None:
        if found.best_cost <= self.loss:
            self.parameters, self.loss = found.best, found.best_cost

    def _search(
        self,
        part: str,
        space: Space,
        cost: Callable[[np.ndarray], object],
        iterations: int,
        start: np.ndarray | None,
        optimizer: Optimizer | None = None,
    ) -> Minimum:
        """One step's search, its losses put behind those of the steps before."""
        before, best_before = len(self.curve), self.loss

        def told(iteration: int, loss: float) -> bool:
            self.curve.append(min(loss, best_before))
            stop = self.callback is not None and self.callback(before + iteration, self.curve[-1]) is True
            self.stopped = self.stopped or stop
            return stop

        begin = perf_counter()
        found = minimize(optimizer or self.optimizer, space, cost, iterations, self.rng, told, start)
        self.evaluations += found.evaluations
        self.seconds[part] += perf_counter() - begin
        self.seconds["optimizer"] += found.seconds_own
        self.seconds["objective"] += found.seconds_cost
        return found


def parameter_space(objective: Objective | Baseline) -> Space:
    """Where the initial population is drawn: all in [-1, 1], but w_t and theta_t in [0, 1]."""
    lower = np.full(objective.n_parameters, -1.0)
    if isinstance(objective, Objective):
        lower[-2 * objective.n_classes :] = 0
    return Space.box(lower, np.ones(objective.n_parameters))
