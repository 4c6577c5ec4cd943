"""The report: every section and figure in its place, and nothing missing without an error."""

import hashlib
import json
import re
import shutil
import sys
from dataclasses import replace
from math import nan
from pathlib import Path

import pandas as pd
import pytest
from copies import ROOT, Place
from results import Material, make_baseline_runs, make_curves, make_material, make_rocs, make_runs

from stages import report
from stages.config.derived import derive
from stages.config.schema import Parameters
from stages.io import files, machine, provenance
from stages.io.entrypoint import StageError
from stages.study import figures, making, markdown, measures
from stages.study.figures import StudyFigure
from stages.study.figures._material import CIRCUIT, EXAMPLES
from stages.study.sections import SECTIONS, Results, Section

FACTS = {
    "wall_seconds": 2.0,
    "core_seconds": {"iris": 3.0},
    "fit_seconds": {"default": 0.5, "grid": 1.5},
    "versions": {"python": "3.11"},
    "cores": 2,
    "machine": "x86_64",
}
COMPOSED = ("profile=quick", "datasets/targets=[]", "baselines=[modn,knn,svm]", "readable=[tree]")


@pytest.fixture(scope="module")
def material() -> Material:
    baseline_runs = make_baseline_runs()
    known = baseline_runs[baseline_runs["baseline"].isin(["modn", "knn", "svm"])]
    return make_material(make_runs(), known, make_curves(), make_rocs())


def parameters_of(place: Place, override: str | None = None) -> Parameters:
    """Those of profile quick with few classifiers, and one more change."""
    if override is None:
        return place.parameters(*COMPOSED)
    parameters = place.changed(override, *COMPOSED)
    return replace(parameters, derived=derive(parameters))


def lay_out(place: Place, material: Material, override: str | None = None) -> Parameters:
    """Write what earlier stages leave for the report; the figures are empty files."""
    parameters = parameters_of(place, override)
    folder = files.report_folder(parameters.profile)
    for name, table in material.items():
        if name not in (EXAMPLES, CIRCUIT):
            files.write_csv(folder / f"tables/{name}.csv", table)
    files.write_arrays(files.EXAMPLES, {})
    trainings = parameters.derived["trainings"].values()
    trained = [f"{training['study']}/{training['model']}-{training['optimizer']}" for training in trainings]
    fits = [f"{one['study']}/{one['baseline']}" for one in parameters.derived["fits"].values()]
    for name in trained + fits:
        provenance.write(*name.split("/"), FACTS)
    for figure in figures.drawable(folder / "tables"):
        files.write_text(folder / f"figures/{figure.name}.png", "")
    return parameters


def split_at_headings(text: str) -> dict[str, str]:
    return dict(re.findall(r"^## (.*)\n((?:(?!^## ).*\n)*)", text, re.MULTILINE))


