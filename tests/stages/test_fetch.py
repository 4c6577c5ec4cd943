"""fetch: the 11 tables are the paper's; whatever is wrong with a table is said, and nothing is changed."""

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from copies import FEW_FITS, ROOT, SMOKE, Place

from stages.config.schema import Parameters
from stages.fetch import fetch
from stages.io.entrypoint import StageError

PRINTED = pd.read_csv(ROOT / "data/raw/paper/table1_datasets.csv")
ALL_11 = (*FEW_FITS, f"datasets=[{','.join(PRINTED['dataset'])}]")


def tidy(place: Place, name: str) -> pd.DataFrame:
    return pd.read_csv(place.root / f"data/tables/{name}.csv")


def set_file(place: Place, parameters: Parameters, name: str, text: str) -> None:
    """Put another text into a dataset's file, and declare that it is meant."""
    (place.root / parameters.datasets[name].file).write_text(text)
    parameters.datasets[name].sha256 = None


@pytest.fixture
def iris(place: Place) -> Parameters:
    """iris and caesarian, fetched: what a failing fetch must leave as it is."""
    parameters = place.parameters(*SMOKE)
    fetch(parameters)
    return parameters


@pytest.fixture
def refused(place: Place) -> Callable[..., None]:
    """Fetch must end with an error of these words, and change nothing."""

    def check(parameters: Parameters, *expected: str) -> None:
        before = place.made()
        assert "data/tables/iris.csv" in before and "data/table1.csv" in before
        with pytest.raises(StageError) as refusal:
            fetch(parameters)
        assert all(part in str(refusal.value) for part in expected), str(refusal.value)
        assert place.made() == before

    return check


def test_a_link_that_leads_out_of_data_raw(
    place: Place, iris: Parameters, refused: Callable[..., None]
) -> None:
    """Nothing outside of the project becomes a part of its results; a link within data/raw is fine."""
    outside, file = place.root.parent / "outside.csv", place.root / iris.datasets["iris"].file
    file.rename(file.with_name("moved.csv"))
    file.symlink_to("moved.csv")
    fetch(iris)
    outside.write_bytes(file.read_bytes())
    file.unlink()
    file.symlink_to(outside)
    refused(iris, f"data/raw/uci/iris.csv is a link to {outside}; allowed: a file below data/raw")


