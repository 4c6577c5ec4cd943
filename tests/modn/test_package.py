"""The package's front door: the names that other work relies on, imported late."""

import subprocess
import sys

import pytest

import modn


@pytest.mark.parametrize("name", modn.__all__)
def test_every_promised_name_is_there(name: str) -> None:
    assert getattr(modn, name).__name__.rpartition(".")[2] == name
    assert name in dir(modn)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        modn.nope  # noqa: B018


def test_its_modules_need_no_import_of_their_own() -> None:
    code = "import modn; modn.explain.rules, modn.plots.neuron"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_package_alone_imports_nothing_heavy() -> None:
    code = "import sys, modn; sys.exit(bool({'numpy', 'numba', 'pandas'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
