"""fit: the predictions of a classifier are a function of parameters, data and seed alone."""

import json
from itertools import product

import numpy as np
import pytest
import yaml
from copies import ROOT, Place, pairs
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from stages.config.schema import Baseline, Parameters
from stages.evaluate import evaluate
from stages.fetch import fetch
from stages.fit import capped, fit
from stages.io import files
from stages.io.entrypoint import StageError
from stages.plot import plot
from stages.report import report
from stages.resplit import resplit
from stages.split import split
from stages.train import train

# Of a classifier: how it is run, not what it predicts.
WITHOUT_EFFECT = {"n_jobs", "thread_count", "verbose", "verbosity", "allow_writing_files"}

SMOKE = (
    *("profile=smoke", "datasets=[iris,caesarian]", "datasets/targets=[]", "arena.datasets=[]"),
    "baselines=[modn,dnm,knn]",
)
ONE_CANDIDATE = "baselines.knn.grid.n_neighbors=[3]"


def prepared(place: Place, *overrides: str) -> Parameters:
    parameters = place.variant(SMOKE, *overrides)
    fetch(parameters)
    resplit(parameters)
    return parameters


def predictions(place: Place, name: str) -> dict[str, dict[str, np.ndarray]]:
    folder = place.root / "data/models/baselines" / name
    return {path.stem: files.read_arrays(path) for path in sorted(folder.glob("*.npz"))}


def test_the_resplits_are_stratified_one_per_run_and_the_same_for_all(place: Place) -> None:
    prepared(place, "resplits=3", "split=published")
    parts = files.read_arrays(place.root / "data/resplits/iris.npz")
    assert parts["y_test"].shape == (3, 60)
    assert all(np.bincount(y).tolist() == [20, 20, 20] for y in parts["y_test"])
    assert len({rows.tobytes() for rows in parts["test_rows"]}) == 3


@pytest.mark.slow
def test_what_is_stored_are_the_predictions_of_the_classifier(place: Place) -> None:
    fit(prepared(place, ONE_CANDIDATE), "baselines", "knn")
    found = predictions(place, "knn")
    assert list(found) == ["caesarian", "iris"]
    parts = files.read_arrays(place.root / "data/resplits/iris.npz")
    for run in range(2):
        scaler = StandardScaler().fit(parts["X_train"][run])
        knn = KNeighborsClassifier().fit(scaler.transform(parts["X_train"][run]), parts["y_train"][run])
        X = scaler.transform(parts["X_test"][run])
        np.testing.assert_array_equal(found["iris"]["default_labels"][run], knn.predict(X))
        np.testing.assert_allclose(found["iris"]["default_scores"][run], knn.predict_proba(X))
        assert found["iris"]["grid_scores"][run].shape == (60, 3)


@pytest.mark.slow
def test_a_classifier_of_two_classes_leaves_the_others_out(place: Place) -> None:
    fit(prepared(place), "baselines", "dnm")
    assert list(predictions(place, "dnm")) == ["caesarian"]
    fit(prepared(place, "datasets=[iris]"), "baselines", "dnm")
    assert list(predictions(place, "dnm")) == []


def test_the_provenance_has_the_seconds_of_a_fit(place: Place) -> None:
    fit(prepared(place, ONE_CANDIDATE), "baselines", "knn")
    record = json.loads((place.root / "data/provenance/baselines/knn.json").read_text())
    assert set(record["fit_seconds"]) == {"default", "grid"}
    assert 0 < record["fit_seconds"]["default"] < record["fit_seconds"]["grid"]
    assert record["runs"] == 2 and set(record["core_seconds"]) == {"iris", "caesarian"}


@pytest.mark.parametrize(
    ("overrides", "name", "message"),
    [
        ([], "nope", r"baseline=nope is unknown; allowed: modn, dnm, knn"),
        (
            ["+baselines.knn.parameters.k=3"],
            "knn",
            r"there is no key 'baselines.knn.parameters.k'; allowed: .*n_neighbors",
        ),
        (["+baselines.knn.grid.k=[3]"], "knn", r"no key 'baselines.knn.grid.k'; allowed: .*n_neighbors"),
        (["baselines.knn.grid.n_neighbors=[-1]"], "knn", r"tasks failed(.|\n)*n_neighbors"),
    ],
)
@pytest.mark.slow
def test_what_is_wrong_is_said_and_nothing_written(
    place: Place, overrides: list[str], name: str, message: str
) -> None:
    parameters = prepared(place, *overrides)
    before = place.made()
    with pytest.raises(StageError, match=message):
        fit(parameters, "baselines", name)
    assert place.made() == before


def test_all_grids_have_the_same_size() -> None:
    for path in sorted(ROOT.glob("conf/baselines/**/*.yaml")):
        block = yaml.safe_load(path.read_text())
        if path.parent.name == "baselines" or block["grid"]:  # some optional ones are too slow to be tuned
            assert len(list(product(*block["grid"].values()))) == 4, block["title"]
        own = {"interactions"} if block["title"] == "EBM (no pairs)" else set()
        assert set(block["parameters"]) <= WITHOUT_EFFECT | own, "otherwise the library's defaults"


def test_a_cap_on_the_iterations_is_the_least_of_both() -> None:
    mine = Baseline("Mine", "sklearn.neural_network.MLPClassifier", True, {"max_iter": 50}, {"alpha": [1.0]})
    assert capped(mine, None) == mine
    assert capped(mine, 3).parameters == {"max_iter": 3}
    assert capped(mine, 80).parameters == {"max_iter": 50}
    assert capped(Baseline("kNN", "sklearn.neighbors.KNeighborsClassifier"), 3).parameters == {}


@pytest.mark.slow
@pytest.mark.usefixtures("coarse")
def test_the_report_has_the_baselines_that_were_fitted(place: Place) -> None:
    """And none where none was: test_a_study_may_be_left_out in test_train.py."""
    one = [*pairs({"modnf": "bbo"}, {}), "sensitivity.datasets=[]"]
    parameters = prepared(place, *one, "baselines=[dnm,knn]", ONE_CANDIDATE)
    split(parameters)
    train(parameters, "comparison", "modnf", "bbo")
    for name in parameters.baselines:
        fit(parameters, "baselines", name)
    evaluate(parameters)
    plot(parameters)
    report(parameters)
    made = json.loads((place.root / "reports/smoke/provenance.json").read_text())
    fits = {f"baselines {name}" for name in parameters.baselines}
    assert set(made["stages"]) == {"comparison modnf-bbo"} | fits
    assert made["wall_seconds"] == pytest.approx(sum(s["wall_seconds"] for s in made["stages"].values()))
    assert made["versions"]["numpy"] == np.__version__
    text = (place.root / "reports/smoke/report.md").read_text()
    assert "beside the usual classifiers" in text
    assert (place.root / "reports/smoke/figures/classifier_ranks.png").exists()
    rows = [line for line in text.splitlines() if line.startswith(("| kNN |", "| DNM |"))]
    assert len(rows) == 4
    dnm = next(line for line in rows if line.startswith("| DNM | default |"))
    assert dnm.split("|")[3:6] == ["  ", "  ", "  "]  # two datasets, one of them with three classes