def check_that_table_3_has_spread_and_says_what_bold_means(table: str, material: Material) -> None:
    assert (
        "mean ± standard deviation over 3 runs" in table and "Bold: the highest mean on the dataset." in table
    )
    header, _, *rows = re.findall(r"^\|.*\|$", table, re.MULTILINE)
    assert header.endswith("| BP | BP (exact) † |"), "the paper's optimizers come first"
    cell = material["table3"].iloc[0]
    ours = f"{cell['acc_mean']:.3f}** ± {cell['acc_std']:.3f} ({cell['paper']:.3f}; "
    assert ours in rows[0] or ours.replace("**", "") in rows[0]
    assert all("**" in "".join(rows[3 * k : 3 * k + 3]) for k in range(len(rows) // 3))


def check_that_the_section_on_tuning_opens_with_its_answer(section: str) -> None:
    answer, *_ = section.strip().partition("\n\n")
    assert "MODN+BBO by +1.0 points (+1.0 to +1.0)" in answer
    assert "would have been +4.0 points (+4.0 to +4.0) higher" in answer
    assert "+3.0 points (+3.0 to +3.0) vanish on rows that did not choose" in answer
    assert "| Iris | 8 (12) | 5 (10) | 0.5 (1) | 8 |" in section  # the paper's values are MODN's
    assert "| MODN+BBO | 11 | 0.800 | 0.780 | 0.820 | +4.0 points" in section


@pytest.mark.slow
def test_every_section_has_its_text_and_its_figures_in_their_order(place: Place, material: Material) -> None:
    parameters = lay_out(place, material)
    report.report(parameters)
    folder = files.report_folder(parameters.profile)
    text = (folder / "report.md").read_text(encoding="utf-8")
    found = split_at_headings(text)
    assert list(found) == [section.title for section in SECTIONS if section.title]
    drawn = list(figures.drawable(folder / "tables"))
    for section in SECTIONS:
        body = found[section.title] if section.title else text.partition("\n## ")[0]
        names = re.findall(r"\]\(figures/(\w+)\.png\)", body)
        assert names == [figure.name for figure in drawn if figure.section == section.key]
    assert (folder / "index.html").read_text(encoding="utf-8").count("<img") == len(drawn)
    assert "| default |" in text and "| tuned |" in text
    table_3 = found["Table 3: accuracy of every model with every optimizer"]
    check_that_table_3_has_spread_and_says_what_bold_means(table_3, material)
    tuning = found["Beyond the paper: Tables 4 and 5 tuned without the test set"]
    check_that_the_section_on_tuning_opens_with_its_answer(tuning)


@pytest.mark.slow
def test_the_text_has_results_only_and_the_page_how_they_were_made(place: Place, material: Material) -> None:
    parameters = lay_out(place, material, "arena.datasets=[]")
    folder = files.report_folder(parameters.profile)
    report.report(parameters)
    first, page = ((folder / name).read_text(encoding="utf-8") for name in ("report.md", "index.html"))
    assert "seconds" not in first and "x86_64" not in first
    assert "How it was made" in page and "<td>train comparison modn-bbo</td>" in page
    assert '<td class="right">0.5</td>' in page, "the seconds of a fit"
    for path in files.PROVENANCE.rglob("*.json"):
        provenance.write(path.parent.name, path.stem, FACTS | {"wall_seconds": 7.0, "machine": "arm64"})
    (files.PROVENANCE / "comparison/modn-bbo.json").unlink()
    report.report(parameters)
    assert (folder / "report.md").read_text(encoding="utf-8") == first
    assert "train comparison modn-bbo (restored)" in (folder / "index.html").read_text(encoding="utf-8")
    made = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    assert made["restored"] == ["comparison modn-bbo"] and "comparison modn-bbo" not in made["stages"]
    shutil.rmtree(files.PROVENANCE)  # all of it is DVC's
    report.report(parameters)
    assert json.loads((folder / "provenance.json").read_text(encoding="utf-8"))["wall_seconds"] == 0


@pytest.mark.slow
def test_the_provenance_has_the_sources_of_every_stage(place: Place, material: Material) -> None:
    parameters = lay_out(place, material)
    found = making.source_hashes(parameters)
    expected = {
        "stages/train.py",
        "stages/study/families/modn.py",
        "modn/optimizers/bbo.py",
        "modn/fast/kernels.py",
    }
    expected |= {"stages/study/figures/roc.py", "modn/estimators/modn.py", "stages/study/measures/acc.py"}
    assert expected <= set(found)
    assert not [path for path in found if path.startswith(("tests/", "stages/tools/", "modn/cli/"))]
    text = (ROOT / "modn/neuron.py").read_bytes()
    assert found["modn/neuron.py"] == hashlib.sha256(text).hexdigest()


def test_the_processor_that_rounded_the_numbers_is_named() -> None:
    record = provenance.record(wall_seconds=1.0, core_seconds={})
    assert record["processor"] == machine.processor()
    text = making.section([making.Record("comparison", "modn-bbo", record)])
    assert f"BLAS: {machine.processor()['BLAS']})" in text
    target = machine.processor()["Numba's target"].split()[1]
    assert f"compiled for {target}," in text
    earlier = making.Record("comparison", "modn-bbo", FACTS)
    assert "On 2 cores (x86_64), with python 3.11." in making.section([earlier])


def test_names_that_look_like_numbers_stay_text(place: Place) -> None:
    names = ["007", "1e5", "true", "NA", "None", ""]
    files.write_csv(place.root / "table.csv", pd.DataFrame({"title": names, "acc": [0.5] * 5 + [nan]}))
    read = files.read_csv(place.root / "table.csv")
    assert read["title"].tolist() == names
    assert read["acc"].isna().tolist() == [False] * 5 + [True]


def test_a_table_without_bytes_is_named(place: Place) -> None:
    (place.root / "table3.csv").touch()
    with pytest.raises(StageError, match=r"table3\.csv is empty; `dvc repro` restores it"):
        files.read_csv(place.root / "table3.csv")
    files.write_csv(place.root / "table3.csv", pd.DataFrame())  # nothing was run
    assert files.read_csv(place.root / "table3.csv").empty


@pytest.mark.slow
def test_a_figure_that_was_not_drawn_is_an_error(place: Place, material: Material) -> None:
    parameters = lay_out(place, material)
    (files.report_folder(parameters.profile) / "figures/roc.png").unlink()
    with pytest.raises(StageError, match=r"figures/roc\.png is missing"):
        report.report(parameters)


@pytest.mark.slow
def test_a_figure_of_an_unknown_section_is_an_error(place: Place) -> None:
    figure = StudyFigure("mine", "Mine", "tabel3", 1, ("table3",), lambda table: table)
    results = Results(parameters_of(place), {})
    with pytest.raises(ValueError, match=r"mine: section is 'tabel3'; allowed: summary, fidelity, table1, "):
        report.compose(SECTIONS, results, [figure])


@pytest.mark.slow
def test_sections_without_text_and_figures_are_left_out(place: Place) -> None:
    sections = [Section("a", "Full", lambda results: "Words."), Section("b", "Empty", lambda results: "")]
    results = Results(parameters_of(place), {})
    text = report.compose(sections, results, [])
    assert text == "# MODN: report of profile `quick`\n\n## Full\n\nWords.\n"


@pytest.mark.slow
def test_without_the_paper_s_cells_and_studies_the_report_says_so(place: Place, material: Material) -> None:
    runs, baseline_runs = make_runs(), make_baseline_runs()
    runs = runs[(runs["study"] == "comparison") & (runs["optimizer"] == "bp_exact")]
    small = make_material(runs, baseline_runs.iloc[:0], make_curves().iloc[:0], make_rocs().iloc[:0])
    parameters = lay_out(place, small)
    report.report(parameters)
    folder = files.report_folder(parameters.profile)
    text = (folder / "report.md").read_text(encoding="utf-8")
    assert "it prints none of these cells" in text
    headings, drawn = split_at_headings(text), figures.drawable(folder / "tables")
    assert "Table 4: tuned values" not in headings
    assert ("Figures of the paper" in headings) == any(figure.section == "figures" for figure in drawn)
    assert not {"loss_curves", "roc", "filters"} & {figure.name for figure in drawn}


MEASURE = """
from stages.study.measures import Measure

MEASURE = Measure("halved", "HALF", lambda y, labels, scores: float((labels == y).mean() / 2))
"""
FIGURE = """
from modn.plots import style
from stages.study.figures import StudyFigure


def draw(runs):
    return style.new_figure(1.0, 1.0)


FIGURE = StudyFigure("nothing", "Nothing to see", "table2", 1, ("runs",), draw)
"""


@pytest.mark.slow
def test_a_measure_and_a_figure_are_one_file_each(
    place: Place, material: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package, name, source in ((measures, "halved", MEASURE), (figures, "nothing", FIGURE)):
        folder = tmp_path / package.__name__
        folder.mkdir()
        (folder / f"{name}.py").write_text(source)
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
        monkeypatch.setitem(sys.modules, f"{package.__name__}.{name}", None)  # forgotten after the test
        del sys.modules[f"{package.__name__}.{name}"]
    columns = {"table5", "baselines", "classifier_ranks", "extra", "extra_ranks"}
    wider = {
        name: table.assign(halved_mean=0.25) if name in columns else table for name, table in material.items()
    }
    parameters = lay_out(place, wider, "measures=[acc,auc,halved]")
    report.report(parameters)
    text = (files.report_folder(parameters.profile) / "report.md").read_text(encoding="utf-8")
    assert "| dataset | method | AUC | ACC | HALF | W+ | W- | p |" in text
    assert (
        "| classifier | parameters | mean ACC | mean AUC | mean HALF | mean log-loss | mean ECE | mean rank |"
        in text
    )
    assert "| rank by ACC | rank by AUC | rank by HALF | rank by log-loss | rank by ECE |" in text
    assert "figures/nothing.png" in split_at_headings(text)["Table 2: optimizers"]


def test_tables_align_numbers_and_escape_bars() -> None:
    rows = [
        {"name": "a|b", "value": "**0.9** (0.8)", "note": "3 of 4"},
        {"name": "c", "value": "", "note": "-"},
    ]
    assert markdown.table(rows).splitlines() == [
        "| name | value | note |",
        "| --- | ---: | --- |",
        "| a\\|b | **0.9** (0.8) | 3 of 4 |",
        "| c |  | - |",
    ]


def test_numbers_stand_beside_the_printed_ones_where_there_are_some() -> None:
    missing = float("nan")
    assert markdown.ours_and_paper(0.9, 0.8, best=True) == "**0.900** (0.800; +0.100)"
    assert markdown.ours_and_paper(0.9, missing, best=False) == "0.900"
    assert markdown.ours_and_paper(0.9, 0.8, best=True, spread=0.01) == "**0.900** ± 0.010 (0.800; +0.100)"
    assert markdown.with_paper(12, 10.0) == "12 (10)"
    assert markdown.with_paper(0.0312, missing, ".2g") == "0.031"
    assert markdown.with_paper(missing, 3.0) == ""


@pytest.mark.slow
def test_the_hash_is_of_all_parameters_but_the_runtime(place: Place) -> None:
    hashes = []
    for override in ("runtime.workers=1", "runtime.workers=2", "alpha_s=5"):
        parameters = parameters_of(place, override)
        made = making.provenance_of(parameters, making.read(parameters))
        hashes.append(made["parameters_sha256"])
    assert hashes[0] == hashes[1] != hashes[2]


def test_without_a_search_there_is_no_section_on_tuning(place: Place, material: Material) -> None:
    empty = {name: material[name].iloc[:0] for name in ("tuning", "table5_retuned")}
    report.report(lay_out(place, material | empty))
    assert "without the test set" not in (files.report_folder("quick") / "report.md").read_text()
