"""Where the tests keep machine code: in one place, so that copies of the same sources compile once.

Left to itself, numba keeps it beside each copy. `modn.fast.code_cache` checks its sources as it does there.
"""

import os
import shutil
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import Self

HERE = Path(__file__).resolve().parent
PLACE = HERE / "__pycache__/machine_code"
SHARED = ("fast", "optimizers/core")  # what functions of all folders of the package are compiled with


def share() -> None:
    """Make numba look here in this process and in those that it starts."""
    os.environ["NUMBA_CACHE_LOCATOR_CLASSES"] = f"{__name__}.ByContent"
    paths = [str(HERE), os.environ.get("PYTHONPATH")]
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)


def forget() -> None:
    """Remove what earlier sources have left."""
    package = HERE.parents[1] / "modn"
    current = {_folder(path) for path in package.rglob("*.py")}
    for folder in set(PLACE.glob("*")) - current:
        shutil.rmtree(folder, ignore_errors=True)


class ByContent:
    """A locator for numba: a function's machine code is in a folder named by the contents of its sources."""

    def __init__(self, function: FunctionType, file: str) -> None:
        self.folder, self.line = _folder(Path(file)), function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, function: FunctionType, file: str) -> Self | None:
        """None, as numba asks for, where the function is of no file."""
        if not Path(file).is_file():
            return None
        locator = cls(function, file)
        locator.ensure_cache_path()
        return locator

    def ensure_cache_path(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self.folder)

    def get_source_stamp(self) -> str:
        return self.folder.name

    def get_disambiguator(self) -> str:
        return str(self.line)


def _folder(path: Path) -> Path:
    package = next((folder for folder in path.parents if (folder / "py.typed").is_file()), path.parent)
    folders = sorted({path.parent, *(package / name for name in SHARED)})
    return PLACE / _digest(tuple(file for folder in folders for file in sorted(folder.glob("*.py"))))


@cache
def _digest(files: tuple[Path, ...]) -> str:
    contents = (file.name.encode() + b"\0" + file.read_bytes() for file in files if file.is_file())
    return sha256(b"\0".join([sys.version.encode(), *contents])).hexdigest()[:20]
