"""The cell store: one file per task, named by the fingerprint of everything that its result depends on.

It saves work and is never a second truth: without it, the same results are computed again. A damaged file is
removed with a warning, and its task computed again. Processes may share a store: each writes a temporary file
of its own and moves it into place.
"""

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from stages.config.schema import Runtime
from stages.io import files, machine, sources
from stages.io.entrypoint import StageError
from stages.io.runtime import Tasks, run_tasks

Arrays = dict[str, np.ndarray]
Seconds = dict[str, float]
Task = Callable[..., tuple[Arrays, Seconds]]

SECONDS = "seconds."  # how the names begin under which a file keeps how long its task took


class Result(NamedTuple):
    """What a task gave, how long it took, and whether that was earlier."""

    arrays: Arrays
    seconds: Seconds
    stored: bool


def remembered(
    runtime: Runtime,
    function: Task,
    tasks: Tasks,
    modules: Iterable[str],
    registries: sources.Registries | None = None,
    versions: Mapping[str, str] | None = None,
) -> Iterator[tuple[str, Result]]:
    """Yield the result of every task by its name: first those in the store, then the others, as they finish.

    A result depends on the arguments of its task, on the sources of the function and of `modules`, and on
    the versions of packages, those of `versions` among them.
    """
    store = Store(files.STORE, runtime.store_mib)
    imported = sources.closure([function.__module__, *modules], registries)
    _check_recorded(imported)
    sources_then = sources.digest(imported)
    common = {
        "function": f"{function.__module__}.{function.__qualname__}",
        "sources": sources_then,
        "versions": machine.versions() | dict(versions or {}),
        "processor": machine.processor(),
    }
    keys = {name: fingerprint({**common, "arguments": task}) for name, task in tasks.items()}
    missing = {}
    try:
        for name, task in tasks.items():
            result = store.get(keys[name])
            if result is None:
                missing[name] = task
            else:
                yield name, result
        for name, (arrays, seconds) in run_tasks(runtime, function, missing):
            if sources.digest(imported) == sources_then:
                store.put(keys[name], arrays, seconds)
            else:  # a worker may have read the edited ones
                _check_recorded(imported)
            yield name, Result(arrays, seconds, stored=False)
    finally:
        store.trim()


def _check_recorded(imported: Collection[Path]) -> None:
    """Refuse to work for DVC by other sources than the stage `sources` has hashed for its lock.

    Else a source could be edited while a run is at work, and changed back: the lock would never know.
    """
    if "DVC_STAGE" not in os.environ:  # called by hand: no lock says what this is
        return
    recorded: dict[str, str] = {}
    for path in files.SOURCES.rglob("*.json"):
        recorded |= files.read_json(path)
    for name, now in sources.hashes(imported).items():
        if recorded.get(name) != now:
            raise StageError(f"{name} was edited while the pipeline was at work; rerun the same command")


def fingerprint(causes: Mapping[str, Any]) -> str:
    """A name for what follows from these causes: values, arrays and dataclasses of them."""
    return hashlib.sha256(json.dumps(_plain(causes), sort_keys=True).encode()).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        content = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return [str(value.dtype), list(value.shape), content]
    if isinstance(value, np.generic):
        return value.item()
    if is_dataclass(value):
        members = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        return [type(value).__qualname__, members]
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"{value!r} cannot be part of a fingerprint")


def _warn(text: str) -> None:
    print(f"store: {text}", file=sys.stderr, flush=True)


class Store:
    """Results by fingerprint, in a folder that is kept below a size."""

    def __init__(self, folder: Path, mebibytes: int) -> None:
        self.folder, self.limit = folder, mebibytes * 2**20
        self.warned = False  # that it cannot be written

    def get(self, key: str) -> Result | None:
        """What was stored under a fingerprint; None: nothing, or nothing that can be read."""
        path = self._path(key)
        try:
            stored = files.read_arrays(path)
            seconds = {
                name.removeprefix(SECONDS): float(stored.pop(name))
                for name in list(stored)
                if name.startswith(SECONDS)
            }
        except FileNotFoundError:
            return None
        except (StageError, TypeError, ValueError, OSError):
            _warn(f"{path.name} is damaged; it is computed again")
            with suppress(OSError):
                path.unlink()
            return None
        with suppress(OSError):  # a store that may only be read
            os.utime(path)  # the least recently used are dropped first
        return Result(stored, seconds, stored=True)

    def put(self, key: str, arrays: Arrays, seconds: Seconds) -> None:
        """Store a result under a fingerprint; if that fails, it is not stored."""
        path = self._path(key)
        spent = {f"{SECONDS}{name}": np.array(value) for name, value in seconds.items()}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(files.PART, ".", path.parent)
            temporary = Path(name)
            try:
                with os.fdopen(handle, "wb") as stream:
                    files.save_arrays(stream, arrays | spent)
                temporary.chmod(0o644)
                temporary.replace(path)
            finally:
                temporary.unlink(missing_ok=True)
        except OSError as error:
            if not self.warned:
                _warn(f"{self.folder.name} cannot be written ({error.strerror}); results are not kept there")
            self.warned = True

    def trim(self) -> None:
        """Remove the least recently used files, what a killed process was writing among them."""
        found = []
        for path in self.folder.glob("*/*"):
            with suppress(FileNotFoundError):  # another process was faster
                status = path.stat()
                found.append((status.st_mtime_ns, status.st_size, path))
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= self.limit:
                break
            with suppress(OSError):
                path.unlink()
            total -= size

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.npz"
