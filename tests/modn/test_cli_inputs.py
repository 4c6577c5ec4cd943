"""The command line on real-world files: missing cells, categories, typos; models of the first format."""

import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command import refusal, run

import modn


def test_missing_cells_are_taken_as_they_are(insects: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = pd.read_csv(insects, dtype=str)
    table.loc[::4, "colour"], table.loc[1::4, "length"], table.loc[3, "sex"] = "?", "-9", ""
    table.to_csv(insects, index=False)
    model, answers = insects.with_name("model"), insects.with_name("answers.csv")
    fit = ("fit", insects, "--target", "kind", "--drop", "id", "--folds", 0, "--out", model)
    fit += ("--missing", "-9")
    assert run(*fit) == 0
    assert modn.load(model).inputs_.names[0] == "length"
    length = modn.load(model).inputs_.features[0]
    assert length.encode(np.array([-9.0, 12.0, 50.0]), "length").ravel() == pytest.approx(
        [0, 0.1, 1], abs=0.1
    )
    assert run("predict", model, insects, "--proba", "--out", answers) == 0
    told = pd.read_csv(answers)
    assert np.mean(told["kind"] == table["kind"]) > 0.95 and told.notna().all(axis=None)
    assert run("explain", model, "--data", insects) == 0
    assert "Missing values and unknown categories" in capsys.readouterr().out
    table["kind"] = np.where(table.index == 5, "NA", table["kind"])
    table.to_csv(insects, index=False)
    assert "line 7, column 'kind': the value is missing" in refusal(capsys, *fit)


def test_categories_that_training_did_not_see_count_as_missing(
    insects: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = insects.with_name("new.csv")
    table = pd.read_csv(insects)
    table.assign(colour=np.where(table.index > 3, "blue", table["colour"])).to_csv(new, index=False)
    capsys.readouterr()
    assert run("predict", model, new, "--proba") == 0
    unseen, err = capsys.readouterr()
    assert err.startswith(
        f"modn: {new}: line 6, column 'colour': 'blue' was not in the training file and counts as missing "
        "(86 such cells in the column)\n"
    )
    table.assign(colour=table["colour"].where(table.index <= 3)).to_csv(new, index=False)
    assert run("predict", model, new, "--proba") == 0
    assert capsys.readouterr().out == unseen


def test_numbers_are_categories_where_asked_for(insects: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = pd.read_csv(insects)
    table["colour"] = table["colour"].map({"dark": 1, "light": 2, "red": 3})
    table.to_csv(insects, index=False)
    model = insects.with_name("model")
    fit = ("fit", insects, "--target", "kind", "--drop", "id", "--folds", 0, "--out", model)
    fit += ("--drop", "length")
    assert run(*fit, "--categories", "colour") == 0
    assert run("explain", model) == 0
    assert re.search("colour is (not )?[123]", capsys.readouterr().out)
    assert "--categories is 'color'; allowed: " in refusal(capsys, *fit, "--categories", "color")


def test_a_typo_does_not_make_numbers_categories(insects: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Half of the cells or more make a column of texts."""
    table = pd.read_csv(insects, dtype=str)
    model = insects.with_name("model")
    fit = ("fit", insects, "--target", "kind", "--drop", "id", "--folds", 0, "--max-iter", 5, "--out", model)
    for typo in ("5.l", "1e400", "1_000", "inf", "0x10"):
        table.assign(length=table["length"].where(table.index != 7, typo)).to_csv(insects, index=False)
        assert refusal(capsys, *fit) == (
            f"modn: error: {insects}: line 9, column 'length': '{typo}' is not a finite number, as most "
            "cells of the column are; correct it, or use --missing or --categories\n"
        )
    assert run(*fit, "--missing", "0x10") == 0
    table["length"] = np.where(table.index % 2 == 0, "long", "3")
    table.to_csv(insects, index=False)
    assert run(*fit) == 0
    assert "length is long" in modn.load(model).inputs_.names


def test_several_neurons_and_balanced_classes(insects: Path) -> None:
    model = insects.with_name("model")
    fit = ("fit", insects, "--target", "kind", "--drop", "id", "--folds", 0, "--max-iter", 5, "--out", model)
    assert run(*fit, "--n-estimators", 2, "--class-weight", "balanced") == 0
    again = modn.load(model)
    assert len(again.neurons_) == 2 and again.class_weight == "balanced"


def test_a_model_of_the_first_format_predicts_as_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    """Written by `modn fit` at the last commit of format 1, with the probabilities that it gave."""
    folder = Path(__file__).parent / "models"
    assert run("predict", folder / "insects_1.modn", folder / "insects.csv", "--proba") == 0
    out, err = capsys.readouterr()
    told, before = pd.read_csv(io.StringIO(out)), pd.read_csv(folder / "insects_1_proba.csv")
    assert err.startswith("accuracy") and (told["kind"] == before["kind"]).all()
    assert np.allclose(told.iloc[:, 1:], before.iloc[:, 1:], atol=2e-6)
    assert run("explain", folder / "insects_1.modn", "--data", folder / "insects.csv") == 0
    assert "colour is" in capsys.readouterr().out


def test_columns_whose_names_look_like_categories_stay_apart(
    insects: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A column `colour` with the category `red`, and columns `colour is red` and `colour=red`."""
    table = pd.read_csv(insects)
    rng = np.random.default_rng(2)
    table["colour is red"], table["colour=red"] = rng.random(len(table)).round(3), range(len(table))
    table.to_csv(insects, index=False)
    model = insects.with_name("model")
    assert run("fit", insects, "--target", "kind", "--drop", "id", "--folds", 0, "--out", model) == 0
    again = modn.load(model)
    assert again.feature_names_in_.tolist() == ["length", "colour", "sex", "colour is red", "colour=red"]
    assert len(again.inputs_.columns) == len(again.neuron_.w_s) == 7
    without = table.drop(columns="colour is red")
    without.to_csv(insects, index=False)
    capsys.readouterr()
    assert "column 'colour is red' is missing" in refusal(capsys, "predict", model, insects)
