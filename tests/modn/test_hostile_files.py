"""Model files and CSV files made to do harm: one line of our own, in bounded time and memory.

What opens fine has to work: each file is given to `modn predict` and `modn explain`. The fuzz is a short one;
FUZZ=20 in the environment makes it twenty times as long, with other examples.
"""

import io
import json
import os
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command import run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import modn
from modn.persistence import FormatError

EFFORT = int(os.environ.get("FUZZ", "1"))
COMMON: dict[str, Any] = {
    "derandomize": EFFORT == 1,
    "deadline": None,
    "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
}
NOTES = {"target": "kind", "task": "classification", "missing": [""], "training_accuracy": [4, 1.0, 1.0, 1.0]}
CSV = "size,colour,kind\n1.5,red,ant\n2.5,blue,bee\n,red,ant\n9,,bee\n"


def small_model() -> modn.MODNClassifier:
    frame = pd.DataFrame({"size": [1.5, 2.5, None, 9.0], "colour": ["red", "blue", "red", None]})
    settings = {"solver": "bbo", "max_iter": 1, "population_size": 4, "n_dendrites": 2, "random_state": 0}
    return modn.MODNClassifier(**settings).fit(frame, ["ant", "bee", "ant", "bee"])


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "good.modn"
    modn.save(small_model(), path, notes=NOTES)
    return path


@pytest.fixture(scope="module")
def circuit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.random(40), "colour": rng.choice(["red", "blue"], 40)})
    kinds = np.where((frame["size"] < 0.5) & (frame["colour"] == "red"), "ant", "bee")
    path = tmp_path_factory.mktemp("models") / "circuit.modn"
    modn.save(modn.CircuitClassifier(random_state=0).fit(frame, kinds).circuit_, path, notes=NOTES)
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    path.write_text(CSV)
    return path


