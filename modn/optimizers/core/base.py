"""What every optimizer is: parameters (a frozen dataclass), a state, and init / ask / tell.

The loop is always the same; `minimize` runs it, and so can you:

    state = optimizer.init(space, rng)
    while ...:
        candidates = optimizer.ask(state, rng)          # the first ones are the initial population
        state = optimizer.tell(state, candidates, cost(candidates), rng)

A state is never changed in place: it can be kept, saved (`save_state`) and returned to.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt

from modn.constraints import Checked, Constraint, Integer, OrNone, check
from modn.optimizers.core.space import Array, Space


@dataclass(frozen=True, eq=False)
class State:
    """What all states hold; each algorithm adds its own arrays, ints and floats.

    >>> from modn.optimizers import Space, make
    >>> state = make("pso").init(Space.box([-1.0], [1.0]), np.random.default_rng(0))
    >>> state.generation, state.best_cost
    (0, inf)
    """

    space: Space
    generation: int  # number of calls of `tell`
    best: Array  # (V,) the best individual so far; the first one until there is a finite cost
    best_cost: float  # inf until there is a finite cost

    def updated(self, **changes: Any) -> Self:
        """A copy with other values of some fields, as by `dataclasses.replace`, in a quarter of its time."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__, **changes)
        if len(copy.__dict__) > len(self.__dict__):
            unknown = ", ".join(sorted(changes.keys() - self.__dict__.keys()))
            raise TypeError(f"{type(self).__name__} has no field {unknown}")
        return copy


@dataclass(frozen=True)
class Optimizer(Checked, ABC):
    """The parameters all optimizers share, and the bookkeeping around each one's own `_tell`.

    Each algorithm has a state class of its own: here states are `Any`, there they are that class.

    >>> from modn.optimizers import make
    >>> bbo = make("bbo", population=50)
    >>> bbo.evaluations(iterations=10), bbo.iterations_within(10_000)
    (550, 199)
    """

    population: int = 100  # individuals per generation
    # Generations after the initial population; None: the dataset's own budget. `minimize` sets it to its own.
    iterations: int | None = None

    name: ClassVar[str] = ""  # set by `register`
    state_class: ClassVar[type[State]] = State
    uses_gradient: ClassVar[bool] = False  # the cost function returns (costs, gradients)
    searches_bits: ClassVar[bool] = True  # it can search Boolean spaces
    plans_ahead: ClassVar[bool] = False  # its course depends on `iterations`: a shorter search is another one

    allowed: ClassVar[dict[str, Constraint]] = {"population": Integer(1), "iterations": OrNone(Integer(0))}

    @property
    def offspring(self) -> int:
        """How many individuals an iteration evaluates."""
        return self.population

    def evaluations(self, iterations: int) -> int:
        """How many individuals the initial population and these iterations evaluate."""
        return self.population + self.offspring * iterations

    def iterations_within(self, evaluations: int) -> int:
        """The most iterations that, with the initial population, evaluate at most so many individuals."""
        check(f"{self.name}: evaluations", evaluations, Integer(self.evaluations(0)))
        return most_within(self.evaluations, evaluations)

    def init(self, space: Space, rng: np.random.Generator) -> Any:
        """A state whose first `ask` gives the initial population, uniform in the space."""
        if space.boolean and not self.searches_bits:
            raise ValueError(f"{self.name}: space is Boolean; allowed: real variables")
        return self._init(space, rng)

    def tell(
        self,
        state: Any,
        candidates: Array,
        costs: npt.ArrayLike,
        rng: np.random.Generator,
        gradients: npt.ArrayLike | None = None,
    ) -> Any:
        """The state after learning the candidates' costs (n,); one that is not finite counts as the worst."""
        candidates = np.asarray(candidates, dtype=state.space.dtype)
        costs = np.array(costs, dtype=np.float64)  # a copy: states keep it
        if candidates.shape != (len(candidates), state.space.size) or costs.shape != candidates.shape[:1]:
            raise ValueError(
                f"candidates and costs have the shapes {candidates.shape} and {costs.shape}; "
                f"allowed: (n, {state.space.size}) and (n,)"
            )
        costs[~np.isfinite(costs)] = np.inf
        slopes = None
        if self.uses_gradient:
            if gradients is None:
                raise ValueError(f"{self.name}: gradients is None; allowed: an array {candidates.shape}")
            slopes = np.asarray(gradients, dtype=np.float64)
            if slopes.shape != candidates.shape:
                raise ValueError(f"gradients has the shape {slopes.shape}; allowed: {candidates.shape}")
            # One bad number must not spoil a point for the rest of the search.
            slopes = np.where(np.isfinite(slopes), slopes, 0)
        first = int(costs.argmin())
        best, best_cost = state.best, state.best_cost
        if costs[first] < best_cost or state.generation == 0:
            best, best_cost = candidates[first].copy(), float(costs[first])
        state = state.updated(generation=state.generation + 1, best=best, best_cost=best_cost)
        return self._tell(state, candidates, costs, rng, slopes)

    @abstractmethod
    def _init(self, space: Space, rng: np.random.Generator) -> Any: ...

    @abstractmethod
    def ask(self, state: Any, rng: np.random.Generator) -> Array:
        """The candidates (n, V) to evaluate next."""

    @abstractmethod
    def _tell(
        self, state: Any, candidates: Array, costs: Array, rng: np.random.Generator, gradients: Array | None
    ) -> Any:
        """The algorithm's own part of `tell`: costs are finite or +inf, best and generation are up to date.

        In the first call (generation 1) the candidates are the initial population.
        """


def most_within(spent: Callable[[int], float], limit: float) -> int:
    """The most iterations that spend at most `limit`; what they spend must not fall with their number."""
    within, beyond = 0, 1
    while spent(beyond) <= limit:
        within, beyond = beyond, 2 * beyond
    while beyond - within > 1:
        middle = (within + beyond) // 2
        if spent(middle) <= limit:
            within = middle
        else:
            beyond = middle
    return within


REGISTRY: dict[str, type[Optimizer]] = {}
Class = TypeVar("Class", bound=type[Optimizer])


def register(name: str) -> Callable[[Class], Class]:
    """Class decorator: make an optimizer known by its name.

    >>> from modn.optimizers import names, parameters_class
    >>> @register("best_of_ten")
    ... @dataclass(frozen=True)
    ... class BestOfTen(parameters_class("random_search")):
    ...     population: int = 10
    >>> "best_of_ten" in names()
    True
    >>> del REGISTRY["best_of_ten"]
    """

    def enter(cls: Class) -> Class:
        taken = REGISTRY.get(name)
        if taken is not None and taken.__module__ != cls.__module__:
            raise ValueError(f"the optimizer {name!r} of {cls.__module__} is in {taken.__module__} already")
        cls.name = name
        REGISTRY[name] = cls
        return cls

    return enter
