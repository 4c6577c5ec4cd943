"""The plan of a run: its counts are those of the run, its times are finite, and nothing is written."""

import re
from time import process_time
from typing import Any

import numpy as np
import pytest
from copies import FEW, Place, Project

from modn import training
from stages import calibration, plan
from stages.calibration import Calibration
from stages.cells import study_cells
from stages.plan import Row
from stages.train import train_one


def table(text: str) -> dict[str, int]:
    """Stage -> tasks, as printed."""
    return {name: int(tasks) for name, tasks in re.findall(r"^(train\S*|all) +(\d+) ", text, re.MULTILINE)}


def test_the_plan_of_a_fresh_clone_counts_every_task_and_writes_nothing(fresh: Project) -> None:
    before = fresh.contents()
    done = fresh.stage("plan", "profile=smoke", "datasets=[iris,caesarian]", "--seconds", "0.1")
    assert done.returncode == 0, done.stdout
    tasks = table(done.stdout)
    assert tasks["train@modn-bbo"] == 2 * 2  # datasets, runs
    assert tasks["train_tuned@dnm-bbo"] == 1 * 2  # two classes: caesarian
    assert tasks["train_sensitivity@modn-bbo"] == 7 * 2  # iris: M is 4, 12, 20; two alpha_s, two alpha_t
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
        measured = Calibration({calibration.kind(cell): 1.0 for cell in cells}, 1.0, 0.0, 0.0)
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


@pytest.mark.parametrize(
    ("study", "model", "optimizer"),
    [
        ("comparison", "modn", "es"),
        ("comparison", "modn", "adam"),
        ("comparison", "modnp", "bp"),
        ("tuned", "dnm", "bbo"),
        ("tuned", "mlp", "bp"),
    ],
)
def test_a_run_takes_about_as_long_as_expected(place: Place, study: str, model: str, optimizer: str) -> None:
    """By the core's time and within a factor of two: this machine may be doing other things."""
    parameters = place.parameters("datasets=[caesarian]")
    X, y = plan.training_part(parameters, "caesarian")
    (cell,) = study_cells(parameters, study, model, optimizer, {"caesarian": 2})
    _, expected, *_ = calibration.expected_seconds(cell, X, y, 0.1)
    begin = process_time()
    train_one(cell, 0, 0, X, y)
    assert 0.5 < expected / (process_time() - begin) < 2.0


def test_many_rows_are_extrapolated_from_fewer(place: Place) -> None:
    parameters = place.parameters("datasets=[iris]")
    (cell,) = study_cells(parameters, "comparison", "modnf", "bp_exact", {"iris": 3})
    rng = np.random.default_rng(0)
    X, y = rng.random((100 * calibration.MOST_ROWS, 4)), rng.integers(0, 3, 100 * calibration.MOST_ROWS)
    _, expected, used, _ = calibration.expected_seconds(cell, X, y, 0.01)
    assert used < 0.1 * expected