def parts_of(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    with np.load(path, allow_pickle=False) as archive:
        arrays = dict(archive)
    return json.loads(str(arrays.pop("header"))), arrays


def write(path: Path, header: Any, arrays: dict[str, np.ndarray]) -> Path:
    text = header if isinstance(header, str) else json.dumps(header)
    with path.open("wb") as file:
        np.savez(file, header=np.array(text), **arrays)
    return path


def with_value(values: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy with one value replaced."""
    if not path:
        return value
    copy = dict(values) if isinstance(values, dict) else list(values)
    copy[path[0]] = with_value(copy[path[0]], path[1:], value)
    return copy


@contextmanager
def little_memory(most: int = 2**27) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


def answer(capsys: pytest.CaptureFixture[str], *arguments: object) -> str | None:
    """The message of a command that fails in one line; None: it worked."""
    capsys.readouterr()
    code = run(*arguments)
    message = capsys.readouterr().err
    if code == 0:
        return None
    assert code == 1 and message.startswith("modn: error: ") and message.count("\n") == 1, message
    assert len(message) < 2000
    return message


HEADERS: dict[str, tuple[tuple[str, ...], Any]] = {
    "target is a number": (("notes", "target"), 5),
    "target is empty": (("notes", "target"), []),
    "two targets": (("notes", "target"), ["kind", "size"]),
    "notes are a list": (("notes",), ["target"]),
    "missing is a number": (("notes", "missing"), 7),
    "accuracy is a text": (("notes", "training_accuracy"), "high"),
    "accuracy is short": (("notes", "training_accuracy"), [1, 1.0]),
    "another task": (("notes", "task"), "regression"),
    "labels": (("notes", "task"), "labels"),
    "no task": (("notes", "task"), "tasks"),
    "alpha_s beyond all floats": (("numbers",), [{"alpha_s": 10**400, "alpha_t": 1.0, "target": "softmax"}]),
    "alpha_s beyond all floats as a parameter": (("estimator", "parameters", "alpha_s"), 10**400),
    "a solver that is none": (("estimator", "parameters", "solver"), "sgd"),
    "a bare neuron": (("model",), "Neuron"),
    "a circuit that is none": (("model",), "Circuit"),
    "model is a list": (("model",), ["MODNClassifier"]),
    "neuron is a list": (("neuron",), []),
    "numbers is a number": (("numbers",), 3),
    "numbers holds a list": (("numbers",), [[1]]),
    "features is a text": (("estimator", "features"), "ab"),
    "a feature is True": (("estimator", "features"), [True, None]),
    "a feature is below 0": (("estimator", "features"), [-2, None]),
    "categories are numbers": (("estimator", "features"), [2, {"known": [1, 2], "others": False}]),
    "names are numbers": (("estimator", "feature_names"), [1, 2]),
    "n_iter is huge": (("estimator", "n_iter"), 10**400),
    "n_iter is a text": (("estimator", "n_iter"), "3"),
    "temperature is huge": (("estimator", "temperature"), 10**400),
    "classes are lists": (("estimator", "classes"), [["ant"], ["bee"]]),
    "classes are objects": (("estimator", "classes"), [{}, {}]),
    "classes of 3 GB": (("estimator", "classes_dtype"), "<U400000000"),
    "no dtype": (("estimator", "classes_dtype"), "colour"),
    "a dtype of dates": (("estimator", "classes_dtype"), "<M8[s]"),
    "a dtype with fields": (("estimator", "classes_dtype"), "i4,i4"),
    "dtype is a number": (("estimator", "classes_dtype"), 4),
    "weights of classes": (("estimator", "parameters", "class_weight"), [["ant"], ["bee"]]),
    "version 1 without its arrays": (("version",), 1),
}


@pytest.mark.parametrize("case", HEADERS)
def test_a_crafted_header_is_refused_in_one_line(
    good: Path, data: Path, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    path, value = HEADERS[case]
    header, arrays = parts_of(good)
    file = write(data.with_name("bad.modn"), with_value(header, path, value), arrays)
    harmless = case == "n_iter is huge"
    with little_memory():
        for command in (("predict", file, data), ("explain", file)):
            message = answer(capsys, *command)
            assert harmless or (message is not None and str(file) in message and len(message) < 2000), case


@pytest.mark.parametrize("missing", ["target", "training_accuracy", "task", "missing"])
def test_notes_that_are_missing(
    good: Path, data: Path, capsys: pytest.CaptureFixture[str], missing: str
) -> None:
    header, arrays = parts_of(good)
    del header["notes"][missing]
    file = write(data.with_name("bad.modn"), header, arrays)
    for command in (("predict", file, data), ("explain", file)):
        message = answer(capsys, *command)
        assert (message is None) == (missing != "target"), message


@pytest.mark.parametrize("key", ["model", "notes", "neuron", "numbers", "estimator"])
def test_keys_that_are_missing(good: Path, data: Path, capsys: pytest.CaptureFixture[str], key: str) -> None:
    header, arrays = parts_of(good)
    del header[key]
    file = write(data.with_name("bad.modn"), header, arrays)
    message = answer(capsys, "predict", file, data)
    assert message == f"modn: error: {file} is damaged: {key} is missing\n"


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, "[" * 500 + "]" * 500, "nonsense", "1e999"]
)
def test_json_nested_deep_is_refused(
    good: Path, data: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    _, arrays = parts_of(good)
    file = write(data.with_name("bad.modn"), text, arrays)
    message = answer(capsys, "predict", file, data)
    assert message is not None and "not a model file of modn" in message


def npy(array: np.ndarray, claimed: tuple[int, ...] | None = None) -> bytes:
    """An array as bytes; `claimed`: the shape that its header says."""
    stream = io.BytesIO()
    np.save(stream, array)
    content = stream.getvalue()
    if claimed is None:
        return content
    header = np.lib.format.header_data_from_array_1_0(array) | {"shape": claimed}
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, header)
    return stream.getvalue() + array.tobytes()


def zipped(**members: tuple[bytes, int]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, (content, kind) in members.items():
            archive.writestr(f"{name}.npy", content, kind)
    return stream.getvalue()


def unpacks_to_64_mb(header: bytes) -> bytes:
    zeros = npy(np.zeros(2**23))
    return zipped(header=(header, zipfile.ZIP_STORED), w=(zeros, zipfile.ZIP_DEFLATED))


BOMBS: dict[str, Callable[[bytes], bytes]] = {
    "a member that unpacks to much more": unpacks_to_64_mb,
    "an array that says it is large": lambda header: zipped(
        header=(header, 0), w=(npy(np.zeros(3), (2**40,)), 0)
    ),
    "an array of a negative length": lambda header: zipped(
        header=(header, 0), w=(npy(np.zeros(3), (-3,)), 0)
    ),
    "a text that says it is large": lambda header: zipped(
        header=(header.replace(b"(),", b"(9999999999,),"), 0)
    ),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_sizes_are_checked_before_anything_is_read(good: Path, tmp_path: Path, bomb: str) -> None:
    header, _ = parts_of(good)
    path = tmp_path / "bomb"
    path.write_bytes(BOMBS[bomb](npy(np.array(json.dumps(header)))))
    assert path.stat().st_size < 200_000
    with little_memory(2**22), pytest.raises(FormatError, match="bomb is"):
        modn.load(path)


def test_models_of_other_kinds_are_refused_by_the_command(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    neuron, file = small_model().neuron_, data.with_name("neuron.modn")
    modn.save(neuron, file, notes=NOTES)
    for command in (("predict", file, data), ("explain", file), ("circuit", file, data, "--out", "x")):
        message = answer(capsys, *command)
        assert message is not None and "a Neuron; allowed for classification: a MODNClassifier" in message


# Fuzz: either a result or one line of our own


def leaves(values: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = (
        values.items() if isinstance(values, dict) else enumerate(values) if isinstance(values, list) else ()
    )
    for key, value in items:
        yield from leaves(value, (*path, key))


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.sampled_from([-1, 0, 1, 2, 3, 10**400, 1e308, 1e-308])
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["", "kind", "size", "softmax", "identity", "Neuron", "<U9", "|O", "f8", "\n", "\0"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@pytest.mark.slow
@settings(max_examples=60 * EFFORT, **COMMON)
@given(chosen=st.data())
def test_a_changed_header_gives_a_result_or_one_line(
    good: Path, circuit: Path, data: Path, capsys: pytest.CaptureFixture[str], chosen: st.DataObject
) -> None:
    others: list[tuple[object, ...]] = [("predict", data), ("explain",)]
    others += [
        ("export", "--to", target, "--out", data.with_name("program")) for target in modn.export.names()
    ]
    others.append(("explain", "--html", data.with_name("page.html")))
    source = chosen.draw(st.sampled_from([good, circuit]))
    header, arrays = parts_of(source)
    for _ in range(chosen.draw(st.integers(1, 2))):
        path = chosen.draw(st.sampled_from(sorted(leaves(header), key=repr)))
        header = with_value(header, path, chosen.draw(VALUES))
        if not isinstance(header, dict):
            break
    file = write(data.with_name("bad.modn"), header, arrays)
    with little_memory():
        for command, *rest in (("predict", data, "--proba"), chosen.draw(st.sampled_from(others))):
            answer(capsys, command, file, *rest)


@settings(max_examples=40 * EFFORT, **COMMON)
@given(chosen=st.data())
def test_changed_bytes_give_a_result_or_one_line(
    good: Path, data: Path, capsys: pytest.CaptureFixture[str], chosen: st.DataObject
) -> None:
    content = good.read_bytes()
    for _ in range(chosen.draw(st.integers(1, 3))):
        start, end = sorted(chosen.draw(st.tuples(*[st.integers(0, len(content))] * 2)))
        end = min(end, start + 8)
        content = content[:start] + chosen.draw(st.binary(max_size=8)) + content[end:]
    file = data.with_name("bad.modn")
    file.write_bytes(content)
    with little_memory():
        answer(capsys, "predict", file, data)


CELLS = st.text('aé,;"\n\r\t 01-.e', max_size=4) | st.sampled_from(
    ["nan", "inf", "1e308", "1e999", "", "x", "y", "0x1", "1_0", "True", "?", "\0", "\ufeff", "red", "5.l"]
)
RIGHT = st.sampled_from(CSV.splitlines()[1:])
ROWS = st.lists(RIGHT | RIGHT | st.lists(CELLS, min_size=3, max_size=3).map(",".join), max_size=8)
TABLES = ROWS.map(lambda rows: "\n".join(["size,colour,kind", *rows]).encode()) | st.binary(max_size=60)


@settings(max_examples=50 * EFFORT, **COMMON)
@given(content=TABLES)
def test_cells_give_a_prediction_for_each_row_or_one_line(
    good: Path, data: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    data.write_bytes(content)
    capsys.readouterr()
    out = data.with_name("answers.csv")
    if answer(capsys, "predict", good, data, "--out", out) is None:
        lines = content.decode("utf-8-sig").rstrip("\r\n").replace("\r\n", "\n").count("\n")
        answers = out.read_text().splitlines()
        assert '"' in content.decode() or "\r" in content.decode() or len(answers) == lines + 1


@pytest.mark.slow
@settings(max_examples=30 * EFFORT, **COMMON)
@given(content=TABLES)
def test_cells_give_a_model_or_one_line(
    data: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    data.write_bytes(content)
    out = data.with_name("model")
    out.unlink(missing_ok=True)
    fit = ("fit", data, "--target", "kind", "--max-iter", 1, "--n-dendrites", 4, "--folds", 2)
    message = answer(capsys, *fit, "--out", out)
    assert (message is None) == out.exists()
    if message is None:
        assert answer(capsys, "predict", out, data) is None
