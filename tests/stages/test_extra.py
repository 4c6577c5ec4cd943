"""The study extra: the baselines on datasets of its own, with or without the packages that they need."""

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from copies import LITTLE, ROOT, Outcome, Place, Project

from stages.config.checks import check_parameters
from stages.config.schema import Baseline, Parameters
from stages.evaluate import _judge_baselines, _sizes
from stages.fetch import fetch
from stages.fit import fit
from stages.io import files
from stages.resplit import resplit
from stages.study import beyond, measures, ranks
from stages.study import tables as tables_of


def prepared(place: Place, *overrides: str) -> Parameters:
    parameters = place.parameters(
        "profile=smoke",
        "datasets=[caesarian]",
        "datasets/targets=[]",
        "baselines=[knn]",
        "extra.resplits=1",
        *overrides,
    )
    fetch(parameters)
    resplit(parameters)
    return parameters


def predictions(place: Place, name: str, study: str = "extra") -> dict[str, dict[str, np.ndarray]]:
    folder = place.root / "data/models" / study / name
    return {path.stem: files.read_arrays(path) for path in sorted(folder.glob("*.npz"))}


@pytest.fixture
def extra(place: Place) -> Parameters:
    """Two extra datasets, one with categories, prepared for fitting."""
    return prepared(place, "datasets/extra=[tae,saheart]")


@pytest.mark.slow
def test_the_extra_study_has_its_own_datasets_resplits_and_default_parameters(
    place: Place, extra: Parameters
) -> None:
    assert {"knn", "extra-knn"} <= set(extra.derived["fits"])
    fit(extra, "baselines", "knn")
    fit(extra, "extra", "knn")
    assert list(predictions(place, "knn", "baselines")) == ["caesarian"]
    found = predictions(place, "knn")
    assert list(found) == ["saheart", "tae"]
    assert set(found["tae"]) == {"default_labels", "default_scores"}
    assert found["tae"]["default_labels"].shape == (1, 46)
    features = files.read_arrays(place.root / "data/extra/saheart.npz")["features"]
    assert features.tolist() == ["x1", "x2", "x3", "x4", "x5=Present", "x6", "x7", "x8", "x9"]
    table1 = (place.root / "data/table1.csv").read_text()
    assert "caesarian" in table1 and "tae" not in table1, "the paper's table is the paper's"