def test_table_1_is_the_papers_for_all_11(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    fetch(place.parameters(*ALL_11))
    ours = pd.read_csv(place.root / "data/table1.csv")
    counts = ["dataset", "train", "test", "classes", "features"]
    assert len(ours) == 11
    pd.testing.assert_frame_equal(ours[counts], PRINTED[counts])
    for row in ours.itertuples():  # and the tables are what Table 1 says of them
        table = tidy(place, row.dataset)
        assert table.shape == (row.train + row.test, row.features + 1)
        assert table.iloc[:, -1].nunique() == row.classes
        assert all(pd.api.types.is_numeric_dtype(table[column]) for column in table.columns[:-1])
    assert capsys.readouterr().out.count("rows,") == 11

    breast = tidy(place, "breast_cancer")
    assert len(breast) == 683 and "sample_code" not in breast
    assert not breast.isna().any(axis=None)
    assert Counter(breast["class"]) == {2: 444, 4: 239}

    heart = tidy(place, "heart_disease")
    assert len(heart) == 303 and heart.isna().sum().sum() == 6
    assert heart.columns[heart.isna().any()].tolist() == ["ca", "thal"]

    assert Counter(tidy(place, "ecoli")["class"]) == {"cp": 143, "im": 77, "pp": 52, "imU": 35, "om": 20}
    assert sorted(tidy(place, "glass")["type"].unique()) == [1, 2, 3, 5, 6, 7]

    car = tidy(place, "car")
    raw = pd.read_csv(place.root / "data/raw/uci/car.csv", dtype=str)
    order = {"vhigh": 4, "high": 3, "med": 2, "low": 1}
    assert car["buying"].tolist() == [order[value] for value in raw["buying"]]
    assert sorted(car["doors"].unique()) == [2, 3, 4, 5]
    assert sorted(car["persons"].unique()) == [2, 4, 6]
    assert car.groupby(raw["lug_boot"])["lug_boot"].unique().map(list).to_dict() == {
        "small": [1],
        "med": [2],
        "big": [3],
    }
    assert (raw.loc[car["safety"] == 3, "safety"] == "high").all()


def test_the_values_are_the_raw_files_to_the_last_digit(place: Place, iris: Parameters) -> None:
    raw = pd.read_csv(place.root / "data/raw/uci/iris.csv")
    pd.testing.assert_frame_equal(tidy(place, "iris"), raw, check_exact=True)


def test_fetching_again_gives_the_same_bytes(place: Place, iris: Parameters) -> None:
    before = place.made()
    fetch(iris)
    assert place.made() == before


def test_tables_that_are_no_longer_asked_for_are_gone(place: Place, iris: Parameters) -> None:
    del iris.datasets["caesarian"]
    fetch(iris)
    assert list(place.made()) == ["data/table1.csv", "data/tables/iris.csv"]


def test_a_damaged_file(place: Place, iris: Parameters, refused: Callable[..., None]) -> None:
    path = place.root / "data/raw/uci/iris.csv"
    path.write_bytes(path.read_bytes().replace(b"5.1,3.5", b"5.1,3.6", 1))
    refused(iris, "data/raw/uci/iris.csv is damaged", str(iris.datasets["iris"].sha256), "git checkout")


def test_a_damaged_file_after_good_ones(place: Place, iris: Parameters, refused: Callable[..., None]) -> None:
    path = place.root / "data/raw/uci/caesarian.csv"
    path.write_bytes(path.read_bytes() + b"\n")
    refused(iris, "data/raw/uci/caesarian.csv is damaged")


def test_a_missing_file(place: Place, iris: Parameters, refused: Callable[..., None]) -> None:
    (place.root / "data/raw/uci/iris.csv").unlink()
    refused(iris, "data/raw/uci/iris.csv cannot be read", "No such file")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["data/raw/uci/iris.csv is empty"]),
        ('a,class\n"1,x\n', ["cannot be read as a CSV file: unexpected end of data"]),
        ("a,class\n1,x\n\n1,x\n", ["line 3: a blank line; allowed: at the end only"]),
        ("a,class\n1,x\n,\n1,x\n", ["the class is missing in line 3"]),
        ("a,class\n1,x\n1,x,3\n", ["line 3: 3 cells, but the header has 2"]),
        ("a,class\n1,x\n1,y\0\n", ["line 3: a NUL character; allowed: text"]),
        ('a,class\n1,x\n1,"y\nz"\n', ["line 4, column 'class': 'y\\nz'; allowed: a class without control"]),
        ("a,class\n1,x\n1\n", ["line 3: 1 cells, but the header has 2"]),
        ("a,a,class\n1,1,x\n2,2,y\n", ["column 'a' occurs more than once"]),
        ("a,b\n1,2\n", ["column 'class' is missing", "a, b", "conf/datasets/iris.yaml"]),
        ("a,class\n1,x\nmany,y\n", ["'many' in line 3, column 'a', is not a finite number"]),
        ("a,class\n1,x\n,y\n3,x\n", ["a value is missing in line 3, column 'a'", "drop_rows or median"]),
        ("a,class\n1,x\n2,\n", ["the class is missing in line 3"]),
        ("a,class\n1,x\n2,x\n", ["1 class(es)", "at least two are needed"]),
        ("a,class\n1,x\n2,x\n3,y\n", ["class 'y' has a single row"]),
        ("a,class\n", ["0 class(es)"]),
        ("class\nx\ny\nx\ny\n", ["no feature column"]),
        ("a,class\n1,x\n2,x\n3,y\n4,y\n", ["has 2 classes", "datasets.iris.n_classes says 3"]),
    ],
)
def test_a_table_that_cannot_be_used(
    place: Place, iris: Parameters, refused: Callable[..., None], text: str, expected: list[str]
) -> None:
    set_file(place, iris, "iris", text)
    refused(iris, "data/raw/uci/iris.csv", *expected)


def test_bytes_that_are_no_text(place: Place, iris: Parameters, refused: Callable[..., None]) -> None:
    set_file(place, iris, "iris", "")
    (place.root / "data/raw/uci/iris.csv").write_bytes(b"a,class\n\xff\xfe,x\n")
    refused(iris, "data/raw/uci/iris.csv cannot be read as a CSV file")


def test_a_table_with_other_counts_than_the_papers(
    place: Place, iris: Parameters, refused: Callable[..., None]
) -> None:
    text = (place.root / "data/raw/uci/iris.csv").read_text()
    set_file(place, iris, "iris", text.rstrip("\n").rpartition("\n")[0] + "\n")
    refused(iris, "iris: 149 rows, 3 classes, 4 features", "Table 1 has 150, 3, 4")


@pytest.mark.parametrize("size", [150, 151])
def test_a_test_part_of_all_rows(iris: Parameters, refused: Callable[..., None], size: int) -> None:
    iris.datasets["iris"].test_size = size
    refused(iris, f"datasets.iris.test_size is {size}", "fewer than its 150 rows")


