"""The README: its numbers are the committed report's, its example runs."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def committed(path: str) -> str:
    """As git has it: a run of another kind may have left its own report in the folder."""
    shown = subprocess.run(["git", "show", f"HEAD:{path}"], cwd=ROOT, capture_output=True, text=True)
    return shown.stdout if shown.returncode == 0 else (ROOT / path).read_text(encoding="utf-8")


def test_the_table_of_results_is_the_reports() -> None:
    found = re.search(r"<!-- results: as in (\S+) -->.*?(\|.*\|\n)<!-- /results -->", README, flags=re.DOTALL)
    assert found is not None
    path, table = found.groups()
    assert table.startswith("| optimizer | cells |") and table.count("\n") == 9
    assert table in committed(path)


def test_the_classifiers_numbers_are_the_reports() -> None:
    found = re.search(r"<!-- baselines: as in (\S+) -->\n(.*?)<!-- /baselines -->", README, flags=re.DOTALL)
    assert found is not None
    header, _, *rows = found[2].strip().splitlines()
    lines = committed(found[1]).splitlines()
    assert any(line.startswith(header.rstrip("|")) for line in lines) and len(rows) >= 8
    for row in rows:
        assert any(line.startswith(row.rstrip("|")) for line in lines), row


def test_the_time_it_took_is_the_reports() -> None:
    text = " ".join(README.split())
    found = re.search(r"took (\d+) minutes on two cores, (\d+) of them training and fitting", text)
    assert found is not None
    whole, tasks = (int(minutes) for minutes in found.groups())
    made = json.loads(committed("reports/paper/provenance.json"))
    assert tasks == round(made["wall_seconds"] / 60) <= whole
    assert made["cores"] == 2


def test_what_it_links_to_is_there() -> None:
    links = [link for link in re.findall(r"\]\(([^)#]+)", README) if "://" not in link]
    assert len(links) > 5
    for link in links:
        assert (ROOT / link).exists(), link


def test_every_folder_of_the_layout_is_there() -> None:
    layout = re.search(r"## Layout\n.*?```\n(.*?)```", README, flags=re.DOTALL)
    assert layout is not None
    above = ""
    listed = set()
    for line in layout[1].splitlines():
        name = line.split()[0]
        above = above if line.startswith(" ") else name
        path = above + name if line.startswith(" ") else name
        assert (ROOT / path).exists(), path
        listed.add(path)
    folders = [path for path in (*ROOT.glob("[a-z]*/"), *ROOT.glob("modn/*/"), *ROOT.glob("stages/*/"))]
    tracked = [path for path in folders if any(path.rglob("*.py")) and path.name != "__pycache__"]
    assert {f"{path.relative_to(ROOT)}/" for path in tracked} <= listed


def test_the_glossary_defines_each_word_once() -> None:
    words = re.findall(r"^\| ([\w ]+) \|", README[README.index("## Glossary") :], flags=re.MULTILINE)
    assert len(words) == len(set(words))
    assert {"dataset", "run", "cell", "study", "profile", "protocol", "model", "optimizer", "method"} < set(
        words
    )
    assert {"baseline", "filter P", "dendrite", "synapse", "telodendron"} < set(words)


def example(number: int, folder: Path) -> str:
    """What an example prints, run in a folder of its own."""
    code = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)[number]
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_example_of_the_classifier_runs(tmp_path: Path) -> None:
    accuracy, *lines = example(0, tmp_path).splitlines()
    assert float(accuracy) > 0.9
    assert any(re.search(r"petal length \(cm\) [<>] [\d.]+.* -> \d", line) for line in lines)
    assert lines[-1] == "[0 0 0]"


@pytest.mark.slow
def test_the_example_of_a_bare_neuron_runs(tmp_path: Path) -> None:
    accuracy, *states = re.findall(r"[\w.]+", example(1, tmp_path))
    assert float(accuracy) > 0.6
    assert set(states) <= {"inoperative", "exclusive", "communal"} and len(states) == 12


@pytest.mark.slow
def test_the_example_of_the_optimizers_runs(tmp_path: Path) -> None:
    assert float(example(2, tmp_path)) < 0.1
    assert (tmp_path / "search.npz").exists()
