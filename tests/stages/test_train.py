"""train: results are a function of parameters, data and seed; not of workers, neighbours or interruptions."""

import json
import os
import signal
import time
from itertools import takewhile

import numpy as np
import pytest
from copies import SMOKE, Place, Project, pairs

from modn.loss import cross_entropy
from modn.neuron import Neuron
from stages.config.schema import Parameters
from stages.evaluate import evaluate
from stages.fetch import fetch
from stages.io import files
from stages.io.entrypoint import StageError
from stages.plot import plot
from stages.report import report
from stages.split import split
from stages.train import train

SOME = (
    "arena.datasets=[]",
    *pairs(
        {"modn": "bbo,adam", "modnp": "bp", "modnf": "bbo,bp_exact,pso,es"},
        {"modn": "bbo", "dnm": "bbo", "mlp": "bp"},
    ),
)
TRAIN = ("python", "-m", "stages.train", "study=comparison", "model=modnf", "optimizer=bbo")


def chosen(place: Place, *overrides: str) -> Parameters:
    return place.variant(SMOKE, *SOME, *overrides)


def prepared(place: Place, *overrides: str) -> Parameters:
    parameters = chosen(place, *overrides)
    fetch(parameters)
    split(parameters)
    return parameters


def models(place: Place, pair: str) -> dict[str, dict[str, np.ndarray]]:
    folder = place.root / "data/models/comparison" / pair
    return {path.stem: files.read_arrays(path) for path in sorted(folder.glob("*.npz"))}


@pytest.mark.parametrize(
    ("model", "optimizer"), [("modn", "bbo"), ("modnp", "bp"), ("modnf", "bp_exact"), ("modnf", "pso")]
)
@pytest.mark.slow
def test_what_is_stored_is_a_trained_neuron_per_run(place: Place, model: str, optimizer: str) -> None:
    train(prepared(place), "comparison", model, optimizer)
    found = models(place, f"{model}-{optimizer}")
    assert list(found) == ["caesarian", "iris"]
    for name, C, D in (("iris", 3, 4), ("caesarian", 2, 5)):
        arrays, parts = found[name], files.read_arrays(place.root / f"data/splits/{name}.npz")
        points = 3 + 1 + (3 + 1 if model == "modn" else 0)  # both steps, each with its initial population
        assert arrays["curve"].shape == (2, points)
        assert arrays["P"].shape == (2, 10 * C, C)
        assert (np.diff(arrays["curve"], axis=1) <= 0).all()
        for row, P, curve in zip(arrays["parameters"], arrays["P"], arrays["curve"], strict=True):
            neuron = Neuron.from_parameters(row, P, D, 10.0, 1.0)
            loss = cross_entropy(neuron.predict_proba(parts["X_train"][0]), parts["y_train"][0])
            assert loss == pytest.approx(curve[-1], abs=1e-4)
        assert arrays["parameters"][0].tobytes() != arrays["parameters"][1].tobytes()


@pytest.mark.slow
def test_a_cell_does_not_depend_on_its_neighbours_or_on_how_many_runs_follow(place: Place) -> None:
    train(prepared(place), "comparison", "modnf", "bbo")
    together = models(place, "modnf-bbo")["iris"]
    train(prepared(place, "datasets=[iris]", "runs=3"), "comparison", "modnf", "bbo")
    alone = models(place, "modnf-bbo")["iris"]
    for part in ("parameters", "P", "curve"):
        assert alone[part][:2].tobytes() == together[part].tobytes()


@pytest.mark.slow
def test_each_run_has_its_own_sound_split(place: Place) -> None:
    train(prepared(place, "split=sound"), "comparison", "modnf", "bbo")
    arrays = models(place, "modnf-bbo")["iris"]
    parts = files.read_arrays(place.root / "data/splits/iris.npz")
    for run in range(2):
        neuron = Neuron.from_parameters(arrays["parameters"][run], arrays["P"][run], 4, 10.0, 1.0)
        losses = [
            cross_entropy(neuron.predict_proba(X), y)
            for X, y in zip(parts["X_train"], parts["y_train"], strict=True)
        ]
        assert losses[run] == pytest.approx(arrays["curve"][run, -1], abs=1e-4)
        assert abs(losses[1 - run] - arrays["curve"][run, -1]) > 1e-4


@pytest.mark.parametrize(
    ("overrides", "iterations"),
    [
        (["max_iterations=2"], {"iris": 2, "caesarian": 2}),
        (["max_iterations=null", "optimizers.es.iterations=5"], {"iris": 5, "caesarian": 5}),
        (["max_iterations=null", "optimizers.es.iterations=0"], {"iris": 0, "caesarian": 0}),
        (["max_iterations=4", "datasets.iris.iterations=1"], {"iris": 1, "caesarian": 4}),
    ],
)
@pytest.mark.slow
def test_the_budget_is_the_optimizers_or_the_datasets_and_at_most_the_cap(
    place: Place, overrides: list[str], iterations: dict[str, int]
) -> None:
    train(prepared(place, "optimizers.es.population=5", *overrides), "comparison", "modnf", "es")
    found = models(place, "modnf-es")
    assert {name: arrays["curve"].shape[1] - 1 for name, arrays in found.items()} == iterations


