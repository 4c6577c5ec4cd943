"""The plan of a run: its counts are those of the run, its times are finite, and nothing is written."""

import re
from typing import Any

import numpy as np
import pytest
from copies import FEW, Place, Project

from modn.methods import training
from stages.config.schema import Baseline
from stages.study.cells import Cell, study_cells
from stages.tools import calibration, plan
from stages.tools.calibration import Calibration
from stages.tools.plan import Row
from stages.train import train_one


def table(text: str) -> dict[str, int]:
    """Stage -> tasks, as printed."""
    return {
        name: int(tasks) for name, tasks in re.findall(r"^(train\S*|fit\S*|all) +(\d+) ", text, re.MULTILINE)
    }


def test_the_plan_of_a_fresh_clone_counts_every_task_and_writes_nothing(fresh: Project) -> None:
    before = fresh.contents()
    done = fresh.stage("plan", "profile=smoke", "datasets=[iris,caesarian]", "--seconds", "0.1")
    assert done.returncode == 0, done.stdout
    tasks = table(done.stdout)
    assert tasks["train@modn-bbo"] == 2 * 2  # datasets, runs
    assert tasks["train_tuned@dnm-bbo"] == 1 * 2  # two classes: caesarian
    assert tasks["train_sensitivity@modn-bbo"] == 7 * 2  # iris: M is 4, 12, 20; two alpha_s, two alpha_t
    assert (tasks["fit@knn"], tasks["fit@dnm"]) == (2 * 2, 1 * 2)
    assert tasks.pop("all") == sum(tasks.values())
    assert re.search(r"^Expected on 1 core: [\d.:]+", done.stdout, re.MULTILINE)
    assert fresh.contents() == before
    assert fresh.succeed("git", "status", "--porcelain") == ""


REFUSED = {
    "alpha_x=1": ["plan: ", "no key 'alpha_x'", "alpha_s"],
    "alpha_s=-1": ["plan: alpha_s is -1.0", "> 0"],
    "profile=nope": ["plan: ", "profile has no 'nope'", "paper"],
}


@pytest.mark.parametrize("override", REFUSED)
def test_a_refused_value_is_named(sources: Project, override: str) -> None:
    done = sources.stage("plan", override)
    assert done.returncode not in (0, None)
    assert done.stdout.count("\n") == 1 and "Traceback" not in done.stdout
    assert all(part in done.stdout for part in REFUSED[override]), done.stdout


def test_tasks_and_sigmoids_are_those_of_a_run(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    train, evaluated = training.train, []

    def counting(*arguments: Any) -> training.Training:
        result = train(*arguments)
        evaluated.append(result.evaluations)
        return result

    monkeypatch.setattr(training, "train", counting)
    more = ["comparison.modn=[es]", "comparison.modnp=[adam,pbil]", "tuned.dnm=[bbo]"]
    parameters = place.parameters(*FEW, *more)
    parts = {name: plan.training_part(parameters, name) for name in parameters.datasets}
    stages = dict(plan.training_stages(parameters, parts))
    assert {cell.family for cells in stages.values() for cell in cells} == {"modn", "dnm", "mlp"}
    for stage, cells in stages.items():
        measured = Calibration({calibration.kind(cell): 1.0 for cell in cells}, {}, 1.0, 0.0, 0.0)
        row = plan.training_row(stage, cells, 3, parts, measured)
        sigmoids = 0
        for cell in cells:
            X, y = parts[cell.dataset]
            evaluated.clear()
            train_one(cell, 0, 0, X, y)
            features = 1 if cell.family == "mlp" else X.shape[1]
            sigmoids += sum(evaluated) * len(X) * features * cell.n_dendrites
        assert len(row.seconds) == 3 * len(cells)
        assert row.sigmoids == 3 * sigmoids, stage


def test_cores_take_the_longest_tasks_first() -> None:
    row = Row("train@modn-bbo", [1.0, 5.0, 2.0, 2.0], None)
    assert [row.wall_seconds(cores) for cores in (1, 2, 3, 8)] == [10.0, 5.0, 5.0, 5.0]
    assert Row("train_tuned@dnm-bbo", [], 0).wall_seconds(4) == 0.0


def test_the_time_of_a_run_is_extrapolated_from_two_short_ones(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def seconds(cell: Cell, iterations: int, X: np.ndarray, y: np.ndarray) -> float:
        return 0.25 + 0.01 * iterations

    monkeypatch.setattr(calibration, "_core_seconds", seconds)
    parameters = place.parameters("datasets=[caesarian]")
    X, y = plan.training_part(parameters, "caesarian")
    for model, optimizer, iterations in (("modn", "bbo", 10 + 400), ("modnp", "bp", 3000)):
        (cell,) = study_cells(parameters, "comparison", model, optimizer, {"caesarian": 2})
        kind, expected, *_ = calibration.expected_seconds(cell, X, y, 1.0)
        assert kind == ("caesarian", model, optimizer, 20)
        assert expected == pytest.approx(0.25 + 0.01 * iterations)


def test_a_classifier_is_timed_on_three_tables_and_between_them_by_size(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed = []

    def seconds(
        name: str, baseline: Baseline, folds: int, dataset: str, X: np.ndarray, y: np.ndarray
    ) -> tuple[str, str, float]:
        timed.append((name, dataset))
        return name, dataset, 0.001 * X.size

    monkeypatch.setattr(calibration, "fitting_seconds", seconds)
    parameters = place.parameters("profile=smoke")
    parts = {name: plan.training_part(parameters, name) for name in parameters.datasets}
    fits = calibration._time_of_fits(parameters.baselines, 3, parts, parameters.runtime)
    assert {dataset for name, dataset in timed if name == "knn"} == {"caesarian", "wine", "car"}
    assert {dataset for name, dataset in timed if name == "dnm"} < set(parts)
    for (name, dataset), expected in fits.items():
        assert name != "dnm" or parts[dataset][1].max() == 1
        if name != "dnm" or parts[dataset][0].size <= 5040:
            assert expected == pytest.approx(0.001 * parts[dataset][0].size)
    row = plan.fitting_row("knn", 4, Calibration({}, fits, 1.0, 0.0, 0.0))
    assert (row.stage, len(row.seconds), row.sigmoids) == ("fit@knn", 11 * 4, None)


def test_many_rows_are_extrapolated_from_fewer(place: Place) -> None:
    parameters = place.parameters("datasets=[iris]")
    (cell,) = study_cells(parameters, "comparison", "modnf", "bp_exact", {"iris": 3})
    rng = np.random.default_rng(0)
    X, y = rng.random((100 * calibration.MOST_ROWS, 4)), rng.integers(0, 3, 100 * calibration.MOST_ROWS)
    _, expected, used, _ = calibration.expected_seconds(cell, X, y, 0.01)
    assert used < 0.1 * expected
