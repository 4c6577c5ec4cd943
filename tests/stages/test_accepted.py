"""A params.yaml that was accepted is read without Hydra, until anything changes by which it was judged."""

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from copies import LITTLE, ROOT, Place, Project, composed_text

from stages.config import composition, hydra_conf
from stages.config.kept import MOST, Kept
from stages.config.schema import Parameters


@pytest.fixture
def checked(place: Place, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """A project whose params.yaml was accepted, and what was checked since then."""
    (place.root / "params.yaml").write_text(composed_text())
    for package in ("modn/optimizers", "stages/config"):
        shutil.copytree(ROOT / package, place.root / package)
    monkeypatch.setattr(composition, "CODE", place.root)
    found: list[object] = []
    check = hydra_conf.check_parameters
    monkeypatch.setattr(hydra_conf, "check_parameters", lambda values: found.append(values) or check(values))
    monkeypatch.setattr(hydra_conf, "_checked", {})
    composition.compose_stage([])
    assert len(found) == 1
    found.clear()
    return found


def read(monkeypatch: pytest.MonkeyPatch) -> Parameters:
    """As a new process does it: it remembers nothing."""
    monkeypatch.setattr(hydra_conf, "_checked", {})
    return composition.compose_stage([])


def test_it_is_read_again_as_it_was(checked: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    again = read(monkeypatch)
    assert checked == []
    shutil.rmtree(composition.ROOT / ".dvc/tmp/accepted")
    assert again == read(monkeypatch) and len(checked) == 1


CAUSES = {
    "params.yaml": "# edited\n",
    "conf/optimizers/bbo.yaml": "# edited\n",
    "conf/datasets/mine.yaml": "# a new choice\n",
    "modn/optimizers/bbo.py": "# edited\n",
    "stages/config/checks.py": "# edited\n",
    "requirements.lock": "omegaconf==0\n",
}


@pytest.mark.parametrize("cause", CAUSES)
def test_whatever_could_change_the_judgement_makes_it_checked_again(
    checked: list[object], cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (composition.ROOT / cause).open("a") as file:
        file.write(CAUSES[cause])
    read(monkeypatch)
    assert len(checked) == 1


def test_an_edit_by_hand_is_refused_every_time(
    checked: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = composition.ROOT / "params.yaml"
    path.write_text(path.read_text().replace("alpha_s: 10.0", "alpha_s: 5.0"))
    for _ in range(2):
        with pytest.raises(ValueError, match=r"params\.yaml is composed, not edited by hand"):
            read(monkeypatch)


def test_overrides_are_checked(checked: list[object]) -> None:
    with pytest.raises(ValueError, match="alpha_s is -1"):
        composition.compose_stage(["alpha_s=-1"])


@pytest.mark.parametrize("damage", ["", "{", "null"])
def test_a_damaged_record_is_none(
    checked: list[object], damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (record,) = (composition.ROOT / ".dvc/tmp/accepted").iterdir()
    whole = record.read_text()
    record.write_text(damage)
    read(monkeypatch)
    assert len(checked) == 1 and record.read_text() == whole


def test_what_json_would_change_is_not_kept(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as a number for a name."""
    accepted = replace(place.parameters(*LITTLE), models={"own": {1: 2}})
    monkeypatch.setattr(hydra_conf, "compose_stage", lambda *_: accepted)
    assert composition.compose_stage([]) == accepted
    assert not (place.root / ".dvc/tmp/accepted").exists()


@pytest.mark.parametrize("edited", ["params.yaml", "modn/optimizers/bbo.py"])
def test_what_is_edited_while_it_is_checked_is_not_kept(
    checked: list[object], edited: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the values of the one would be read for the other, once the edit is taken back."""
    shutil.rmtree(composition.ROOT / ".dvc/tmp/accepted")
    compose = hydra_conf.compose_stage

    def edit_and_compose(*arguments: Any) -> Parameters:
        with (composition.ROOT / edited).open("a") as file:
            file.write("# edited\n")
        return compose(*arguments)

    monkeypatch.setattr(hydra_conf, "compose_stage", edit_and_compose)
    read(monkeypatch)
    assert not (composition.ROOT / ".dvc/tmp/accepted").exists()


def test_the_latest_values_are_kept(tmp_path: Path) -> None:
    (tmp_path / ".dvc").mkdir()
    cause = tmp_path / "cause"
    for number in range(MOST + 3):
        cause.write_text(str(number))
        Kept(tmp_path, "numbers", lambda: [cause]).write(number)
    found = [json.loads(path.read_text()) for path in (tmp_path / ".dvc/tmp/numbers").iterdir()]
    assert len(found) == MOST and Kept(tmp_path, "numbers", lambda: [cause]).read() == MOST + 2
    assert Kept(tmp_path, "numbers", lambda: [cause], "other").read() is None
    Kept(tmp_path / "elsewhere", "numbers", lambda: [cause]).write(1)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.slow
def test_a_stage_of_an_accepted_file_starts_without_hydra(sources: Project) -> None:
    sources.succeed("python", "-m", "stages.tools.params", "--show")
    code = (
        "import sys; from stages.tools import params; sys.argv = ['params', '--show']; params.main()\n"
        "print([name for name in ('hydra', 'omegaconf', 'numba', 'scipy') if name in sys.modules])"
    )
    assert sources.succeed(sys.executable, "-c", code) == "params: profile quick\n[]\n"