@pytest.mark.slow
def test_dendrites_are_per_class_or_given(place: Place) -> None:
    train(prepared(place, "dendrites_per_class=2"), "comparison", "modnf", "bbo")
    assert {name: arrays["P"].shape[1] for name, arrays in models(place, "modnf-bbo").items()} == {
        "iris": 6,
        "caesarian": 4,
    }
    train(prepared(place, "dendrites=7", "comparison.modnp=[]"), "comparison", "modnf", "bbo")
    assert {arrays["P"].shape[1] for arrays in models(place, "modnf-bbo").values()} == {7}


def test_the_provenance_says_how_it_was_made(place: Place) -> None:
    train(prepared(place), "comparison", "modnf", "bbo")
    record = json.loads((place.root / "data/provenance/comparison/modnf-bbo.json").read_text())
    assert {cell["dataset"] for cell in record["cells"]} == {"iris", "caesarian"}
    assert record["seed"] == 100 and record["runs"] == 2
    assert record["versions"]["numpy"] == np.__version__
    assert record["wall_seconds"] > 0 and set(record["core_seconds"]) == {"iris", "caesarian"}


@pytest.mark.parametrize(("model", "optimizer"), [("modn", "bp"), ("modnf", "nope"), ("nope", "bbo")])
def test_a_pair_that_is_not_compared_is_refused(place: Place, model: str, optimizer: str) -> None:
    with pytest.raises(StageError, match=rf"model={model} optimizer={optimizer} .*allowed: .*modn-bbo, "):
        train(chosen(place), "comparison", model, optimizer)
    assert place.made() == {}


def test_missing_splits_are_named(place: Place) -> None:
    """In the message that test_bad_input.py checks."""
    with pytest.raises(FileNotFoundError, match="data/splits/"):
        train(chosen(place), "comparison", "modnf", "bbo")
    assert place.made() == {}


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.slow
def test_ctrl_c_ends_the_stage_soon_and_leaves_no_half_written_file(
    place: Place, runnable: Project, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does a worker compile what is compiled."""
    parameters = prepared(place)
    train(parameters, "comparison", "modnf", "bbo")
    place.write_parameters(parameters)
    before = runnable.contents()
    # iris has the larger cells and is begun first: once it is done, caesarian's endless search is under way
    endless = ["datasets.iris.iterations=1", "datasets.caesarian.iterations=10000000", "max_iterations=null"]
    monkeypatch.setenv("NUMBA_DEBUG_CACHE", "1")
    with runnable.started(*TRAIN, f"runtime.workers={workers}", *endless) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        said = "".join(takewhile(lambda line: "iris done" not in line, lines))
        begin = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=60)
        seconds = time.monotonic() - begin
        wait_until_gone(process.pid)
    assert process.returncode == 130, output
    assert "train: profile smoke" in said
    assert "[cache] data loaded" in said and "[cache] data saved" not in said + output
    assert seconds < 30  # a couple of seconds on a quiet machine
    assert runnable.contents() == before
    assert not [path for path in (place.root / "data").rglob(".*") if path.name != ".gitignore"]


def wait_until_gone(group: int) -> None:
    """No process of the group may be left behind."""
    for _ in range(300):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    raise AssertionError(f"processes of group {group} are still there after 30 s")


@pytest.mark.slow
@pytest.mark.usefixtures("coarse")
def test_a_study_may_be_left_out(place: Place) -> None:
    """The report says of what was not run that it was not."""
    nothing_else = ["sensitivity.datasets=[]", "baselines=[]"]
    one = [*pairs({"modnf": "es"}, {}), "figures.filters=[]", "optimizers.es.iterations=0"]
    parameters = prepared(place, *one, *nothing_else)
    train(parameters, "comparison", "modnf", "es")
    evaluate(parameters)
    plot(parameters)
    report(parameters)
    text = (place.root / "reports/smoke/report.md").read_text()
    assert "Table 3" in text and "Table 5: " not in text and "beside the usual classifiers" not in text
    assert "| ES | 250 | 0, at most 3 |" in text  # none, not the dataset's budget
    assert text.count("| **not run** | lacks ") == 9
    figures = {path.stem for path in (place.root / "reports/smoke/figures").iterdir()}
    assert figures and "classifier_ranks" not in figures
    made = json.loads((place.root / "reports/smoke/provenance.json").read_text())
    assert set(made["stages"]) == {"comparison modnf-es"}


@pytest.mark.parametrize(
    "only", ["only.optimizers=[bbo]", "only.models=[modn]", "only.models=[dnm]", "only.optimizers=[bp_exact]"]
)
@pytest.mark.slow
@pytest.mark.usefixtures("coarse")
def test_a_restricted_run_has_a_report(place: Place, only: str) -> None:
    parameters = prepared(place, "baselines=[]", "sensitivity.dendrites=[4]", only)
    trainings = parameters.derived["trainings"]
    for training in trainings.values():
        train(parameters, training["study"], training["model"], training["optimizer"])
    evaluate(parameters)
    plot(parameters)
    report(parameters)
    runs = files.read_csv(place.root / "reports/smoke/tables/runs.csv")
    found = {"-".join(row) for row in runs[["study", "model", "optimizer"]].itertuples(index=False)}
    assert found == set(trainings)
