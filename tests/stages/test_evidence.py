"""Committed reports say whether this code made them: every cause that changed is named, and no other."""

import json
import re
import sys
from pathlib import Path

import pytest
from copies import ROOT, Place
from made_up import MadeUp, Numbers, made_up

from stages.config import composition
from stages.io.entrypoint import StageError
from stages.tools import evidence

pytestmark = pytest.mark.usefixtures("composed_once_only")


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MadeUp:
    composition.register()
    return made_up(tmp_path / "project", monkeypatch)


def quick(project: MadeUp) -> evidence.Evidence:
    return evidence.examine(project.root, "quick")


def provenance(project: MadeUp, **changes: object) -> None:
    path = project.root / "reports/quick/provenance.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.mark.slow
def test_nothing_changed(small: MadeUp) -> None:
    assert quick(small).current
    assert quick(small).line() == (
        "`reports/quick` was made by this code, with these parameters and package versions."
    )


def test_every_kind_of_change_is_named(small: MadeUp) -> None:
    small.write("modn/old.py", "")
    small.write("modn/neuron.py", "import modn.old\n")
    small.report(Numbers())
    small.write("modn/neuron.py", "import modn.new\n")
    small.write("modn/new.py", "")
    small.write("modn/aside.py", "NO_STAGE_IMPORTS_IT = True\n")
    (small.root / "modn/old.py").unlink()
    small.parameters(alpha_s=5)
    small.write("requirements.lock", "numpy==2.2.0\npandas==4.0\n")
    found = quick(small)
    assert (found.changed, found.added, found.removed) == (
        ["modn/neuron.py"],
        ["modn/new.py"],
        ["modn/old.py"],
    )
    assert not found.current
    assert found.line() == (
        "`reports/quick` was made before these changed: sources in `modn`; parameters; "
        "numpy (2.0.0 to 2.2.0). It has not been rerun since."
    )
    assert found.details().splitlines()[1:] == [
        "  changed: modn/neuron.py",
        "  new: modn/new.py",
        "  removed: modn/old.py",
    ]
    assert "3 sources (`modn/neuron.py`, `modn/new.py`, `modn/old.py`); parameters" in found.markdown()


@pytest.mark.parametrize("sources", [None, {}, "x"])
def test_a_report_without_fingerprints_is_an_earlier_version_s(small: MadeUp, sources: object) -> None:
    provenance(small, sources=sources)
    assert not quick(small).current
    assert quick(small).line() == (
        "`reports/quick` was made by an earlier version of the code, which kept no fingerprint of its "
        "sources. It has not been rerun since."
    )


@pytest.mark.slow
def test_a_version_that_is_locked_for_another_python_is_no_change(small: MadeUp) -> None:
    for version, changed in (("2.0.0", False), ("2.1.0", False), ("2.2.0", True)):
        provenance(small, versions={"numpy": version, "python": "3.99", "modn": "0"})
        assert bool(quick(small).packages) is changed


def test_files_outside_are_not_looked_at(small: MadeUp) -> None:
    provenance(small, sources={"../README.md": "0", "/etc/hostname": "0", "modn/neuron.py": "0"})
    found = quick(small)
    assert found.removed == ["../README.md", "/etc/hostname"]
    assert found.changed == ["modn/neuron.py"]


@pytest.mark.parametrize("content", ["", "[1]", "{", '"text"'])
def test_a_damaged_provenance_is_named(small: MadeUp, content: str) -> None:
    small.write("reports/quick/provenance.json", content)
    with pytest.raises(StageError, match=r"reports/quick/provenance.json is damaged"):
        quick(small)


@pytest.mark.slow
def test_other_profiles_are_composed_from_conf(place: Place) -> None:
    sha256 = composition.compose_plan(["profile=paper"]).derived["sha256"]
    place.parameters("profile=quick")
    folder = place.root / "reports/paper"
    folder.mkdir(parents=True)
    (place.root / "requirements.lock").write_text("")
    for recorded, changed in ((sha256, False), ("0" * 64, True)):
        made = {"sources": {"conf/config.yaml": "0"}, "parameters_sha256": recorded}
        (folder / "provenance.json").write_text(json.dumps(made))
        assert evidence.examine(place.root, "paper").parameters is changed


def test_the_readme_says_what_is_true() -> None:
    """Old evidence is no failure, a README that hides it is; see `python -m stages.tools.evidence --help`."""
    composition.register()
    (line,) = evidence.LINE.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert line.strip() == evidence.examine(ROOT, evidence.OF_README).line()


def test_the_readme_s_line_is_updated(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("A\n<!-- evidence -->\nold\n<!-- /evidence -->\nB\n")
    assert evidence.update_readme(readme, r"new \1")
    assert readme.read_text() == "A\n<!-- evidence -->\nnew \\1\n<!-- /evidence -->\nB\n"
    assert not evidence.update_readme(readme, r"new \1")


@pytest.mark.slow
def test_all_reports_are_listed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["evidence"])
    evidence.main()
    profiles = {path.parent.name for path in ROOT.glob("reports/*/provenance.json")}
    said = capsys.readouterr().out
    assert set(re.findall(r"^`reports/(\w+)` was made", said, re.MULTILINE)) == profiles
