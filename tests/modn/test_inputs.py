"""Inputs of a neuron: columns of any kind, their scalings and categories, and what is refused."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from modn.frames import columns_of
from modn.inputs import MOST_CATEGORIES, Categories, Input, Inputs, Silent

NAN = np.nan


def objects(*values: Any) -> np.ndarray:
    return np.array([*values], dtype=object)


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        (pd.Series([1, 2], dtype="int8"), [1.0, 2.0]),
        (pd.Series([1.5, NAN]), [1.5, NAN]),
        (pd.Series([1, None], dtype="Int64"), [1.0, NAN]),
        (pd.Series([1.5, None], dtype="Float32"), [1.5, NAN]),
        (pd.Series([1, 2.5, None], dtype=object), [1.0, 2.5, NAN]),
        (pd.Series([None, None], dtype=object), [NAN, NAN]),
        (pd.Series(["a", None]), ["a", None]),
        (pd.Series(["a", pd.NA], dtype="string"), ["a", None]),
        (pd.Series(["a", pd.NA, NAN, None], dtype=object), ["a", None, None, None]),
        (pd.Series(["a", 1, 2.0, True], dtype=object), ["a", "1", "2", "True"]),
        (pd.Series(["a", None], dtype="category"), ["a", None]),
        (pd.Series([1, 2], dtype="category"), ["1", "2"]),
        (pd.Series([1.0, NAN], dtype="category"), ["1", None]),
        (pd.Series([True, False]), ["True", "False"]),
        (pd.Series([True, None], dtype="boolean"), ["True", None]),
        (pd.Series([True, None], dtype=object), ["True", None]),
    ],
    ids=lambda value: f"{value.dtype} {value.tolist()}" if isinstance(value, pd.Series) else "",
)
def test_a_column_holds_numbers_or_texts(series: pd.Series, expected: list[Any]) -> None:
    frame = pd.DataFrame({"c": series})
    for X in (frame, objects(*frame.to_numpy(dtype=object))):
        if X is not frame and isinstance(series.dtype, pd.CategoricalDtype):
            continue  # an array does not know that numbers are categories
        (column,) = columns_of(X, ["c"])
        if isinstance(expected[0], float):
            assert column.dtype == np.float64
            np.testing.assert_array_equal(column, expected)
        else:
            assert column.tolist() == expected


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (
            np.array([[1.0], [np.inf]]),
            ValueError,
            r"feature 'c' is inf in row 1 \(counted from 0\); allowed: fin",
        ),
        (pd.DataFrame({"c": [-np.inf]}), ValueError, "feature 'c' is -inf in row 0"),
        (
            objects([10**400]),
            ValueError,
            "feature 'c' has a number beyond all floats; allowed: finite numbers",
        ),
        (objects([{"a": 1}]), TypeError, "feature 'c': argument must be a string or a number, not dict"),
        (
            pd.DataFrame({"c": pd.to_datetime(["2024-01-01"])}),
            TypeError,
            "feature 'c' has the dtype datetime64",
        ),
        (
            pd.DataFrame({"c": [1j]}),
            TypeError,
            "feature 'c' has the dtype complex128; allowed: numbers, texts",
        ),
    ],
    ids=str,
)
def test_columns_that_are_refused(X: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        columns_of(X, ["c"])


def test_each_feature_becomes_its_inputs() -> None:
    X = pd.DataFrame(
        {
            "size": [0.0, 5.0, 10.0, NAN],
            "sex": ["m", "f", "m", None],
            "colour": ["red", "blue", "green", "red"],
            "same": ["a", "a", None, "a"],
            "gone": [None, None, None, None],
            "old": [True, False, True, True],
        }
    )
    inputs = Inputs.fit(X, list(X))
    assert inputs.columns == [
        Input(0, None),
        Input(1, "m"),
        *(Input(2, colour) for colour in ("blue", "green", "red")),
        Input(3, None),
        Input(4, None),
        Input(5, "True"),
    ]
    expected = [[0, 1, 0, 0, 1, 0, 0, 1], [0.5, 0, 1, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0, 1]]
    np.testing.assert_array_equal(inputs.transform(X)[:3], expected)
    np.testing.assert_allclose(inputs.transform(X)[3], [0.5, 2 / 3, 0, 0, 1, 0, 0, 1])
    np.testing.assert_allclose(inputs.means, inputs.transform(X).mean(axis=0))
    assert inputs.silent.tolist() == [False] * 5 + [True, True, False]
    assert inputs.names_by(list("abcdef"))[:3] == ["a", "b is m", "c is blue"]
    assert inputs.unscaled(0, [0.25, 1.0]).tolist() == [2.5, 10.0]
    assert inputs.unscaled(1, [0.5]).tolist() == [0.5]


def test_what_is_missing_or_was_not_seen_becomes_the_mean() -> None:
    X = pd.DataFrame({"sex": ["m", "f"], "colour": ["red", "blue"], "size": [1.0, 2.0], "same": [3, 3]})
    inputs = Inputs.fit(X, list(X), weight=[3.0, 1.0])
    new = X.assign(sex=["x", None], colour=["pink", "red"], size=[9.0, NAN], same=[None, 7])
    assert inputs.transform(new).tolist() == [[0.75, 0.75, 1, 0], [0.75, 1, 0.25, 0]]


def test_rare_categories_have_no_input_of_their_own() -> None:
    texts = [f"c{k:02}" for k in range(MOST_CATEGORIES + 5)]
    column = np.array([*texts, *texts[5:], "c34"], dtype=object)[:, None]
    inputs = Inputs.fit(column, ["c"])
    assert inputs.features == (Categories(tuple(texts[5:]), others=True),)
    assert inputs.transform(objects(["c03"], ["new"])).tolist() == [[0.0] * MOST_CATEGORIES] * 2
    assert np.array_equal(inputs.transform(objects([None]))[0], inputs.means)
    weighted = Inputs.fit(column, ["c"], np.where(column[:, 0] == "c00", 9, 1))
    assert weighted.names[0] == "c is c00"


def test_identifiers_are_refused() -> None:
    column = np.array([f"id{k}" for k in range(40)], dtype=object)[:, None]
    message = (
        "feature 'key' holds 40 different texts in as many rows, such as 'id0'; allowed: numbers, or categ"
    )
    with pytest.raises(ValueError, match=message):
        Inputs.fit(column, ["key"])


def test_numbers_and_booleans_stand_for_each_other_and_for_categories() -> None:
    truths, numbers = np.array([[True], [False]]), np.array([[1.0], [0.0]])
    for fitted, given in ((truths, numbers), (numbers, truths), (truths, truths)):
        assert Inputs.fit(fitted, ["x"]).transform(given).tolist() == [[1.0], [0.0]]
    codes = Inputs.fit(pd.DataFrame({"c": pd.Categorical([1, 2, 3])}), ["c"])
    assert codes.transform(np.array([[2.0], [3.0]])).tolist() == [[0, 1, 0], [0, 0, 1]]
    texts = pd.DataFrame({"x": pd.Categorical([1, 0, None])})
    assert Inputs.fit(numbers, ["x"]).transform(texts).tolist() == [[1.0], [0.0], [0.5]]
    for wrong in ("red", "inf"):
        with pytest.raises(
            ValueError, match=f"feature 'x' holds '{wrong}'; allowed: numbers, as in training"
        ):
            Inputs.fit(numbers, ["x"]).transform(objects([wrong]))


def test_numbers_beside_texts_in_a_list_stay_numbers() -> None:
    inputs = Inputs.fit([["red", 1.5], ["blue", 2.5]], ["colour", "size"])
    assert inputs.columns == [Input(0, "red"), Input(1, None)]
    assert inputs.transform([["red", 2.0]]).tolist() == [[1.0, 0.5]]


def test_samples_of_weight_0_are_not_seen() -> None:
    X = objects(["a", 1], ["b", 2], ["c", 900])
    inputs = Inputs.fit(X, ["c", "x"], np.array([1.0, 2.0, 0.0]))
    assert inputs.features[0] == Categories(("a", "b"))
    assert inputs.unscaled(1, 1.0) == 2.0


def test_inputs_are_described_and_rebuilt() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"a": rng.random(50), "b": list("xyzzy") * 10, "c": 1, "d": np.exp(9 * rng.normal(size=50))}
    )
    inputs = Inputs.fit(X, list(X))
    again = Inputs.rebuild(*inputs.describe(), list(X))
    assert np.array_equal(again.transform(X), inputs.transform(X))
    assert again.columns == inputs.columns and isinstance(again.features[2], Silent)
    texts = Inputs.fit(X[["b"]], ["b"])
    assert Inputs.rebuild(*texts.describe(), ["b"]).features == texts.features
    description, arrays = inputs.describe()
    with pytest.raises(ValueError, match="the levels of knots do not increase"):
        Inputs.rebuild(description, arrays | {"knots": arrays["knots"] * [[1], [-1]]}, list(X))
    with pytest.raises(ValueError, match="means has the shape"):
        Inputs.rebuild(description, arrays | {"means": np.zeros(2)}, list(X))
    with pytest.raises(ValueError, match="3 feature names for 4 features"):
        Inputs.rebuild(description, arrays, list("abc"))
