"""`modn fit`: its options, what it says about new rows, and what it refuses; and `modn demo`."""

import os
import re
import subprocess
import sys
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
import pytest
from command import ROWS, refusal, run
from sklearn.model_selection import StratifiedKFold

import modn
from modn import export, filters, methods
from modn.cli import COMMANDS, _parser, tasks
from modn.cli.cross_validation import cross_validate
from modn.cli.fit import RENAMED

FIT = ["fit", "data.csv", "--target", "kind", "--out", "model"]


def fit(data: Path, *options: object, target: str = "kind", drop: str = "id") -> int:
    return run("fit", data, "--target", target, "--drop", drop, "--out", data.with_name("m"), *options)


# Options


def test_options_are_the_estimators_parameters() -> None:
    known = modn.MODNClassifier().get_params()
    given = vars(_parser().parse_args(FIT))
    own = {name for name in given if name in known}
    assert {"n_dendrites", "max_iter", "n_init", "n_estimators", "n_jobs", "random_state", "solver"} < own
    differ = {name for name in own if given[name] != known[name]}
    assert differ == {"n_jobs", "random_state"}  # one core, and the same model each time


@pytest.mark.parametrize("before", RENAMED)
@pytest.mark.parametrize("value", [["3"], []])
def test_options_that_have_another_name_now(
    capsys: pytest.CaptureFixture[str], before: str, value: list[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        run(*FIT, before, *value)
    assert end.value.code == 2
    assert capsys.readouterr().err == f"modn fit: error: {before} is now {RENAMED[before]}\n"
    now = RENAMED[before].split()
    _parser().parse_args([*FIT, *now, *(["3"] if len(now) == 1 else [])])


def test_options_cannot_be_abbreviated(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run(*FIT, "--max", "3")
    assert "unrecognized arguments: --max" in capsys.readouterr().err


HELP = """
import contextlib, sys
from modn.cli import main
for command in (["fit"], ["export"], []):
    with contextlib.suppress(SystemExit):
        main([*command, "--help"])
    print("end of help")
print({"numba", "sklearn", "scipy", "pandas", "matplotlib", "onnx"} & set(sys.modules))
"""


def test_help_lists_what_there_is_and_loads_nothing_slow() -> None:
    # argparse would break a long line at a hyphen
    environment = os.environ | {"COLUMNS": "1000"}
    done = subprocess.run(
        [sys.executable, "-c", HELP], capture_output=True, text=True, check=True, env=environment
    )
    of_fit, of_export, of_all, loaded = " ".join(done.stdout.split()).split("end of help")
    assert loaded == " set()"
    assert ", ".join(methods.solvers()) in of_fit and ",".join(filters.NAMES) in of_fit
    assert ", ".join(tasks.names()) in of_fit and not any(before + " " in of_fit for before in RENAMED)
    assert ",".join(export.names()) in of_export and ", ".join(export.names()) in of_all
    assert all(f" {command} " in of_all for command in COMMANDS)


# What new rows can expect


def test_the_score_is_that_of_models_trained_without_the_rows(
    insects: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By hand: the same folds, each with an estimator of its own."""
    table = pd.read_csv(insects)
    rng = np.random.default_rng(1)
    table["kind"] = np.where(rng.random(ROWS) < 0.2, rng.permutation(table["kind"]), table["kind"])
    table["noise"] = rng.random(ROWS)
    table.to_csv(insects, index=False)
    assert fit(insects, "--folds", 3, "--max-iter", 20) == 0
    err = capsys.readouterr().err
    found = re.search(
        r"\ncross-validated accuracy ([\d.]+), standard deviation ([\d.]+) over 3 folds, [\d.]+ s\n$", err
    )
    assert found is not None, err
    X, y = table.drop(columns=["kind", "id"]), table["kind"].to_numpy()
    scores = [
        modn.MODNClassifier(max_iter=20, random_state=0)
        .fit(X.iloc[train], y[train])
        .score(X.iloc[test], y[test])
        for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y)
    ]
    assert found.groups() == (f"{np.mean(scores):.4f}", f"{np.std(scores, ddof=1):.4f}")
    training = re.search(r"training accuracy ([\d.]+)", err)
    assert training is not None and float(training[1]) > np.mean(scores)  # noise is learned by heart
    assert fit(insects, "--folds", 3, "--max-iter", 20, "--n-jobs", 2) == 0
    assert re.sub(r"[\d.]+ s", "", err) == re.sub(r"[\d.]+ s", "", capsys.readouterr().err)


@pytest.mark.parametrize(("target", "measure"), [("price", "R2"), ("big,dear", "micro F1")])
def test_numbers_and_labels_are_cross_validated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], target: str, measure: str
) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"size": rng.uniform(30, 200, 60).round(1), "id": 0})
    table = table.assign(
        price=2 * table["size"], big=(table["size"] > 100) * 1, dear=(table["size"] > 120) * 1
    )
    data = tmp_path / "houses.csv"
    table[["size", "id", *target.split(",")]].to_csv(data, index=False)
    assert fit(data, "--n-dendrites", 8, "--max-iter", 100, target=target) == 0
    err = capsys.readouterr().err
    found = re.search(rf"\ncross-validated {measure} ([\d.]+), standard deviation [\d.]+ over 5 folds", err)
    assert found is not None and float(found[1]) > 0.8, err


@pytest.mark.filterwarnings("error")
def test_small_files_have_fewer_folds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "data.csv"
    for kinds, expected in (
        ("aaaabbbb", "over 4 folds"),
        ("aaaaabbbbc", "over 4 folds"),  # the only c is never known when it is judged
        ("aaab", "not cross-validated: too few rows"),
    ):
        rows = [f"{k},{kind},0" for k, kind in enumerate(kinds)]
        data.write_text("\n".join(["x,kind,id", *rows]) + "\n")
        assert fit(data, "--max-iter", 2, "--task", "classification") == 0
        assert expected in capsys.readouterr().err
    assert fit(data, "--max-iter", 2, "--task", "classification", "--folds", 0) == 0
    assert capsys.readouterr().err.endswith("\nnot cross-validated\n")
    for wrong in ("1", "-2", "x"):
        with pytest.raises(SystemExit):
            fit(data, "--folds", wrong)
        assert f"'{wrong}' is not 0 or an integer of 2 or more" in capsys.readouterr().err


def test_a_fold_that_cannot_be_trained_says_so() -> None:
    class Stubborn(modn.MODNClassifier):
        def fit(self, X: object, y: object, sample_weight: object = None) -> "Stubborn":
            raise ValueError("no")

    X, y = pd.DataFrame({"x": np.arange(8.0)}), np.array(["a", "b"] * 4)
    with pytest.raises(ValueError, match=r"^cross-validation: no; --folds 0 leaves it out$"):
        cross_validate(tasks.task("classification"), Stubborn(), X, y, 2)


# What there is no room for


@pytest.mark.parametrize("solver", ["adam", "bbo", "bbo+adam"])
def test_what_needs_more_memory_than_there_is_is_refused_at_once(
    insects: Path, capsys: pytest.CaptureFixture[str], solver: str
) -> None:
    begin = process_time()
    for dendrites in (10**9, 10**30):
        assert fit(insects, "--n-dendrites", dendrites, "--solver", solver) == 1
        message = capsys.readouterr().err
        assert re.fullmatch(
            rf"modn: error: training {dendrites} dendrites with 5 inputs and 3 outputs, \d+ at once, "
            r"needs [\d,]+ GiB of memory; allowed: \d+ GiB, which this machine has\n",
            message,
        )
    assert process_time() - begin < 5
    assert not insects.with_name("m").exists()


def test_more_neurons_or_jobs_than_a_machine_can_have_are_refused(
    insects: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for option in ("--n-estimators", "--n-init", "--n-jobs"):
        assert fit(insects, option, 10**12) == 1
        message = capsys.readouterr().err
        assert message.startswith(f"modn: error: {option} is 1000000000000; allowed: an integer from ")


def test_memory_that_runs_out_all_the_same_is_said(
    insects: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object, **options: object) -> None:
        raise MemoryError("Unable to allocate 9 GiB")

    monkeypatch.setattr(modn.MODNClassifier, "fit", full)
    error = refusal(
        capsys, "fit", insects, "--target", "kind", "--drop", "id", "--out", insects.with_name("m")
    )
    assert error == "modn: error: not enough memory (Unable to allocate 9 GiB)\n"


# The demonstration


@pytest.mark.slow
def test_the_demonstration(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = [[0.0], [1.0]] * 5, [0, 1] * 5
    modn.MODNClassifier(max_iter=1).fit(X, y).to_circuit(X, y, size=1)  # compiles
    begin = process_time()
    assert run("demo") == 0
    assert process_time() - begin < 10
    out = capsys.readouterr().out
    assert "178 rows, 13 features" in out
    found = re.search(r"cross-validated accuracy ([\d.]+), standard deviation [\d.]+ over 5 folds", out)
    assert found is not None and float(found[1]) > 0.9
    assert re.search(r"proline (<|>=) ", out) and "would change the decision" in out
    program = out[out.index("def neuron(") : out.index("Next, ")]
    namespace: dict[str, object] = {}
    exec(program, namespace)
    assert namespace["neuron"](proline=1500, flavanoids=3, alcohol=14, color_intensity=6) == "class_0"  # type: ignore[operator]
