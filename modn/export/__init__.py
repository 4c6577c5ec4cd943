"""Circuits and neurons as programs: `modn.export.verilog(circuit)`, `modn.export.onnx(model)`.

A target is one module in `targets/`, found by its name, with

- `KINDS`, the classes that it can write;
- `ALLOWED`, the constraints of its options;
- `write(model, **options)`, which returns the program.

A circuit has a method for each of them, `circuit.to_verilog(...)`. Targets are imported when they are first
used.

>>> "verilog" in names()
True
"""

import pkgutil
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from modn.constraints import OneOf, check, check_all, check_names

__all__ = ["export", "names", "target"]


def names() -> list[str]:
    """The targets' names, sorted.

    >>> {"c", "onnx", "sql", "verilog"} <= set(names())
    True
    """
    return sorted(module.name for module in pkgutil.iter_modules([str(Path(__file__).parent / "targets")]))


def target(name: str) -> ModuleType:
    """The module of a target.

    >>> sorted(target("sql").ALLOWED)
    ['keep', 'prediction', 'table']
    """
    check("target", name, OneOf(names()))
    return import_module(f"{__name__}.targets.{name}")


def export(model: Any, to: str, **options: Any) -> Any:
    """A circuit, or for ONNX a fitted classifier, as a program: a str, or bytes for a binary format.

    >>> from sklearn.datasets import load_iris
    >>> from modn import MODNClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> circuit = MODNClassifier(random_state=0).fit(X, y).to_circuit(X, y, size=2)
    >>> "CASE" in export(circuit, "sql", table="flowers")
    True
    """
    module = target(to)
    check_names(to, options, module.ALLOWED)
    check_all(options, module.ALLOWED, f"{to}: ")
    if not isinstance(model, module.KINDS):
        allowed = ", ".join(kind.__name__ for kind in module.KINDS)
        hint = " (`model.to_circuit(X, y)` makes a circuit)" if hasattr(model, "to_circuit") else ""
        raise TypeError(f"{to} cannot express a {type(model).__name__}; allowed: {allowed}{hint}")
    return module.write(model, **options)


def __getattr__(name: str) -> Callable[..., Any]:
    if name.startswith("_") or name not in names():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return partial(export, to=name)
