"""The examples in the docstrings of what users call."""

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize("module", ["modn.estimators", "modn.explain", "modn.persistence"])
def test_examples_in_docstrings(module: str) -> None:
    failed, attempted = doctest.testmod(import_module(module))
    assert attempted > 2 and failed == 0
