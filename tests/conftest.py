"""What all tests share."""

import gc
import os

import pytest

# The tests run side by side, a process for each core: more threads would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.hookimpl(tryfirst=True)  # before tests are deselected by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that need the finished pipeline are slow, and go to one worker, so that it is run once."""
    for item in items:
        if "finished" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("pipeline"))
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Spare the garbage collector what lives to the end, modules and tests: a third of a second each time."""
    gc.collect()
    gc.freeze()
