"""numba's compiler with two detours left out: what `modn.fast.compiling` compiles with.

A compiler is a public choice (`pipeline_class`); the library of code that it fills is a private class of
numba.
"""

# numba's classes have no types
# mypy: allow-untyped-defs

import gc
from types import SimpleNamespace
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class FunctionCompiler(Compiler):
    """A compiler that the garbage collector does not interrupt.

    A compiler makes many objects and keeps most of them: looking for garbage in between takes an eighth of
    its time and finds little. numba's lock makes sure that only one function is compiled at a time.
    """

    def compile_extra(self, func):
        """Compile a function, and the functions that it calls."""
        collecting = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(func)
        finally:
            if collecting:
                gc.enable()


class PartCompiler(Compiler):
    """A compiler that stops before the machine code, which nothing would run.

    numba copies the code of a part into its callers before that.
    """

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals):
        library = _PartLibrary(targetctx.codegen(), "part")
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)


class _PartLibrary(JITCodeLibrary):
    def _finalize_final_module(self):
        """Generate no machine code."""
        self._finalized = True

    @property
    def codegen(self) -> Any:
        """Takes note of the environment of a function, a matter of its machine code."""
        return SimpleNamespace(set_env=lambda name, environment: None)

    def get_pointer_to_function(self, name):
        """Return what stands for a function without machine code."""
        self._ensure_finalized()
        return 0
