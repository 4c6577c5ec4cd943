"""Optimizers by name: `make("bbo", population=50)`.

Each algorithm is one module of this package; to add one, add a file with a class under `@register("name")`.
"""

import importlib
import pkgutil
from typing import Any

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
    """The registered optimizers' names, sorted."""
    return sorted(REGISTRY)


def parameters_class(name: str) -> type[Optimizer]:
    """The dataclass whose fields are the named optimizer's parameters."""
    if name not in REGISTRY:
        raise ValueError(f"optimizer is {name!r}; allowed: {', '.join(names())}")
    return REGISTRY[name]


def make(name: str, **parameters: Any) -> Optimizer:
    """The named optimizer; parameters not given keep their defaults, those of the paper's Table 2."""
    cls = parameters_class(name)
    unknown = sorted(set(parameters) - set(cls.__dataclass_fields__))
    if unknown:
        raise ValueError(
            f"{name} has no parameter {unknown[0]!r}; allowed: {', '.join(cls.__dataclass_fields__)}"
        )
    return cls(**parameters)
