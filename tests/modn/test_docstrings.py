"""The examples in docstrings."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import modn


def with_examples() -> list[str]:
    """The modules whose docstrings hold examples."""
    folder = Path(modn.__file__).parent
    files = [path for path in folder.rglob("*.py") if ">>> " in path.read_text(encoding="utf-8")]
    names = [".".join(("modn", *path.relative_to(folder).with_suffix("").parts)) for path in files]
    return sorted(name.removesuffix(".__init__") for name in names)


def test_what_users_call_has_examples() -> None:
    names = ("estimators.modn", "estimators.dnm", "explain.rules", "inputs", "persistence", "training")
    assert {f"modn.{name}" for name in names} <= set(with_examples())


@pytest.mark.parametrize("module", with_examples())
def test_examples_in_docstrings(module: str) -> None:
    failed, attempted = doctest.testmod(import_module(module))
    assert attempted > 0 and failed == 0
