"""Cleaning: what a recipe does to a raw table, and what is said about one that it cannot be done to."""

import numpy as np
import pandas as pd
import pytest

from stages.study.cleaning import Recipe, clean, features_and_labels, sorted_classes

RAW = {
    "id": ["a", "b", "c", "d", "e", "f"],
    "size": ["small", "big", "big", "small", "med", "med"],
    "mass": ["1", "2.5", "-3e2", "4", "5", "6"],
    "kind": ["x", "y", "x", "y", "x", "y"],
}


def raw(**columns: list[str]) -> pd.DataFrame:
    return pd.DataFrame(RAW | columns, index=range(2, 8), dtype=object)  # the header is line 1


def recipe(**changes: object) -> Recipe:
    plain: dict[str, object] = {
        "class_column": "kind",
        "drop_columns": ["id"],
        "codes": {"size": {"small": 1, "med": 2, "big": 3}},
    }
    return Recipe(**(plain | changes))  # type: ignore[arg-type]


def test_a_tidy_table_has_numbers_in_the_columns_order_and_the_class_last() -> None:
    tidy = clean(raw()[["kind", "id", "mass", "size"]], recipe())
    assert list(tidy.columns) == ["mass", "size", "kind"]
    assert tidy["mass"].tolist() == [1, 2.5, -300, 4, 5, 6]
    assert tidy["size"].tolist() == [1, 3, 3, 1, 2, 2]
    assert tidy["kind"].tolist() == list("xyxyxy")
    assert tidy["mass"].dtype == tidy["size"].dtype == np.float64


def test_rows_of_dropped_classes_are_gone_and_those_left_keep_their_order() -> None:
    tidy = clean(raw(kind=list("xzyyzx")), recipe(drop_classes=["z"]))
    assert tidy["mass"].tolist() == [1, -300, 4, 6]
    assert tidy["kind"].tolist() == list("xyyx")
    assert tidy.index.tolist() == [0, 1, 2, 3]


def test_a_dropped_class_may_hold_what_no_other_row_may() -> None:
    tidy = clean(raw(kind=list("xzyyzx"), mass=["1", "?", "3", "4", "", "6"]), recipe(drop_classes=["z"]))
    assert tidy["mass"].tolist() == [1, 3, 4, 6]


def test_each_missing_value_rule() -> None:
    table = raw(mass=["1", "", "3", "4", "5", "6"], size=["small", "big", "", "small", "med", "med"])
    assert clean(table, recipe(missing="drop_rows"))["mass"].tolist() == [1, 4, 5, 6]
    kept = clean(table, recipe(missing="median"))
    assert len(kept) == 6
    assert np.argwhere(kept.drop(columns="kind").isna().to_numpy()).tolist() == [[1, 1], [2, 0]]
    with pytest.raises(ValueError, match=r"missing in line 4, column 'size'.*drop_rows or median"):
        clean(table, recipe(missing="refuse"))


