"""What is made once for all processes that run the tests."""

import os
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import psutil
import pytest

PATIENCE = 1800  # seconds to wait for another process, while it lives


def made_once(request: pytest.FixtureRequest, name: str, make: Callable[[Path], None]) -> Path:
    """A folder that the first process to ask for it has filled; the others wait until it is complete.

    They may read and copy what is in it at the same time, so no test may change it.
    """
    base = request.getfixturevalue("tmp_path_factory").getbasetemp()
    if hasattr(request.config, "workerinput"):  # each worker has a folder of its own in a common one
        base = base.parent
    folder, made, failed = (base / f"shared-{name}{suffix}" for suffix in ("", ".made", ".failed"))
    maker = base / f"shared-{name}.maker"
    try:
        folder.mkdir()
    except FileExistsError:
        begin = monotonic()
        while not made.exists():
            alive = not maker.exists() or psutil.pid_exists(int(maker.read_text() or 1))
            assert alive and not failed.exists(), f"{name} could not be made by another process"
            assert monotonic() - begin < PATIENCE, f"{name} was not made by another process"
            sleep(0.1)
        return folder
    try:
        maker.write_text(str(os.getpid()))
        make(folder)
    except BaseException:
        failed.touch()
        raise
    made.touch()
    return folder
