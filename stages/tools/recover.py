"""Remove what a killed DVC left half written, so that `dvc repro` resumes: python -m stages.tools.recover.

DVC writes two files in place: dvc.lock, without which it restores finished trainings from its cache, and
.dvc/tmp/rwlock, which lists the running processes. Nothing is removed while a DVC is at work. The exit code
is 1 if nothing was removed.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep

from stages.config import composition

WRITING_SECONDS = 0.5


def recover() -> list[Path]:
    """Remove dvc.lock and rwlock if DVC would fail on them; return what was removed."""
    lock, rwlock = composition.ROOT / "dvc.lock", composition.ROOT / ".dvc/tmp/rwlock"
    with _alone() as nobody_else:
        return _removed(lock, rwlock) if nobody_else else []


@contextmanager
def _alone() -> Iterator[bool]:
    """Hold DVC's lock of the project, as DVC does except while a stage runs; False: another holds it."""
    from dvc.lock import Lock, LockError

    folder = composition.ROOT / ".dvc/tmp"
    if not folder.is_dir():  # no DVC was ever at work
        yield True
        return
    held = Lock(str(folder / "lock"), tmp_dir=str(folder))
    try:
        held.lock()
    except LockError:
        yield False
        return
    try:
        yield True
    finally:
        held.unlock()


def _removed(lock: Path, rwlock: Path) -> list[Path]:
    holders = _holders(rwlock)
    if holders is None:  # a DVC may be writing it at this moment
        sleep(WRITING_SECONDS)
        holders = _holders(rwlock)
    if holders and any(map(_is_dvc, holders)):
        return []  # it runs a stage, and will write dvc.lock
    removed = [rwlock] if holders != [] else []
    removed += [lock] if lock.exists() and not _is_lock(lock) else []
    for path in removed:
        path.unlink()
    return removed


def _is_lock(path: Path) -> bool:
    from dvc.schema import COMPILED_LOCKFILE_SCHEMA
    from dvc.utils.serialize import ParseError, load_yaml
    from voluptuous import Invalid

    try:
        COMPILED_LOCKFILE_SCHEMA(load_yaml(path))
    except (ParseError, Invalid):
        return False
    return True


def _holders(path: Path) -> list[int] | None:
    """The processes in DVC's list of who is at work; None: it cannot be read."""
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        readers = [one for some in held.get("read", {}).values() for one in some]
        return [int(holder["pid"]) for holder in [*held.get("write", {}).values(), *readers]]
    except FileNotFoundError:
        return []
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _is_dvc(pid: int) -> bool:
    """Whether it is; another process may have the number of a dead one."""
    import psutil

    try:
        command = psutil.Process(pid).cmdline()
    except psutil.Error:
        return False
    return not command or "dvc" in " ".join(command)  # a process that is just starting has no command yet


def main() -> None:
    """Print what was removed."""
    argparse.ArgumentParser(prog="python -m stages.tools.recover", description=__doc__).parse_args()
    removed = recover()
    for path in removed:
        print(f"recover: removed {path.relative_to(composition.ROOT)}, which a killed DVC left behind")
    sys.exit(0 if removed else 1)


if __name__ == "__main__":
    main()
