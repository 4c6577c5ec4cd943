"""Fuzz: whatever a table, a file of arrays or a value holds, the end is a result or an error in our words."""

import io
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from copies import LITTLE, contents, pairs
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf

from modn import csv_file
from stages.config import composition, hydra_conf
from stages.config.schema import Dataset, Parameters
from stages.fetch import fetch
from stages.io import files
from stages.io.entrypoint import StageError
from stages.split import split

# The same examples each time; a folder that a fixture made is used for all of them.
COMMON: dict[str, Any] = {
    "derandomize": True,
    "deadline": None,
    "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
}
ROOT = composition.ROOT


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that fetch and split take for the project's, with the paper's Table 1."""
    for name, value in vars(files).items():
        if isinstance(value, Path):
            monkeypatch.setattr(files, name, tmp_path / value.relative_to(ROOT))
    table1 = Path("data/raw/paper/table1_datasets.csv")
    (tmp_path / table1).parent.mkdir(parents=True)
    (tmp_path / table1).write_bytes((ROOT / table1).read_bytes())
    return tmp_path


@st.composite
def spoilt(draw: st.DrawFn, good: bytes) -> bytes:
    """Good bytes with a few of them changed, inserted, doubled or cut off."""
    content = good
    for _ in range(draw(st.integers(0, 3))):
        at, to = sorted(draw(st.tuples(*[st.integers(0, len(content))] * 2)))
        other = draw(st.sampled_from([b"", content[at:to] * 2]) | st.binary(max_size=8))
        content = content[:at] + other + content[to:]
    return content


# Tables

TABLE = b'size,mass,"kind"\nsmall,1,x\nbig,2.5,y\nbig,-3e2,x\n"small",,y\nmed,5,x\n'
CELLS = st.text('aé,;"\n\r\t 01-.e', max_size=4) | st.sampled_from(
    ["nan", "inf", "-1e308", "1e308", "1e999", "", "x", "y", "0x1", "1_0", "True", "small", "\x00", "\ufeff"]
)
CSV = (
    st.binary(max_size=40)
    | spoilt(TABLE)
    | st.lists(st.lists(CELLS, min_size=2, max_size=3).map(",".join), max_size=8).map(
        lambda rows: "\n".join(["mass,kind", *rows]).encode()
    )
)
NAMES = st.sampled_from(["size", "mass", "kind", "", "nope"])
RECIPES = st.fixed_dictionaries(
    {
        "class_column": st.sampled_from(["kind", "kind", "kind", "size", "nope"]),
        "drop_columns": st.lists(NAMES, max_size=1),
        "drop_classes": st.lists(st.sampled_from(["x", "y", ""]), max_size=2),
        "codes": st.sampled_from([{}, {"size": {"small": 1, "med": 2.5, "big": 3}}, {"nope": {"a": 1}}]),
        "missing": st.sampled_from(["refuse", "drop_rows", "median"]),
        "test_size": st.sampled_from([1, 2, 0.5, 0.01, 10**6]),
    }
)


def parameters_of(**recipe: Any) -> Parameters:
    parameters = Parameters(datasets={"mine": Dataset("Mine", "data/raw/mine.csv", **recipe)})
    parameters.split.protocol, parameters.split.seed, parameters.split.count = "published", 22, 1
    parameters.derived = {"test_sizes": {"mine": recipe["test_size"]}}
    return parameters


@pytest.mark.slow
@settings(max_examples=300, **COMMON)
@given(content=CSV, recipe=RECIPES)
def test_fetch_makes_a_tidy_table_of_a_csv_or_says_why_not(
    root: Path, content: bytes, recipe: dict[str, Any]
) -> None:
    (root / "data/raw/mine.csv").write_bytes(content)
    before = contents(root, ".")
    try:
        fetch(parameters_of(**recipe))
    except StageError as refusal:
        assert str(refusal).startswith(("data/raw/mine.csv", "datasets.mine.test_size"))
        assert contents(root, ".") == before
        return
    tidy = csv_file.parse((root / "data/tables/mine.csv").read_bytes(), "tidy")
    X = tidy.iloc[:, :-1].replace("", "nan").to_numpy(np.float64)
    assert tidy.iloc[:, -1].value_counts().min() >= 2
    assert tidy.columns[-1] == recipe["class_column"]
    assert not np.isinf(X).any()
    assert recipe["missing"] == "median" or not np.isnan(X).any()


TIDY = b"a,b,kind\n1,2,x\n2.5,1,y\n3,,x\n4,7,y\n5,6,x\n7,7,y\n"


@settings(max_examples=100, **COMMON)
@given(
    content=spoilt(TIDY), protocol=st.sampled_from(["published", "sound"]), size=st.sampled_from([1, 2, 0.4])
)
@example(
    content=TIDY.replace(b"7,7", b"1e308,-1e308").replace(b"1,2", b"-1e308,1e308"), protocol="sound", size=1
)
def test_split_makes_parts_of_a_table_or_says_why_not(
    root: Path, content: bytes, protocol: str, size: float
) -> None:
    files.TABLES.mkdir(exist_ok=True, parents=True)
    (files.TABLES / "mine.csv").write_bytes(content)
    parameters = parameters_of(class_column="kind", test_size=size)
    parameters.split.protocol = protocol
    before = contents(root, ".")
    try:
        split(parameters)
    except StageError as refusal:
        assert "mine" in str(refusal)
        assert contents(root, ".") == before
        return
    parts = files.read_arrays(files.SPLITS / "mine.npz")
    for part in ("X_train", "X_test"):
        assert ((parts[part] >= 0) & (parts[part] <= 1)).all()
    assert set(parts["y_train"].flat) == set(range(len(parts["classes"])))


# Files of arrays


def stored(**arrays: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **arrays)
    return stream.getvalue()


GOOD = stored(format=np.array(files.FORMAT), X=np.arange(6.0).reshape(2, 3), classes=np.array(["a", "b"]))


@settings(max_examples=400, **COMMON)
@given(content=st.binary(max_size=100) | spoilt(GOOD))
def test_reading_arrays_gives_arrays_or_says_why_not(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(content)
    try:
        arrays = files.read_arrays(path)
    except StageError as refusal:
        assert str(refusal).startswith(str(path)) and "`dvc repro" in str(refusal)
    else:
        assert all(isinstance(value, np.ndarray) and value.dtype != object for value in arrays.values())


# Parameters


@pytest.fixture(scope="module")
def valid() -> dict[str, Any]:
    """Every group with one member."""
    composition.register()
    text = composition.compose_conf(
        [*LITTLE, "models=[modnp]", "optimizers=[bbo]", *pairs({"modnp": "bbo"}, {}),
         "sensitivity.model=modnp", "sensitivity.dendrites=[6]"]
    )  # fmt: skip
    return yaml.safe_load(text)


def leaves(values: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in values.items():
        yield (*path, key)
        if isinstance(value, dict):
            yield from leaves(value, (*path, key))


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**25), 10**25)
    | st.sampled_from([-1, 0, 1, 2, 3])
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(
        ["???", "${alpha_s}", "${nope}", "${oc.env:NOPE}", "${", "\\", "bbo", "partition", "1e3", ".."]
    )
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=2)
    ),
    max_leaves=3,
)


@pytest.mark.slow
@settings(max_examples=60, **COMMON)
@given(data=st.data(), value=VALUES)
def test_a_value_is_taken_or_refused_in_words(
    valid: dict[str, Any], data: st.DataObject, value: object
) -> None:
    path = data.draw(st.sampled_from([path for path in leaves(valid) if path[0] != "derived"]))
    values = deepcopy(valid)
    node = values
    for name in path[:-1]:
        node = node[name]
    node[path[-1]] = value
    try:
        with hydra_conf.plain_errors("params.yaml"):
            parameters = hydra_conf.checked(OmegaConf.create(values))
    except ValueError as refusal:
        assert str(refusal).strip() and "raised while" not in str(refusal)
        return
    assert hydra_conf.derive(parameters)["test_sizes"].keys() == parameters.datasets.keys()


@pytest.mark.slow
@settings(max_examples=12, **COMMON)
@given(
    override=st.builds(
        "{}{}={}".format,
        st.sampled_from(["", "+", "++", "~"]),
        st.sampled_from(["alpha_s", "split", "datasets.iris.file", "optimizers.bbo.mutation", "runs"]),
        st.text("[]{}'\"$:,.= \\-+~@19aéinf\n", max_size=5),
    )
    | st.text(max_size=4)
)
@example(override="alpha_s=${alpha_s}")
def test_an_override_is_taken_or_refused_in_words(valid: dict[str, Any], override: str) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(composition, "ROOT", Path(folder))
        (Path(folder) / "params.yaml").write_text(yaml.safe_dump(valid))
        try:
            parameters = composition.compose_stage([override])
        except ValueError as refusal:
            assert len(str(refusal).splitlines()) == 1
        else:
            assert isinstance(parameters, Parameters)