def test_an_error_while_writing_leaves_the_old_tables(
    place: Place, iris: Parameters, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = place.made()
    write, calls = Path.write_text, []

    def full_disk(self: Path, *args: object, **kwargs: object) -> int:
        calls.append(self)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        return write(self, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "write_text", full_disk)
    with pytest.raises(OSError, match="No space left"):
        fetch(iris)
    assert len(calls) == 2
    assert place.made() == before
    assert not list((place.root / "data").glob(".*"))


# fetch.source=uci, with answers of our own in UCI's place


def served_as_uci_does(place: Place, parameters: Parameters, name: str) -> SimpleNamespace:
    """The table with UCI's own headings, numbers where they are numbers, NaN where a value is missing."""
    dataset = parameters.datasets[name]
    raw = pd.read_csv(place.root / dataset.file)
    features = raw.drop(columns=[dataset.class_column, *dataset.drop_columns])
    features.columns = [f"uci {column}" for column in features]
    targets = pd.DataFrame({"target": "class-" + raw[dataset.class_column].astype(str)})
    return SimpleNamespace(features=features, targets=targets)


@pytest.fixture
def uci(place: Place, monkeypatch: pytest.MonkeyPatch) -> dict[int, SimpleNamespace]:
    """What UCI serves, by id."""
    shelf: dict[int, SimpleNamespace] = {}
    monkeypatch.setattr("stages.study.uci.serve", lambda id: (shelf[id].features, shelf[id].targets))
    return shelf


@pytest.fixture
def from_uci(place: Place, iris: Parameters, uci: dict[int, SimpleNamespace]) -> Parameters:
    for name, dataset in iris.datasets.items():
        assert dataset.uci_id is not None
        uci[dataset.uci_id] = served_as_uci_does(place, iris, name)
    iris.fetch.source = "uci"
    return iris


def test_uci_with_equal_values_gives_the_same_tables(place: Place, from_uci: Parameters) -> None:
    before = place.made()
    shutil.rmtree(place.root / "data/tables")
    fetch(from_uci)
    assert place.made() == before


def test_uci_with_missing_values_and_categories(place: Place, uci: dict[int, SimpleNamespace]) -> None:
    parameters = place.parameters(*ALL_11)
    for name in set(parameters.datasets) - {"heart_disease", "car", "breast_cancer", "ecoli"}:
        del parameters.datasets[name]
    for name, dataset in parameters.datasets.items():
        assert dataset.uci_id is not None
        uci[dataset.uci_id] = served_as_uci_does(place, parameters, name)
    parameters.fetch.source = "uci"
    fetch(parameters)
    assert len(tidy(place, "heart_disease")) == 303


def test_uci_with_one_other_cell(
    from_uci: Parameters, uci: dict[int, SimpleNamespace], refused: Callable[..., None]
) -> None:
    uci[53].features.iloc[41, 2] = 1.4
    refused(from_uci, "Iris, row 42, column 'petal_length'", "ours is '1.3'", "'uci petal_length' is '1.4'")


def test_uci_with_a_value_where_ours_is_missing(
    place: Place, iris: Parameters, uci: dict[int, SimpleNamespace], refused: Callable[..., None]
) -> None:
    parameters = place.parameters(*ALL_11)
    parameters.datasets = {"heart_disease": parameters.datasets["heart_disease"]}
    uci[45] = served_as_uci_does(place, parameters, "heart_disease")
    row = int(np.flatnonzero(uci[45].features["uci ca"].isna())[0])
    uci[45].features.loc[row, "uci ca"] = 0.0
    parameters.fetch.source = "uci"
    refused(parameters, f"Heart disease, row {row + 1}, column 'ca'", "ours is ''")


def test_uci_with_another_shape(
    from_uci: Parameters, uci: dict[int, SimpleNamespace], refused: Callable[..., None]
) -> None:
    uci[53].features = uci[53].features.iloc[:149]
    refused(from_uci, "Iris", "UCI's dataset is 149 x 4", "150")


def test_uci_with_other_classes(
    from_uci: Parameters, uci: dict[int, SimpleNamespace], refused: Callable[..., None]
) -> None:
    uci[53].targets.iloc[0, 0] = "class-Iris-virginica"
    refused(from_uci, "Iris", "one class at UCI are of several classes")


@pytest.mark.parametrize("error", [ConnectionError("no route to host"), ValueError("not found")])
def test_uci_without_an_answer(
    from_uci: Parameters, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., None], error: Exception
) -> None:
    def serve(id: int) -> None:
        raise error

    monkeypatch.setattr("stages.study.uci.serve", serve)
    refused(from_uci, "UCI's dataset 53 (Iris) cannot be fetched", str(error), "fetch.source=bundled")


def test_a_table_that_uci_does_not_have_is_not_asked_for(
    from_uci: Parameters, uci: dict[int, SimpleNamespace]
) -> None:
    uci.clear()
    for dataset in from_uci.datasets.values():
        dataset.uci_id = None
    fetch(from_uci)
