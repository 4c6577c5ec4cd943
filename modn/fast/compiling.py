"""The decorators of compiled functions, and the stamp by which their machine code is cached.

numba caches machine code on disk, but watches only the file of the function that is called: after an edit of
a helper in another file, the old code would run. Here the stamp covers the contents of every file that can be
compiled into a function. numba is loaded when the first function is decorated, not with this module.
"""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

Function = Callable[..., Any]

# numba's options; nothing calls these functions from C
COMMON: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


class Sources:
    """The files that can be compiled into a function: those of its folder, of this one, and of `shared`.

    A file elsewhere must give a compiled function nothing, not even a constant.
    """

    def __init__(self, function: Function, *shared: Path) -> None:
        own_folder = Path(function.__code__.co_filename).parent
        self.folders = sorted({own_folder, Path(__file__).parent, *shared})
        self.stamp = self._digest()

    def changed(self) -> bool:
        """Whether a file is no longer what it was when the function was decorated."""
        return self._digest() != self.stamp

    def _digest(self) -> str:
        paths = [path for folder in self.folders for path in sorted(folder.glob("*.py"))]
        files = [path for path in paths if path.is_file()]  # an editor's lock may be a dangling link
        return sha256(b"".join(_file_digest(path, path.stat().st_mtime_ns) for path in files)).hexdigest()


@cache
def _file_digest(path: Path, modified: int) -> bytes:
    return sha256(path.name.encode() + b"\0" + path.read_bytes()).digest()


def compiled(function: Function, sources: Sources | None = None, **options: Any) -> Any:
    """Decorator: compile for the types of the arguments of each call, and cache the machine code on disk.

    No fast-math flag, unless `options` has one: every operation is done in the order written.
    """
    from numba import njit

    from modn.fast.code_cache import code_cache
    from modn.fast.compilers import FunctionCompiler

    dispatcher = njit(**COMMON, **options, pipeline_class=FunctionCompiler)(function)
    # What numba's `cache=True` does, with another cache; a private attribute, as there is no public way.
    dispatcher._cache = code_cache(function, sources or Sources(function))
    return dispatcher


def part(function: Function, **options: Any) -> Any:
    """Decorator of a part of compiled functions, which nothing but them can call.

    It has neither a way in for Python nor a cache of its own: making these takes as long as compiling it.
    """
    from numba import njit

    from modn.fast.compilers import PartCompiler

    return njit(**COMMON | {"no_cpython_wrapper": True} | options, pipeline_class=PartCompiler)(function)


def inlined(function: Function) -> Any:
    """Decorator of a part that LLVM pastes into the functions that call it: there is no call."""
    return part(function, forceinline=True)
