"""A new target is one file: everything else finds it by its name."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import modn
from modn import export

ROOT = Path(__file__).resolve().parents[3]
TARGET = """
from modn.explain.circuit import Circuit

KINDS = (Circuit,)
ALLOWED = {}


def write(circuit):
    return str(circuit)
"""
USE = """
import numpy as np
from modn import Circuit, export
from modn.explain.circuit import Condition, Feature
dendrites = ((Condition(0, "<", 2.0),),)
circuit = Circuit((Feature("x"),), np.array([0, 1]), dendrites, np.array([[2, 0]]), np.array([0, 1]))
assert "prose" in export.names()
assert circuit.to_prose() == export.prose(circuit) == str(circuit)
"""


def run(folder: Path, *arguments: str) -> str:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), os.environ["PYTHONPATH"]])}
    command = [sys.executable, *arguments]
    shown = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    return shown.stdout


@pytest.mark.slow
def test_a_file_is_enough(tmp_path: Path) -> None:
    shutil.copytree(
        Path(modn.__file__).parent, tmp_path / "modn", ignore=shutil.ignore_patterns("__pycache__")
    )
    (tmp_path / "modn/export/targets/prose.py").write_text(TARGET)
    run(tmp_path, "-c", USE)
    assert "prose" in run(tmp_path, "-m", "modn", "export", "--help")


def test_the_documentation_lists_every_target() -> None:
    page = (ROOT / "docs/export.md").read_text(encoding="utf-8")
    assert set(export.names()) <= set(re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE))
