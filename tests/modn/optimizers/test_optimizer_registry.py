"""Optimizers are found by name."""

import subprocess
import sys

import pytest

from modn.optimizers import make, names, parameters_class


def test_the_papers_six_and_adam_are_there() -> None:
    assert set(names()) >= {"bbo", "ga", "pso", "pbil", "es", "bp", "adam"}
    assert names() == sorted(names())


@pytest.mark.parametrize("name", names())
def test_make_gives_the_named_optimizer(name: str) -> None:
    optimizer = make(name, population=7)
    assert type(optimizer) is parameters_class(name)
    assert optimizer.name == name and optimizer.population == 7


def test_unknown_name_lists_the_allowed() -> None:
    with pytest.raises(ValueError, match=f"optimizer is 'nope'; allowed: {', '.join(names())}"):
        make("nope")


def test_unknown_parameter_lists_the_allowed() -> None:
    with pytest.raises(ValueError, match=r"pso has no parameter 'interia'; allowed: population, .*inertia"):
        make("pso", interia=0.7)


def test_importing_the_optimizers_is_light() -> None:
    heavy = "{'numba', 'pandas', 'scipy', 'sklearn'} & set(sys.modules)"
    code = f"import sys; from modn.optimizers import make; make('bbo'); assert not {heavy}, {heavy}"
    subprocess.run([sys.executable, "-c", code], check=True)