def test_a_classifier_without_its_package_is_left_out_and_that_is_said(
    place: Place, extra: Parameters, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    extra.baselines["ebm"] = Baseline("EBM", "nowhere.Classifier")
    for name in ("ebm", "knn"):
        fit(extra, "extra", name)
    said = capsys.readouterr().out
    assert "fit: ebm is left out: the package nowhere is not installed; pip install '.[baselines]'" in said
    assert [path.name for path in (place.root / "data/models/extra/ebm").iterdir()] == ["left_out.txt"]
    titles = {name: own.title for name, own in extra.extra.datasets.items()}
    monkeypatch.setattr(extra, "baselines", {name: extra.baselines[name] for name in ("ebm", "knn")})
    chosen = measures.of_baselines(extra.measures, extra.baseline_measures)
    runs = _judge_baselines("extra", extra, titles, chosen)
    assert set(runs["baseline"]) == {"knn"} and set(runs["search"]) == {"default"}
    assert runs[["acc", "auc", "log_loss", "ece"]].notna().all(axis=None)
    tables = {"extra": tables_of.baselines(runs, chosen), "extra_datasets": _sizes(titles)}
    tables["extra_ranks"] = ranks.classifier_ranks(tables["extra"], chosen)
    text = beyond.extra(extra, tables)
    assert "Left out, because their packages were not installed: EBM." in text
    assert "| kNN | " in text and "| Teaching assistants | 151 | 5 | 3 | **0." in text


@pytest.mark.slow
@pytest.mark.parametrize(
    "key", sorted(path.stem for path in (ROOT / "conf/baselines/optional").glob("*.yaml"))
)
def test_an_optional_classifier_is_fitted_like_the_others(place: Place, key: str) -> None:
    package = yaml.safe_load((ROOT / f"conf/baselines/optional/{key}.yaml").read_text())["estimator"]
    pytest.importorskip(package.partition(".")[0])
    parameters = prepared(place, f"baselines/optional=[{key}]", "datasets/extra=[tae]")
    fit(parameters, "extra", key)
    found = predictions(place, key)["tae"]
    assert found["default_labels"].shape == (1, 46) and found["default_scores"].shape == (1, 46, 3)
    assert measures.are_probabilities(found["default_scores"][0])
    assert not list(place.root.glob("catboost_info"))


def test_without_extra_datasets_there_is_no_extra_study(place: Place) -> None:
    parameters = prepared(place)
    assert set(parameters.derived["fits"]) == {"knn"}
    assert list((place.root / "data/extra").iterdir()) == []
    empty = {name: pd.DataFrame() for name in ("extra", "extra_ranks", "extra_datasets")}
    assert beyond.extra(parameters, empty) == ""


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("datasets/extra=[nope]", r"datasets/extra has no 'nope'; allowed: australian, bupa, "),
        ("baselines/optional=[nope]", r"baselines/optional has no 'nope'; allowed: catboost, ebm, "),
        ("extra.resplits=0", r"extra.resplits is 0; allowed: an integer from 1 to 10000"),
        ("baseline_measures=[speed]", r"baseline_measures is 'speed'; allowed: acc, auc, ece, log_loss"),
        ("figures.filters=[irsi]", r"figures.filters is 'irsi'; allowed: .*iris"),
        ("figures.filters_optimizer=bob", r"figures.filters_optimizer is 'bob'; allowed: .*bbo"),
        ("figures.loss_curves=[modn]", r"figures.loss_curves is 'modn'; allowed: MODEL-OPTIMIZER, of modn, "),
        ("figures.loss_curves=[modn-bob]", r"figures.loss_curves is 'modn-bob'; allowed: .*bbo"),
        ("sensitivity.datasets=[rasin]", r"sensitivity.datasets is 'rasin'; allowed: .*raisin"),
    ],
)
def test_a_name_that_does_not_exist_is_refused(place: Place, override: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        place.changed(override, *LITTLE)


@pytest.mark.slow
def test_a_dataset_is_in_one_study(place: Place) -> None:
    parameters = place.parameters("datasets/extra=[tae]")
    parameters.datasets["tae"] = parameters.extra.datasets["tae"]
    with pytest.raises(ValueError, match=r"extra.datasets is \['tae'\]; allowed: none of datasets \(tae\)"):
        check_parameters(parameters)


@pytest.mark.parametrize("path", sorted((ROOT / "conf/datasets/extra").glob("*.yaml")), ids=lambda p: p.stem)
def test_every_bundled_dataset_has_a_source_and_at_most_3000_rows(path: Path) -> None:
    dataset = yaml.safe_load(path.read_text())
    assert dataset["file"] == f"data/raw/extra/{path.stem}.csv"
    content = (ROOT / dataset["file"]).read_bytes()
    assert hashlib.sha256(content).hexdigest() == dataset["sha256"]
    assert content.count(b"\n") <= 3001
    assert f"| {path.stem}.csv |" in (ROOT / "data/raw/SOURCES.md").read_text()


@pytest.mark.slow
def test_the_study_runs_through_the_pipeline(
    finished: tuple[Project, Outcome], widened: tuple[Project, Outcome]
) -> None:
    before, project = finished[0].contents(), widened[0]
    tables = project.root / "reports/smoke/tables"
    runs = pd.read_csv(tables / "extra_runs.csv")
    assert runs.groupby(["dataset", "baseline"]).size().to_dict() == {
        (dataset, name): 1 for dataset in ("tae", "saheart") for name in ("modn", "knn")
    }
    report = (project.root / "reports/smoke/report.md").read_text()
    assert "## Beyond the paper: more datasets" in report and "figures/extra_ranks.png" in report
    after = project.contents()
    for name in ("table1", "table3", "table4", "table5", "runs", "baseline_runs", "baselines", "claims"):
        same = after[f"reports/smoke/tables/{name}.csv"] == before[f"reports/quick/tables/{name}.csv"]
        assert same, f"{name}: the paper's tables stay the paper's"
