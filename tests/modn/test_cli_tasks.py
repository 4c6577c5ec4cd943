"""The command line for labels and numbers, and how it guesses the task."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command import refusal, run


@pytest.fixture
def houses(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"size": rng.uniform(30, 200, 80).round(1), "colour": rng.choice(["red", "blue"], 80)}
    )
    table["price"] = (2 * table["size"] + 50 * (table["colour"] == "red")).round(1)
    table["rent"] = (0.01 * table["price"]).round(3)
    table["big"] = (table["size"] > 100).astype(int)
    table["dear"] = (table["price"] > 250).astype(int)
    table.to_csv(tmp_path / "houses.csv", index=False)
    return tmp_path / "houses.csv"


def fit(houses: Path, target: str, *options: object) -> Path:
    others = {"price", "rent", "big", "dear"} - set(target.split(","))
    drops = [part for name in sorted(others) for part in ("--drop", name)]
    model = houses.with_name("model.modn")
    command = ("fit", houses, "--target", target, "--out", model, "--n-dendrites", 8, "--folds", 0)
    assert run(*command, *drops, *options) == 0
    return model


def score(said: str) -> float:
    found = re.search(r"R2 (-?[0-9.]+[0-9])", said)
    assert found is not None, said
    return float(found[1])


def test_numbers(houses: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = fit(houses, "price")
    err = capsys.readouterr().err
    assert "task: regression, since the target holds " in err and "different numbers (--task chooses)" in err
    assert "80 rows, 2 features, numbers: price " in err and score(err) > 0.9
    assert run("predict", model, houses) == 0
    predicted = capsys.readouterr()
    rows = predicted.out.splitlines()
    assert rows[0] == "price" and len(rows) == 81 and float(rows[1]) > 0
    assert score(predicted.err) > 0.9 and "has the column 'price'" in predicted.err
    assert run("explain", model, "--data", houses) == 0
    out = capsys.readouterr().out
    assert f"measured on {houses}" in out and "to price (" in out and "R2 on 80 samples: the neuron" in out
    assert run("explain", model) == 0
    assert "points spread over the features' ranges" in capsys.readouterr().out


def test_several_numbers(houses: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = fit(houses, "price,rent")
    assert "task: regression, since there are several targets, which hold numbers" in capsys.readouterr().err
    assert run("predict", model, houses) == 0
    predicted = capsys.readouterr()
    assert predicted.out.splitlines()[0] == "price,rent"
    assert "has the columns 'price', 'rent'" in predicted.err


def test_labels(houses: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = fit(houses, "big,dear")
    err = capsys.readouterr().err
    assert "task: labels, since the targets are 0 or 1" in err and "labels: big " in err
    assert "training micro F1 0.9" in err or "training micro F1 1" in err
    assert run("predict", model, houses, "--proba") == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0] == "big,dear,P(big),P(dear)" and set(rows[1].split(",")[:2]) <= {"0", "1"}
    assert run("explain", model, "--data", houses) == 0
    assert "the log-odds of dear start at" in capsys.readouterr().out


def test_a_few_different_numbers_are_classes(houses: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = fit(houses, "big")
    assert "task: classification, since the target holds 2 different values" in capsys.readouterr().err
    fit(houses, "big", "--task", "regression")
    assert "task:" not in capsys.readouterr().err
    assert model.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--target", "price", "--task", "ranks"],
            "--task is 'ranks'; allowed: classification, labels, regr",
        ),
        (
            ["--target", "price", "--task", "labels"],
            "--target names 1 column; allowed: two or more, for labels",
        ),
        (["--target", "big,price", "--task", "labels"], "line 2, column 'price': "),
        (["--target", "big,dear", "--task", "classification"], "--target names 2 columns; allowed: one, for"),
        (["--target", "colour", "--task", "regression"], "is not a finite number"),
        (["--target", "price,garden"], "column 'garden' is missing; the file has 'size', 'colour'"),
        (
            ["--target", "price", "--class-weight", "balanced"],
            "--class-weight is for classes; the task is regression",
        ),
    ],
)
def test_what_fit_refuses(
    houses: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert message in refusal(capsys, "fit", houses, "--out", houses.with_name("m.modn"), *options)


def test_numbers_have_no_probabilities(houses: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = fit(houses, "price")
    capsys.readouterr()
    error = refusal(capsys, "predict", model, houses, "--proba")
    assert "predicts numbers, which have no probabilities" in error
