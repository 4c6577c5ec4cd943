"""The source files behind a result: what modules import, found without running them.

Imports count wherever in a file they stand, but for those that only a type checker sees. A package that
imports its modules by name (a registry) counts with all of them, unless the caller knows which are used.
The package stages.config is left out: it yields parameters, and those are causes of their own.
"""

import ast
import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OURS = ("modn", "stages")
LEFT_OUT = ("stages", "config")
REGISTRY = "iter_modules(__path__)"

Registries = Mapping[str, Collection[str]]  # package -> the modules of it that are used


def closure(modules: Iterable[str], registries: Registries | None = None) -> set[Path]:
    """The files of these modules and of all modules of the project that they import, directly or not."""
    found: set[Path] = set()
    waiting = set(modules)
    while waiting:
        parts = waiting.pop().split(".")
        if parts[0] not in OURS or tuple(parts[:2]) == LEFT_OUT:
            continue
        for depth in range(1, len(parts) + 1):  # a module is imported with the packages that it is in
            file = _file(".".join(parts[:depth]))
            if file is not None and file not in found:
                found.add(file)
                waiting |= set(_imported_by(file, registries or {}))
    return found


def digest(files: Collection[Path]) -> str:
    """A hash of the files' places and contents."""
    total = hashlib.sha256()
    for path in sorted(files):
        total.update(f"{path.relative_to(ROOT)}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def hashes(files: Iterable[Path]) -> dict[str, str]:
    """The SHA-256 of each file, by its place in the project."""
    return {
        path.relative_to(ROOT).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files
    }


def registered(package: str) -> list[str]:
    """All modules right in a package, sorted."""
    stems = sorted(path.stem for path in (ROOT / package.replace(".", "/")).glob("*.py"))
    return [f"{package}.{stem}" for stem in stems if stem != "__init__"]


def _file(module: str) -> Path | None:
    stem = ROOT / module.replace(".", "/")
    return next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()), None)


def _imported_by(path: Path, registries: Registries) -> Iterator[str]:
    """The modules that are imported with a file: those it names, and those of a registry."""
    text = path.read_text(encoding="utf-8")
    for module, name in _imports_of(text):
        yield module
        if name is not None and (home := _file(module)) is not None:
            yield f"{module}.{name}"
            yield from _homes(home, name)
    if REGISTRY in text and path != Path(__file__):
        package = ".".join(path.parent.relative_to(ROOT).parts)
        yield from registries.get(package, registered(package))


def _imports(tree: ast.AST) -> Iterator[tuple[str, str | None]]:
    """Modules, each with the name that is taken from it."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None and node.level == 0, "imports are absolute"
            yield from ((node.module, alias.name) for alias in node.names)
        else:
            yield from _imports(node)


def _homes(package: Path, name: str) -> Iterator[str]:
    """Where a package takes a name from, be it at its first use: the imports for type checkers say so."""
    for module, names in _taken_from(package.read_text(encoding="utf-8")):
        if name in names:
            yield module


@cache
def _imports_of(text: str) -> list[tuple[str, str | None]]:
    return list(_imports(ast.parse(text)))


@cache
def _taken_from(text: str) -> list[tuple[str, list[str]]]:
    """Modules with the names that are imported from each, wherever in a file."""
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    return [(str(node.module), [alias.name for alias in node.names]) for node in nodes]
