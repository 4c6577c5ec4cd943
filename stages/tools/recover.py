"""Remove what a killed DVC left half written, so that `dvc repro` resumes: python -m stages.tools.recover.

DVC writes two files in place: dvc.lock, without which it restores finished trainings from its cache, and
.dvc/tmp/rwlock, which lists the running processes. The exit code is 1 if there was nothing to remove.
"""

import argparse
import json
import sys
from pathlib import Path

from stages.config import composition


def recover() -> list[Path]:
    """Remove dvc.lock and rwlock if DVC would fail on them; return what was removed."""
    lock, rwlock = composition.ROOT / "dvc.lock", composition.ROOT / ".dvc/tmp/rwlock"
    removed = [
        path for path, good in ((lock, _is_lock), (rwlock, _is_in_use)) if path.exists() and not good(path)
    ]
    for path in removed:
        path.unlink()
    return removed


def _is_lock(path: Path) -> bool:
    from dvc.schema import COMPILED_LOCKFILE_SCHEMA
    from dvc.utils.serialize import YAMLFileCorruptedError, load_yaml
    from voluptuous import Invalid

    try:
        COMPILED_LOCKFILE_SCHEMA(load_yaml(path))
    except (YAMLFileCorruptedError, Invalid):
        return False
    return True


def _is_in_use(path: Path) -> bool:
    """Whether a DVC is running; another process may have the number of a dead one."""
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError:
        return False
    holders = [
        *held.get("write", {}).values(),
        *(one for some in held.get("read", {}).values() for one in some),
    ]
    return not holders or any(_is_dvc(holder["pid"]) for holder in holders)


def _is_dvc(pid: int) -> bool:
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
