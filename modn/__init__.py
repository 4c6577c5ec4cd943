"""MODN: the multi-in and multi-out dendritic neuron model, its optimizers and its training.

The names below are imported when they are first used: `import modn` alone costs nothing.
"""

from importlib import import_module
from typing import Any

_MODULES = ("explain", "plots")
_HOMES = {
    "DNMClassifier": "modn.estimators",
    "MODNClassifier": "modn.estimators",
    "Neuron": "modn.neuron",
    "Objective": "modn.fast.objective",
    "load": "modn.persistence",
    "save": "modn.persistence",
}

__all__ = ["DNMClassifier", "MODNClassifier", "Neuron", "Objective", "explain", "load", "plots", "save"]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"modn.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'modn' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
