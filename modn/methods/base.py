"""What a method of training is: it takes a problem and a budget, and returns what it found.

Methods differ in what they change: the parameters alone (`Search`), the parameters and the filter P in turn
(`TwoStep`), both by gradients (`Descent`), or one method after another (`Memetic`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from modn.constraints import Checked, Number, check
from modn.optimizers.core.base import most_within
from modn.optimizers.core.space import Space

Array = NDArray[np.float64]
Filter = NDArray[np.bool_]
OnStep = Callable[[int, float], bool | None]  # the number of the step and the best loss; True stops


class Problem(Protocol):
    """What is minimised: the loss of a model on one training set.

    >>> from modn import Objective
    >>> from modn.methods import neuron_problem
    >>> objective = Objective([[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1], 2, 2, alpha_s=10.0, alpha_t=1.0)
    >>> problem = neuron_problem(objective, "partition")
    >>> problem.loss(problem.space.sample(3, np.random.default_rng(0))).shape
    (3,)
    """

    @property
    def space(self) -> Space:
        """Where an initial population is drawn, V variables."""

    def loss(self, population: Array) -> Array:
        """(S, V) -> (S,)."""

    def loss_and_gradient(self, population: Array) -> tuple[Array, Array]:
        """(S, V) -> (S,), (S, V)."""


class Start(NamedTuple):
    """Parameters to continue from.

    >>> from modn import Objective
    >>> from modn.methods import Start
    >>> objective = Objective([[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1], 2, 2, alpha_s=10.0, alpha_t=1.0)
    >>> import modn
    >>> trained = modn.train(objective, "bbo", budget=5, random_state=0)
    >>> start = Start(trained.parameters, trained.P)
    >>> modn.train(objective, "bbo", budget=5, random_state=1, start=start).loss <= trained.loss
    True
    """

    parameters: Array  # (V,)
    P: Filter | None = None  # (M, C); None: the model has no filter
    loss: float | None = None  # where it is known; None: it is computed

    def check_filter(self, P: Filter | None) -> None:
        """Refuse a problem with another filter; P None: it has none."""
        if P is not None and self.P is None:
            raise ValueError("start has no P; allowed: the P of the problem")
        if P is not None and not np.array_equal(np.asarray(self.P), P):
            raise ValueError("start has another P than the problem; allowed: the same P")


class Work(NamedTuple):
    """What a training costs if nothing stops it.

    >>> from modn import Objective
    >>> from modn.methods import make, neuron_problem
    >>> objective = Objective([[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1], 2, 2, alpha_s=10.0, alpha_t=1.0)
    >>> make("bbo", "partition").work(neuron_problem(objective, "partition"), budget=10)
    Work(evaluations=1100, steps=11)
    """

    evaluations: int  # individuals evaluated
    steps: int  # calls of on_step


class HeldOut(NamedTuple):
    """What neurons say of samples that they were not trained on, each by its fold's, for calibration.

    >>> from modn.methods import HeldOut
    >>> held = HeldOut(U=np.array([[0.5, -0.5], [-1.0, 1.0]]), y=np.array([0, 1]), weight=None)
    >>> (held.U.argmax(axis=1) == held.y).all()
    np.True_
    """

    U: Array  # (n, C) potentials alpha_t (w_t V - theta_t), on the scale of the trained neuron's
    y: NDArray[np.int64]  # (n,)
    weight: Array | None  # (n,); None: all count alike


@dataclass(frozen=True, eq=False)
class Training:
    """What training found and what it used.

    >>> from modn import Objective
    >>> from modn.methods import Training
    >>> objective = Objective([[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1], 2, 2, alpha_s=10.0, alpha_t=1.0)
    >>> import modn
    >>> trained = modn.train(objective, "bbo", budget=5, random_state=0)
    >>> trained.parameters.shape, trained.P.shape
    ((8,), (2, 2))
    """

    parameters: Array  # (V,) the best ever evaluated
    P: Filter | None  # (M, C); None: the model has no filter
    loss: float
    # The best loss so far after each step, that of the start first. A descent's curve follows the loss that
    # it minimises, which is not Eq. 10.
    curve: Array
    filter_steps: int  # how many of the curve's steps changed P
    evaluations: int  # individuals evaluated
    held_out: HeldOut | None = None  # where the training made a cross-validation
    others: tuple["Training", ...] = ()  # further neurons that were asked for, the best first

    def as_start(self) -> Start:
        """What was found, to continue from."""
        return Start(self.parameters, self.P, self.loss)

    def followed_by(self, later: "Training") -> "Training":
        """Two trainings as one: what the later one found, and what both used."""
        return Training(
            later.parameters,
            later.P,
            later.loss,
            np.concatenate([self.curve, later.curve]),
            self.filter_steps + later.filter_steps,
            self.evaluations + later.evaluations,
            later.held_out,
            later.others,
        )


class Steps:
    """An `on_step` that numbers the steps of all parts of a training as one, and remembers a stop."""

    def __init__(self, on_step: OnStep | None) -> None:
        self.on_step, self.count, self.stopped = on_step, 0, False

    def __call__(self, step: int, loss: float) -> bool:
        """Pass the step of a part on; its number within the part does not matter."""
        if not self.stopped:
            self.stopped = self.on_step is not None and self.on_step(self.count, loss) is True
            self.count += 1
        return self.stopped


class Method(Checked, ABC):
    """A way to train.

    >>> from modn import Objective
    >>> from modn.methods import Method, make, neuron_problem
    >>> objective = Objective([[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1], 2, 2, alpha_s=10.0, alpha_t=1.0)
    >>> method = make("bbo", "learned")
    >>> isinstance(method, Method)
    True
    >>> trained = method.train(neuron_problem(objective, "learned"), 5, np.random.default_rng(0))
    """

    @property
    @abstractmethod
    def iterations(self) -> int | None:
        """The method's own budget; None: it has none."""

    @property
    @abstractmethod
    def uses_gradient(self) -> bool:
        """Whether it begins with a descent, which needs a start where the gradient is not 0."""

    @property
    @abstractmethod
    def plans_ahead(self) -> bool:
        """Whether its course depends on the budget: with a smaller one it is not the same, cut short."""

    def individuals(self, n_features: int) -> int:
        """How many neurons of so many features it trains at the same time: its optimizer's population."""
        return int(self.optimizer.population)  # type: ignore[attr-defined]

    @abstractmethod
    def train(
        self,
        problem: Any,
        budget: int,
        rng: np.random.Generator,
        on_step: OnStep | None = None,
        start: Start | None = None,
    ) -> Training:
        """Minimise the problem's loss in `budget` iterations on the parameters.

        `on_step(step, loss)` is called after each step; returning True stops the training with the best
        found so far. `start`: parameters to continue from.
        """

    @abstractmethod
    def work(self, problem: Any, budget: int, started: bool = False) -> Work:
        """What `train` costs if nothing stops it; `started`: with a start.

        `problem` None: any problem with enough samples.
        """

    def cost(self, problem: Any, budget: int, gradient: float = 1.0, started: bool = False) -> float:
        """What `train` costs if nothing stops it, in evaluations; one with a gradient counts `gradient`."""
        evaluations = self.work(problem, budget, started).evaluations
        return evaluations * gradient if self.uses_gradient else evaluations

    def iterations_within(self, problem: Any, evaluations: float, gradient: float = 1.0) -> int:
        """The largest budget whose `cost` is at most so many evaluations."""
        check("evaluations", evaluations, Number(self.cost(problem, 0, gradient)))
        return most_within(lambda budget: self.cost(problem, budget, gradient), evaluations)
