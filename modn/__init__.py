"""MODN: the multi-in and multi-out dendritic neuron model, its optimizers and its training.

Each name is imported when it is first used, so `import modn` alone takes no time.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from modn import explain as explain
    from modn import export as export
    from modn import filters as filters
    from modn import methods as methods
    from modn import metrics as metrics
    from modn import optimizers as optimizers
    from modn import plots as plots
    from modn.estimators import CircuitClassifier as CircuitClassifier
    from modn.estimators import DNMClassifier as DNMClassifier
    from modn.estimators import MODNClassifier as MODNClassifier
    from modn.estimators import MODNRegressor as MODNRegressor
    from modn.explain.circuit import Circuit as Circuit
    from modn.explain.making import circuit_path as circuit_path
    from modn.fast.objective import Objective as Objective
    from modn.neuron import Neuron as Neuron
    from modn.optimizers import make as make
    from modn.persistence import load as load
    from modn.persistence import save as save
    from modn.training import train as train

    __version__: str

_MODULES = ("explain", "export", "filters", "methods", "metrics", "optimizers", "plots")
_HOMES = {
    "Circuit": "modn.explain.circuit",
    "CircuitClassifier": "modn.estimators",
    "DNMClassifier": "modn.estimators",
    "MODNClassifier": "modn.estimators",
    "MODNRegressor": "modn.estimators",
    "Neuron": "modn.neuron",
    "Objective": "modn.fast.objective",
    "circuit_path": "modn.explain.making",
    "load": "modn.persistence",
    "make": "modn.optimizers",
    "save": "modn.persistence",
    "train": "modn.training",
}

__all__ = sorted([*_HOMES, *_MODULES, "__version__"])

if not TYPE_CHECKING:  # a type checker knows the names above, and no others

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            return import_module(f"modn.{name}")
        if name == "__version__":
            return import_module("importlib.metadata").version("modn")
        if name not in _HOMES:
            raise AttributeError(f"module 'modn' has no attribute {name!r}")
        return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
