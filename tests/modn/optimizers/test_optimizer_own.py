"""A new optimizer is one new file: the example of docs/optimizers.md, as printed there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import modn

PAGE = Path(__file__).resolve().parents[3] / "docs" / "optimizers.md"

USE_IT = """
import numpy as np
from modn import methods
from modn.optimizers import Space, make, minimize, names
assert "hill_climbing" in names() and methods.learns_filter("hill_climbing")
climber, rng = make("hill_climbing"), np.random.default_rng(0)
bits = minimize(climber, Space.bits(12), lambda x: x.sum(axis=1), 40, rng)
assert bits.best_cost == 0 and bits.evaluations == 820
box = Space.box([-5.0, 0.0], [4.0, 9.0])
found = minimize(climber, box, lambda x: ((x - 1) ** 2).sum(axis=1), 200, rng)
assert found.best_cost < 0.01
"""


def test_the_printed_example_is_an_optimizer(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (example,) = (block for block in blocks if "@register" in block)
    assert len(example.splitlines()) <= 40
    package = Path(modn.__file__).parent
    shutil.copytree(package, tmp_path / "modn", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "modn" / "optimizers" / "hill_climbing.py").write_text(example)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]])}
    subprocess.run([sys.executable, "-c", USE_IT], check=True, cwd=tmp_path, env=environment)
