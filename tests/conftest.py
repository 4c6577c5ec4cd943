"""What all tests share."""

import pytest


@pytest.hookimpl(tryfirst=True)  # before tests are deselected by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that need the finished pipeline are slow, and go to one worker, so that it is run once."""
    for item in items:
        if "finished" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("pipeline"))
            item.add_marker(pytest.mark.slow)
