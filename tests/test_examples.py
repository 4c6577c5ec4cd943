"""The examples run and print what they promise."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def output(name: str, folder: Path | None = None) -> str:
    done = subprocess.run([sys.executable, EXAMPLES / name], cwd=folder, capture_output=True, text=True)
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


@pytest.mark.slow
def test_tour(tmp_path: Path) -> None:
    text = output("tour.py", tmp_path)
    unseen, circuit = (
        re.search(rf"{words}: ([\d.]+)", text) for words in ("has not seen", "on the test part")
    )
    assert unseen is not None and float(unseen[1]) > 0.94
    assert circuit is not None and float(circuit[1]) > 0.9
    printed = text.split("accuracy of the circuit")[0]
    rules = re.findall(r"^\d\. (.*): (?:benign|malignant) [+-]\d", printed, re.MULTILINE)
    assert len(rules) > 1 and sum(rule.count(" and ") + 1 for rule in rules) == 5, "five conditions"
    assert "\nTrue\n" in text and "def neuron(" in text
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {"tour.c", "tour.modn", "tour_circuit.png", "tour_neuron.png"}


@pytest.mark.slow
def test_tune() -> None:
    text = output("tune.py")
    assert re.search(r"12 candidates, \d+ of them pruned", text)
    found = re.search(r"'n_dendrites': (\d+), 'alpha_s': ([\d.]+), 'alpha_t': ([\d.]+)", text)
    assert found is not None and 4 <= int(found[1]) <= 40 and 1 <= float(found[2]) <= 20
    accuracy = re.search(r"has not seen: ([\d.]+)", text)
    assert accuracy is not None and float(accuracy[1]) > 0.85
