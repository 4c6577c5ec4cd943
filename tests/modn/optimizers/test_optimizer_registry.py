"""Optimizers are found by name; a new one is one new file."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import modn
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


NEW_OPTIMIZER = '''
"""Random search."""

from dataclasses import dataclass
from typing import ClassVar

from modn.optimizers.core.base import Optimizer, State, register


@register("randomsearch")
@dataclass(frozen=True)
class RandomSearch(Optimizer):
    """Parameters of random search."""

    def _init(self, space, rng):
        return State(space, 0, space.sample(1, rng)[0], float("inf"))

    def ask(self, state, rng):
        return state.space.sample(self.population, rng)

    def _tell(self, state, candidates, costs, rng, gradients):
        return state
'''

USE_IT = """
import numpy as np
from modn.optimizers import Space, make, minimize, names
assert "randomsearch" in names()
found = minimize(make("randomsearch"), Space.bits(4), lambda x: x.sum(axis=1), 20, np.random.default_rng(0))
assert found.best_cost == 0 and found.evaluations == 2100
"""


def test_a_new_optimizer_is_one_new_file(tmp_path: Path) -> None:
    package = Path(modn.__file__).parent
    shutil.copytree(package, tmp_path / "modn", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "modn" / "optimizers" / "randomsearch.py").write_text(NEW_OPTIMIZER)
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    subprocess.run([sys.executable, "-c", USE_IT], check=True, cwd=tmp_path, env=environment)


def test_importing_the_optimizers_is_light() -> None:
    heavy = "{'numba', 'pandas', 'scipy', 'sklearn'} & set(sys.modules)"
    code = f"import sys, modn; before = {heavy}; import modn.optimizers; assert {heavy} == before, {heavy}"
    subprocess.run([sys.executable, "-c", code], check=True)
