"""What all tests share."""

import gc
import os

import pytest

# The tests run side by side, a process for each core: more threads would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.hookimpl(tryfirst=True)  # before tests are deselected by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that need the finished pipeline are slow; slow ones come first, so that all cores end together.

    The first of all makes the pipeline run; the others that need it come when it is there.
    """
    pipeline = [item for item in items if "finished" in getattr(item, "fixturenames", ())]
    for item in pipeline:
        item.add_marker(pytest.mark.slow)
    turns = dict.fromkeys(pipeline, 2) | dict.fromkeys(pipeline[:1], 0)

    def turn(item: pytest.Item) -> int:
        if item in turns:
            return turns[item]
        return 1 if item.get_closest_marker("slow") else 3

    items.sort(key=turn)


def pytest_collection_finish() -> None:
    """Spare the garbage collector what lives to the end, modules and tests: a third of a second each time."""
    gc.collect()
    gc.freeze()
