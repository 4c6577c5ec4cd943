"""How a neuron is trained: methods by the name of their solver.

A solver is the name of an optimizer, or two of them: "bbo", "adam", "bbo+adam". `make` turns it into a method
for the model at hand: a learned filter needs `TwoStep` or `Descent`, all else is a `Search`, and a pair is a
`Memetic`.

>>> parameters("bp")
{'population': 1, 'iterations': 3000, 'learning_rate': 0.01, 'gradient': 'exact'}
>>> method = make("bbo+bp", "learned", first={"population": 50}, rounds=2)
>>> method.first.rounds, method.first.optimizer.population
(2, 50)
"""

from dataclasses import fields
from typing import Any

from modn import filters, optimizers
from modn.constraints import OneOf, Options, check, check_names
from modn.filters import LEARNED
from modn.methods.base import HeldOut, Method, OnStep, Problem, Start, Training, Work
from modn.methods.descent import Descent
from modn.methods.memetic import Memetic
from modn.methods.problems import FixedFilter, LearnedFilter, neuron_problem
from modn.methods.search import Search
from modn.methods.two_step import TwoStep
from modn.optimizers.adam import Adam

__all__ = [
    "LEARNED",
    "Descent",
    "FixedFilter",
    "HeldOut",
    "LearnedFilter",
    "Memetic",
    "Method",
    "OnStep",
    "Problem",
    "Search",
    "Start",
    "Training",
    "TwoStep",
    "Work",
    "learns_filter",
    "make",
    "neuron_problem",
    "parameters",
    "solvers",
]

DESCENT = Adam.name  # the solver that trains a MODN by `Descent`
JOINED = "+"  # between the two solvers of a Memetic
# Other defaults for the two solvers of a Memetic: the second needs a good place to begin, not the best.
MEMETIC: dict[str, dict[str, Any]] = {"first": {"iterations": 100}, "then": {"iterations": 100}}
POLISH = {"learning_rate": 0.03}  # of a second solver that follows a gradient: it starts close to the minimum


def solvers() -> list[str]:
    """The names of all single solvers; any two can be joined by "+".

    >>> "bbo" in solvers()
    True
    """
    return optimizers.names()


def learns_filter(solver: str) -> bool:
    """Whether a solver can train a MODN whose filter P is learned.

    >>> learns_filter("bbo"), learns_filter("adam"), learns_filter("bp")
    (True, True, False)
    """
    first = solver.partition(JOINED)[0]
    return first == DESCENT or optimizers.parameters_class(first).searches_bits


def parameters(solver: str, has_filter: bool = True) -> dict[str, Any]:
    """The parameters of a solver with their defaults; of a pair, {"first": {...}, "then": {...}}.

    `has_filter`: whether the model has a filter P; some parameters are for such models only.

    >>> parameters("bbo+bp")["then"]["learning_rate"]
    0.03
    """
    if JOINED in solver:
        first, then = _pair(solver)
        optimizer = optimizers.parameters_class(then)
        parts = {"first": parameters(first, has_filter), "then": _defaults(optimizer)}
        own = {
            "first": MEMETIC["first"],
            "then": MEMETIC["then"] | (POLISH if optimizer.uses_gradient else {}),
        }
        return {part: known | own[part] for part, known in parts.items()}
    optimizer = optimizers.parameters_class(solver)
    if not has_filter:
        return _defaults(optimizer)
    if solver == DESCENT:
        return _defaults(optimizer) | _defaults(Descent)
    return _defaults(optimizer) | ({"gradient": Search.gradient} if optimizer.uses_gradient else {})


def make(
    solver: str,
    filter: str | None = None,
    *,
    filter_iterations: int = TwoStep.filter_iterations,
    rounds: int = TwoStep.rounds,
    **options: Any,
) -> Method:
    """The method by which a solver trains a model.

    `filter`: "learned", "partition" or "full"; None: the model has no filter. `filter_iterations` and
    `rounds` matter where P is learned by `TwoStep`. `options`: those of `parameters(solver, filter is not
    None)` that differ from their defaults.

    >>> make("bbo", "learned", rounds=3).rounds
    3
    >>> type(make("bbo", "partition")).__name__, type(make("bbo+bp", "learned")).__name__
    ('Search', 'Memetic')
    """
    if filter is not None:
        check("filter", filter, OneOf(filters.NAMES))
    if filter == LEARNED and not learns_filter(solver):
        able = ", ".join(name for name in solvers() if learns_filter(name))
        raise ValueError(f"solver is {solver!r}; allowed: {able}, since the filter P is learned")
    known = parameters(solver, filter is not None)
    check_names(solver, options, known)
    scheme = {"filter_iterations": filter_iterations, "rounds": rounds}
    if JOINED in solver:
        first, then = _pair(solver)
        for part, own in options.items():
            check(f"{solver}: {part}", own, Options())
            check_names(f"{solver}: {part}", own, known[part])
        of_first, of_then = (known[part] | dict(options.get(part, {})) for part in MEMETIC)
        return Memetic(make(first, filter, **scheme, **of_first), Search(optimizers.make(then, **of_then)))
    of_optimizer = _subset(options, _defaults(optimizers.parameters_class(solver)))
    if filter is not None and solver == DESCENT:
        return Descent(Adam(**of_optimizer), **_subset(options, _defaults(Descent)))
    optimizer = optimizers.make(solver, **of_optimizer)
    if filter == LEARNED:
        return TwoStep(optimizer, **scheme)
    return Search(optimizer, options.get("gradient", Search.gradient))


def _pair(solver: str) -> tuple[str, str]:
    """The two solvers of a pair."""
    names = solver.split(JOINED)
    if len(names) != 2:
        raise ValueError(f"solver is {solver!r}; allowed: one name, or two joined by {JOINED!r}")
    return names[0], names[1]


def _defaults(cls: type) -> dict[str, Any]:
    """The parameters of an optimizer or a method, with their defaults."""
    return {field.name: field.default for field in fields(cls) if field.name != "optimizer"}


def _subset(values: dict[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name in names}