@pytest.mark.parametrize(
    ("columns", "changes", "message"),
    [
        ({}, {"class_column": "colour"}, r"column 'colour' is missing; allowed: id, size, mass, kind"),
        ({}, {"drop_columns": ["id", "height"]}, r"column 'height' is missing"),
        ({}, {"codes": {"shape": {"round": 1}}}, r"column 'shape' is missing"),
        (
            {},
            {"drop_columns": []},
            r"'a' in lines 2, 3, 4, 5, 6, \.\.\., column 'id', is not a finite number",
        ),
        ({"mass": [*list("12345"), "six"]}, {}, r"'six' in line 7, column 'mass', is not a finite number"),
        ({"mass": [*list("12345"), "inf"]}, {}, r"'inf' in line 7, column 'mass', is not a finite number"),
        ({"mass": [*list("12345"), "nan"]}, {}, r"'nan' in line 7, column 'mass', is not a finite number"),
        (
            {"size": ["huge"] * 6},
            {},
            r"'huge' in lines 2, .*column 'size', has no code; allowed: small, med, big",
        ),
        ({"kind": ["x", "", "x", "y", "x", "y"]}, {}, r"the class is missing in line 3, column 'kind'"),
        ({"kind": ["x"] * 6}, {}, r"1 class\(es\) in column 'kind'; at least two are needed"),
        ({}, {"drop_classes": ["x", "y"]}, r"0 class\(es\) in column 'kind'"),
        ({}, {"drop_classes": ["X"]}, r"drop_classes is 'X'; allowed: x, y"),
        (
            {},
            {"codes": {"kind": {"x": 0, "y": 1}}},
            r"column 'kind' is the class; allowed in codes: features",
        ),
        ({}, {"one_hot": ["kind"]}, r"column 'kind' is the class; allowed in one_hot: features"),
        ({"kind": list("xxxxxy")}, {}, r"class 'y' has a single row; at least two are needed"),
        ({}, {"drop_columns": ["id", "size", "mass"], "codes": {}}, r"no feature column beside the class"),
    ],
)
def test_what_cannot_be_cleaned_is_refused(
    columns: dict[str, list[str]], changes: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        clean(raw(**columns), recipe(**changes))


def test_lines_are_those_of_the_file_also_after_rows_were_dropped() -> None:
    table = raw(kind=list("zxyyxz"), mass=["1", "2", "3", "four", "5", "6"])
    with pytest.raises(ValueError, match=r"'four' in line 5,"):
        clean(table, recipe(drop_classes=["z"]))


def test_a_column_that_stands_twice_is_refused() -> None:
    table = raw()
    table.columns = ["id", "size", "size", "kind"]
    with pytest.raises(ValueError, match="'size' occurs more than once"):
        clean(table, recipe())


def test_dropping_rows_may_not_leave_a_class_with_a_single_one() -> None:
    table = raw(kind=list("xxxxyy"), mass=["1", "2", "3", "4", "5", ""])
    with pytest.raises(ValueError, match="class 'y' has a single row"):
        clean(table, recipe(missing="drop_rows"))


def test_categories_without_an_order_become_columns() -> None:
    table = raw(size=["small", "med", "", "big", "med", "big"], mass=list("ababab"))
    found = clean(table, recipe(codes={}, one_hot=["size", "mass"], missing="median"))
    assert list(found) == ["size=big", "size=med", "size=small", "mass=b", "kind"]
    np.testing.assert_array_equal(found["size=med"], [0, 1, np.nan, 0, 1, 0])
    np.testing.assert_array_equal(found["size=big"], [0, 0, np.nan, 1, 0, 1])
    np.testing.assert_array_equal(found["mass=b"], [0, 1, 0, 1, 0, 1])
    with pytest.raises(ValueError, match=r"column 'colour' is missing; allowed: id, size, mass, kind"):
        clean(table, recipe(one_hot=["colour"]))
    twice = table.rename(columns={"id": "mass=b"}).assign(**{"mass=b": "1"})
    with pytest.raises(ValueError, match="'mass=b' occurs more than once"):
        clean(twice, recipe(drop_columns=[], codes={}, one_hot=["size", "mass"], missing="median"))


def test_features_and_labels_of_a_table_read_as_text() -> None:
    text = pd.DataFrame({"a": ["1.0", "", "2.5"], "b": ["-1", "0", "1e-3"], "class": ["1", "2", "1"]})
    X, labels = features_and_labels(text)
    np.testing.assert_array_equal(X, [[1, -1], [np.nan, 0], [2.5, 1e-3]])
    assert X.dtype == np.float64
    assert labels.tolist() == ["1", "2", "1"]


def test_classes_are_in_numerical_order_where_all_are_numbers() -> None:
    assert sorted_classes(np.array(["10", "9", "2", "10"])).tolist() == ["2", "9", "10"]
    assert sorted_classes(np.array(["10", "9", "b", "9"])).tolist() == ["10", "9", "b"]
