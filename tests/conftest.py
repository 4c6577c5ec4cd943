"""What all tests share."""

import gc
import json
import os
from functools import cache
from importlib import metadata

import machine_code
import pytest
from sharing import made_once

# The tests run side by side, a process for each core: more threads would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
machine_code.share()
# A fit asks for it once, which takes a third of a second; what is installed stays the same meanwhile.
metadata.packages_distributions = cache(metadata.packages_distributions)


def pytest_sessionstart(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):  # before there are others
        machine_code.forget()


# What is made once for all processes: the turn of the first test that needs it, which makes it, and that of
# the others, which come when it is there. The site comes later, with the kernels compiled.
MADE_ONCE = {
    "finished": (0, 3),
    "printed": (0, 3),
    "softened": (2, 4),
    "widened": (2, 4),
    "site": (2, 4),
}
SLOW, FAST = 1, 5


@pytest.hookimpl(tryfirst=True)  # before tests are deselected by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that need the finished pipeline are slow; slow ones come first, so that all end together."""
    turns: dict[pytest.Item, int] = {}
    for name, (first, later) in MADE_ONCE.items():
        users = [item for item in items if name in getattr(item, "fixturenames", ())]
        turns |= dict.fromkeys(users, later) | dict.fromkeys(users[:1], first)
        if name != "site":
            for item in users:
                item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: turns.get(item, SLOW if item.get_closest_marker("slow") else FAST))


def pytest_collection_finish() -> None:
    """Spare the garbage collector what lives to the end, modules and tests: a third of a second each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def printed(request: pytest.FixtureRequest) -> dict[str, list[str]]:
    """What the blocks of each page, and each example, print."""
    import scripts  # here, since it needs what only those tests need

    folder = made_once(request, "printed", scripts.run)
    found: dict[str, list[str]] = json.loads((folder / scripts.PRINTED).read_text())
    return found
