"""One method for each target: `circuit.to_verilog(...)` is `modn.export.verilog(circuit, ...)`."""

from collections.abc import Callable
from functools import partial
from typing import Any

from modn import export


class ExportMethods:
    """Gives a class the methods `to_<target>`."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("to_") and name.removeprefix("to_") in export.names():
            return partial(export.export, self, name.removeprefix("to_"))
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(f"to_{name}" for name in export.names())]
