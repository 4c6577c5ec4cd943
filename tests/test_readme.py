"""The README: two screens, whose numbers and outputs are those of the code and the committed report."""

import re
from pathlib import Path

import pytest
from PIL import Image

from benchmarks import readme_circuits
from website import headline, outputs, picture

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TWO_SCREENS = 105  # lines, without the circuits, which are folded
FOLDED = re.compile(r"(?<=</summary>).*?(?=</details>)", flags=re.DOTALL)
WORDS = ("MODN", "P", "MODNP", "MODNF", "DNM", "circuit", "cell", "study", "profile", "protocol")


def test_it_has_two_screens() -> None:
    assert len(FOLDED.sub("", README).splitlines()) <= TWO_SCREENS
    assert len(FOLDED.findall(README)) == len(readme_circuits.DATASETS)
    first = outputs.BLOCK.search(README)
    assert first is not None
    code = first["code"]
    assert len([line for line in code.splitlines() if line]) <= 8


def test_the_headline_results_are_the_report_s() -> None:
    """If not: `make quotes`."""
    (block,) = headline.BLOCK.findall(README)
    assert block == headline.block()


def test_the_headline_results_are_those_that_the_report_prints() -> None:
    report = (ROOT / "reports/paper/report.md").read_text(encoding="utf-8")
    found = re.search(r"\| all \| (\d+) \| ([\d.]+)", report), re.search(r"\| BBO \| \d+ \| ([\d.]+)", report)
    assert found[0] is not None and found[1] is not None
    cells, everything, bbo = *found[0].groups(), *found[1].groups()
    assert f"to the {cells} printed" in README
    assert f"{everything} off on average" in README and f"best optimizer, {bbo} |" in README
    held = len(re.findall(r"^\|.*\| \*\*holds\*\*", report, flags=re.MULTILINE))
    assert re.search(rf"\| {held} of \d+ hold", README)


def test_the_picture_shows_the_circuit_of_the_example() -> None:
    """If not: `make outputs`."""
    with Image.open(picture.PATH) as image:
        circuit = image.text[picture.KEY]
        assert image.width > 900 and picture.PATH.stat().st_size < 100_000
    first = outputs.BLOCK.search(README)
    assert first is not None and first["output"].endswith(f"\n{circuit}\n")


def test_it_explains_its_words() -> None:
    for word in WORDS:
        assert f"**{word}**" in README, word


@pytest.mark.parametrize("command", ["pip install", "make repro", "make test", "make docs", "dvc exp run -S"])
def test_it_names_the_commands(command: str) -> None:
    assert command in README


@pytest.mark.usefixtures("printed")  # whose kernels are for the same target
def test_the_circuits_are_those_of_the_code() -> None:
    """If not: `python -m benchmarks.readme_circuits --write`."""
    shown = README.split(readme_circuits.BEGIN)[1].split(readme_circuits.END)[0]
    assert readme_circuits.portable_block("breast_cancer") in shown
    for circuit in re.findall(r"```text\n(.*?)\n```", shown, flags=re.DOTALL):
        assert len(circuit.splitlines()) <= 10
