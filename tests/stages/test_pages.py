"""The published pages: one for each report in git, and an index of them."""

from pathlib import Path

import pytest
from copies import ROOT
from made_up import Numbers, made_up

from stages.io.entrypoint import StageError
from stages.tools import pages


def test_every_report_has_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = made_up(tmp_path / "project", monkeypatch)
    project.report(Numbers(), "mine")
    assert pages.build(project.root / "reports", tmp_path / "site") == ["mine", "quick"]
    index = (tmp_path / "site/index.html").read_text()
    for profile in ("mine", "quick"):
        assert f'<a href="{profile}/">' in index
        page = (tmp_path / "site" / profile / "index.html").read_text()
        assert f"<title>MODN, profile {profile}</title>" in page
        assert "How it was made" in page and "fit baselines knn (restored)" in page


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"versions": 1'])
def test_a_damaged_provenance_is_named(tmp_path: Path, content: str) -> None:
    folder = tmp_path / "reports/mine"
    folder.mkdir(parents=True)
    (folder / "report.md").write_text("# Mine\n")
    (folder / "provenance.json").write_text(content)
    with pytest.raises(StageError, match=r"mine/provenance\.json is damaged; `dvc repro` restores it"):
        pages.build(tmp_path / "reports", tmp_path / "site")


def test_without_reports_there_is_nothing_to_publish(tmp_path: Path) -> None:
    with pytest.raises(StageError, match="holds no report"):
        pages.build(tmp_path, tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_the_committed_reports_can_be_published(tmp_path: Path) -> None:
    assert {"paper", "quick"} <= set(pages.build(ROOT / "reports", tmp_path))
    assert (tmp_path / "paper/provenance.json").exists()
    assert (tmp_path / "paper/index.html").read_text(encoding="utf-8").count("<img") >= 5
