"""How a neuron is trained: methods by the name of their solver.

A solver is an optimizer's name, or two of them: "bbo", "adam", "bbo+adam". `make` turns it into a method for
the model at hand: a learned filter needs `TwoStep` or `Descent`, all else is a `Search`, and a pair is a
`Memetic`.
"""

from dataclasses import fields
from typing import Any

from modn import filters, optimizers
from modn.constraints import OneOf, check
from modn.filters import LEARNED
from modn.methods.base import Method, OnStep, Problem, Start, Training, Work
from modn.methods.descent import Descent
from modn.methods.memetic import Memetic
from modn.methods.problems import FixedFilter, LearnedFilter, neuron_problem
from modn.methods.search import Search
from modn.methods.two_step import TwoStep

__all__ = [
    "LEARNED",
    "Descent",
    "FixedFilter",
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

DESCENT = "adam"  # the solver by which a MODN is trained by `Descent`
JOINED = "+"  # between the two solvers of a Memetic
# Of a Memetic, unless they are given: the descent needs a good place to begin, not the best.
MEMETIC = {"first": {"iterations": 100}, "then": {"iterations": 100, "learning_rate": 0.03}}


def solvers() -> list[str]:
    """The names of all single solvers; two can be joined by "+" if the second follows a gradient."""
    return optimizers.names()


def learns_filter(solver: str) -> bool:
    """Whether a solver can train a MODN whose filter P is learned."""
    first = solver.partition(JOINED)[0]
    return first == DESCENT or optimizers.parameters_class(first).searches_bits


def parameters(solver: str) -> dict[str, Any]:
    """What can be set of a solver, with its default; for a pair, one mapping for each of the two."""
    if JOINED in solver:
        (first, of_first), (then, of_then) = _pair(solver).values()
        return {
            "first": parameters(first) | of_first,
            "then": _defaults(optimizers.parameters_class(then)) | of_then,
        }
    optimizer = optimizers.parameters_class(solver)
    if solver == DESCENT:
        return _defaults(optimizer) | {k: v for k, v in _defaults(Descent).items() if k != "optimizer"}
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
    `rounds` matter where P is learned by `TwoStep`. `options`: those of `parameters(solver)` that differ from
    their defaults.
    """
    if filter is not None:
        check("filter", filter, OneOf(filters.NAMES))
    if filter == LEARNED and not learns_filter(solver):
        able = ", ".join(name for name in solvers() if learns_filter(name))
        raise ValueError(f"solver is {solver!r}; allowed: {able}, since the filter P is learned")
    unknown = [name for name in options if name not in parameters(solver)]
    if unknown:
        allowed = ", ".join(parameters(solver))
        raise ValueError(f"{solver} has no parameter {unknown[0]!r}; allowed: {allowed}")
    scheme = {"filter_iterations": filter_iterations, "rounds": rounds}
    if JOINED in solver:
        (first, of_first), (then, of_then) = _pair(solver).values()
        of_first, of_then = of_first | options.get("first", {}), of_then | options.get("then", {})
        return Memetic(make(first, filter, **scheme, **of_first), Search(optimizers.make(then, **of_then)))
    of_optimizer = _defaults(optimizers.parameters_class(solver)).keys() & options.keys()
    optimizer = optimizers.make(solver, **{name: options.pop(name) for name in of_optimizer})
    if filter is not None and solver == DESCENT:
        return Descent(optimizer, **options)
    if filter == LEARNED:
        return TwoStep(optimizer, **scheme)
    return Search(optimizer, options.get("gradient", Search.gradient))


def _pair(solver: str) -> dict[str, tuple[str, dict[str, Any]]]:
    """The two solvers of a pair, each with what it has instead of its own defaults."""
    names = solver.split(JOINED)
    if len(names) != 2:
        raise ValueError(f"solver is {solver!r}; allowed: one name, or two joined by {JOINED!r}")
    descents = [name for name in solvers() if optimizers.parameters_class(name).uses_gradient]
    check(f"the second part of solver {solver!r}", names[1], OneOf(descents))
    return {
        part: (name, {key: value for key, value in MEMETIC[part].items() if key in parameters(name)})
        for part, name in zip(MEMETIC, names, strict=True)
    }


def _defaults(cls: type) -> dict[str, Any]:
    return {field.name: field.default for field in fields(cls)}
