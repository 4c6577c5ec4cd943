"""Compiling pauses the garbage collector, and leaves it as it was; a part is code of its callers only."""

import gc
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from numba import njit
from numba.core.errors import NumbaError

from modn.fast.compilers import FunctionCompiler
from modn.fast.compiling import part


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """The collector is on again after each test."""
    yield
    gc.enable()


@pytest.mark.parametrize("collecting", [True, False])
@pytest.mark.parametrize("body", [lambda x: x + 1, lambda x: x.missing], ids=["good", "bad"])
def test_the_collector_is_left_as_it_was(collecting: bool, body: Callable[[Any], Any]) -> None:
    function = njit(pipeline_class=FunctionCompiler)(body)
    (gc.enable if collecting else gc.disable)()
    with suppress(NumbaError):
        function(1)
    assert gc.isenabled() == collecting


def test_a_part_has_no_machine_code_but_its_caller_has() -> None:
    @part
    def twice(x: int) -> int:
        return 2 * x

    @njit
    def four_times(x: int) -> int:
        return twice(twice(x))

    assert four_times(3) == 12
    found, functions = [], list[Any]([twice, four_times])
    for function in functions:
        (code,) = function.overloads.values()
        found.append(code.library._codegen._engine.is_symbol_defined(code.fndesc.llvm_func_name))
    assert found == [False, True]
