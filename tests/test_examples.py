"""The examples run and print what they promise."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def output(name: str) -> str:
    done = subprocess.run([sys.executable, EXAMPLES / name], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_iris_rules() -> None:
    text = output("iris_rules.py")
    accuracy = re.search(r"has not seen: ([\d.]+)", text)
    assert accuracy is not None and float(accuracy[1]) > 0.85
    assert re.search(r"petal length \(cm\) [<>] [\d.]+.* -> \w+", text)
    assert "Accuracy on 45 samples" in text
    assert text.endswith("the same from its file: True\n")


@pytest.mark.slow
def test_grid_search() -> None:
    text = output("grid_search.py")
    assert len(re.findall(r"\d+ dendrites: 0\.\d+ in cross-validation", text)) == 3
    accuracy = re.search(r"has not seen: ([\d.]+)", text)
    assert accuracy is not None and float(accuracy[1]) > 0.8


@pytest.mark.slow
def test_forecast() -> None:
    text = output("forecast.py")
    scores = {
        name: [float(x) for x in re.findall(r"now\+\d +(-?[\d.]+)", line)]
        for name, line in re.findall(r"  (MODN|ridge|last value) (.*)", text)
    }
    assert all(len(of_horizons) == 4 for of_horizons in scores.values())
    assert sum(scores["MODN"]) > max(sum(scores["ridge"]), sum(scores["last value"]))
    assert re.search(r"now.* [<>] -?[\d.]+.*: adds [+-][\d.]+ to now\+1", text)
