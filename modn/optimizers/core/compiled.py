"""Loops over all variables of a population, compiled by numba at their first call.

Not before: numba takes half a second to load, and most programs that import the optimizers only ask for their
names and parameters. A compiled loop draws its random numbers from the generator that it is passed.
"""

from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any

from modn.fast import compiling


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator of a function of arrays, numbers and a generator, by position.

    It may use constants of this folder, but call no other compiled loop.
    """
    sources = compiling.Sources(function, Path(__file__).parent)

    @cache
    def machine_code() -> Callable[..., Any]:
        return compiling.compiled(function, sources)

    @wraps(function)
    def call(*arguments: Any) -> Any:
        return machine_code()(*arguments)

    return call
