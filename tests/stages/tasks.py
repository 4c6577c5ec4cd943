"""What the tests' tasks do. Worker processes import it, so it imports little."""

import os
import signal
import time
from pathlib import Path


def work(name: str) -> str:
    """Each task by its name."""
    if name == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if name == "fails":
        return str(1 / 0)
    if name == "refuses":
        raise ValueError("M is 3; allowed: multiples of 2")
    return f"{name} done"


def meet(path: Path, comes_first: bool) -> str:
    """Wait for the other one, or be the one that is waited for."""
    if comes_first:
        for _ in range(600):
            if path.exists():
                time.sleep(1)  # until the other's result has come, on a busy machine too
                return "first"
            time.sleep(0.1)
    path.touch()
    return "second"
