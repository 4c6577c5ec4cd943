"""The files of trained models: written from a run, read by modn.load, as good as the table says."""

import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from copies import ROOT, Project

import modn
from modn import csv_file
from stages import fetch
from stages.config import composition
from stages.config.schema import Split
from stages.split import parts_of
from stages.study import cleaning
from stages.tools import pretrained

# What the files do not depend on: without it, the parameters are composed in half the time.
UNUSED = ("datasets/targets=[]", "arena.datasets=[]", "readable=[tree]", "predictors=[linear]")


@pytest.mark.slow
def test_the_models_of_a_run(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a command, in a project whose study has MODNF by BBO and a circuit of iris."""
    (project.root / "docs").mkdir(exist_ok=True)
    (project.root / "docs/pretrained.md").write_bytes((ROOT / "docs/pretrained.md").read_bytes())
    code = (
        "from stages.tools import pretrained\n"
        "pretrained.METHODS = ('modnf-bbo', 'modn-adam')\n"
        "pretrained.main()\n"
    )
    said = project.succeed("python", "-c", code)
    folder = project.root / "data/pretrained"
    table = pd.read_csv(folder / "table.csv")
    assert set(table["method"]) == {"modnf-bbo", "circuit"} and set(table["dataset"]) == {"iris", "caesarian"}
    assert f"pretrained: {len(table)} files" in said
    for row in table.itertuples():
        model = modn.load(folder / row.file)
        assert isinstance(model, modn.Circuit if row.method == "circuit" else modn.MODNClassifier)
        tidy = pd.read_csv(project.root / f"data/tables/{row.dataset}.csv")
        answers = model.predict(tidy.iloc[:, :-1])
        assert set(answers) <= set(tidy.iloc[:, -1].astype(str)) and 0 <= row.accuracy <= 1
        assert row.bytes == (folder / row.file).stat().st_size < 100_000
    page = (project.root / "docs/pretrained.md").read_text()
    assert "| dataset | modnf-bbo | circuit |" in page and "| Iris |" in page and pretrained.NONE not in page


def test_the_page_shows_the_table_of_the_committed_files() -> None:
    found = re.search(pretrained.BLOCK, (ROOT / "docs/pretrained.md").read_text(encoding="utf-8"))
    path = ROOT / "data/pretrained/table.csv"
    table = pd.read_csv(path) if path.exists() else None
    assert found is not None and found[0] == pretrained.shown(table)
    for name in [] if table is None else table["file"]:
        modn.load(path.parent / name)


@pytest.mark.slow
def test_the_committed_files_reach_what_their_table_says() -> None:
    """On test rows that are made again, from the data in git and the parameters of their profile."""
    table = pd.read_csv(ROOT / "data/pretrained/table.csv")
    (profile,) = set(table["profile"])
    composition.register()
    parameters = composition.compose_plan([f"profile={profile}", *UNUSED])
    resplits = parameters.derived["resplits"]["baselines"]  # those of the study `circuits`, too
    sound = Split(protocol="sound", seed=parameters.seed, count=1)
    for row in table.itertuples():
        recipe = parameters.datasets[row.dataset]
        content = fetch.clean(fetch.read(recipe), row.dataset, recipe).to_csv(index=False).encode()
        of_circuits = row.method == pretrained.CIRCUIT
        sizes = resplits["test_sizes"] if of_circuits else parameters.derived["test_sizes"]
        choice = sound if of_circuits else parameters.split
        parts = parts_of(content, row.dataset, sizes[row.dataset], replace(choice, count=1))
        tested = parts["test_rows"][0]
        tidy = csv_file.parse(content, row.file)
        X, labels = cleaning.features_and_labels(tidy)
        frame = pd.DataFrame(X, columns=tidy.columns[:-1]).iloc[tested]
        right = modn.load(ROOT / "data/pretrained" / row.file).predict(frame) == labels[tested]
        assert len(tested) == row.test_rows and right.mean() == pytest.approx(row.accuracy, abs=1e-6), (
            row.file
        )


def test_the_page_is_updated(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- pretrained -->\nold\n<!-- /pretrained -->\nb\n")
    rows = [("Iris", "modn-bbo", 0.9, 2000), ("Iris", "circuit", 0.95, 1000), ("Wine", "modn-bbo", 1.0, 1500)]
    table = pd.DataFrame(rows, columns=["title", "method", "accuracy", "bytes"]).assign(profile="smoke")
    pretrained.update_page(table, page)
    assert page.read_text() == (
        "a\n<!-- pretrained -->\n| dataset | modn-bbo | circuit |\n| --- | ---: | ---: |\n"
        "| Iris | 0.9000 | 0.9500 |\n| Wine | 1.0000 |  |\n\n"
        "3 files of profile `smoke`, 4 kB; accuracy on the rows that took no part in training.\n"
        "<!-- /pretrained -->\nb\n"
    )
    pretrained.update_page(None, page)
    assert pretrained.NONE in page.read_text()
