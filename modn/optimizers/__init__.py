"""Optimizers by name. Each algorithm is one module; to add one, add a file with a class `@register("name")`.

>>> import numpy as np
>>> def cost(candidates):
...     return (candidates**2).sum(axis=1)
>>> optimizer = make("bbo", population=20)
>>> space = Space.box([-1.0, -1.0], [1.0, 1.0])
>>> found = minimize(optimizer, space, cost, iterations=50, rng=np.random.default_rng(0))
>>> found.best_cost < 1e-3
True

Or run the loop yourself. A search can be saved at any time, as plain arrays for `np.savez`, and resumed in
another process as if never interrupted:

>>> rng = np.random.default_rng(0)
>>> state = optimizer.init(space, rng)
>>> for iteration in range(51):
...     if iteration == 25:
...         arrays = save_state(state, rng)
...         state, rng = load_state(optimizer, arrays)
...     candidates = optimizer.ask(state, rng)
...     state = optimizer.tell(state, candidates, cost(candidates), rng)
>>> state.best_cost == found.best_cost
True
"""

import importlib
import pkgutil
from dataclasses import fields
from typing import Any

from modn.constraints import OneOf, check, check_names
from modn.optimizers.core.base import REGISTRY, Optimizer, State, register
from modn.optimizers.core.minimize import Minimum, minimize
from modn.optimizers.core.space import Space
from modn.optimizers.core.state import load_state, save_state

__all__ = [
    "Minimum",
    "Optimizer",
    "Space",
    "State",
    "load_state",
    "make",
    "minimize",
    "names",
    "parameters_class",
    "register",
    "save_state",
]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")


def names() -> list[str]:
    """The registered optimizers' names, sorted.

    >>> {"adam", "bbo", "pso"} <= set(names())
    True
    """
    return sorted(REGISTRY)


def parameters_class(name: str) -> type[Optimizer]:
    """The dataclass whose fields are the named optimizer's parameters.

    >>> parameters_class("pso").population
    200
    """
    check("optimizer", name, OneOf(REGISTRY))
    return REGISTRY[name]


def make(name: str, **parameters: Any) -> Optimizer:
    """The named optimizer; parameters not given keep their defaults, those of the paper's Table 2.

    >>> make("pso", population=20).population
    20
    """
    cls = parameters_class(name)
    check_names(name, parameters, [field.name for field in fields(cls)])
    return cls(**parameters)
