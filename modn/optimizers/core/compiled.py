"""Loops over all variables of a population, compiled by numba at their first call.

Not before: numba takes half a second to load, and most of those who import the optimizers only ask for their
names and parameters. A compiled loop draws its random numbers from the very generator that it is passed.
"""

from collections.abc import Callable
from functools import cache, wraps
from typing import Any


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator of a function of arrays, numbers and a generator, by position; it may call no other such."""

    @cache
    def machine_code() -> Callable[..., Any]:
        from numba import njit

        return njit(cache=True, nogil=True, error_model="numpy")(function)

    @wraps(function)
    def call(*arguments: Any) -> Any:
        return machine_code()(*arguments)

    return call
