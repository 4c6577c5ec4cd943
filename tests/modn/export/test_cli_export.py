"""`modn export`, and what the other commands do with a circuit."""

from pathlib import Path

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from circuits import mixed, random_circuit

import modn
from modn import export
from modn.cli import main
from modn.explain.circuit import Circuit

NOTES = {"target": "kind", "missing": ["", "NA"]}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    frame = mixed(np.random.default_rng(0), 60)
    frame.assign(kind=np.where(frame["legs"] > 4, "ant", "bee")).to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


@pytest.fixture
def circuit() -> Circuit:
    frame = mixed(np.random.default_rng(0), 60)
    return random_circuit(frame, np.random.default_rng(8), np.array(["ant", "bee"]))


@pytest.fixture
def file(circuit: Circuit, tmp_path: Path) -> Path:
    modn.save(circuit, tmp_path / "insects.modn", notes=NOTES)
    return tmp_path / "insects.modn"


@pytest.fixture
def model(data: Path) -> Path:
    path = data.with_name("model.modn")
    assert (
        run("fit", data, "--target", "kind", "--solver", "bbo", "--max-iter", 3, "--quiet", "--out", path)
        == 0
    )
    return path


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def refusal(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    capsys.readouterr()
    assert run(*arguments) == 1
    message = capsys.readouterr().err
    assert message.startswith("modn: error: ") and message.count("\n") == 1
    return message


@pytest.mark.parametrize("target", export.names())
def test_every_target(target: str, file: Path, circuit: Circuit) -> None:
    out = file.with_name("program")
    assert run("export", file, "--to", target, "--out", out) == 0
    program = export.export(circuit, target)
    assert out.read_bytes() == (program if isinstance(program, bytes) else program.encode())


def test_samples_and_options(file: Path, data: Path, circuit: Circuit) -> None:
    out, frame = file.with_name("program"), pd.read_csv(data).drop(columns="kind")
    assert run("export", file, "--to", "verilog", "--data", data, "--set", "name=insects", "--out", out) == 0
    assert out.read_text() == export.verilog(circuit, X=frame, name="insects")
    settings = ("--set", "table=my table", "--set", 'keep=["id"]')
    assert run("export", file, "--to", "sql", *settings, "--out", out) == 0
    assert out.read_text() == export.sql(circuit, table="my table", keep=["id"])


def test_a_classifier_becomes_onnx(model: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = model.with_name("model.onnx")
    assert run("export", model, "--to", "onnx", "--out", out) == 0
    assert {put.name for put in onnxruntime.InferenceSession(out).get_inputs()} == {"numbers", "categories"}
    message = refusal(capsys, "export", model, "--to", "c", "--out", out)
    assert (
        "holds a MODNClassifier; allowed for c: Circuit (`modn circuit` makes a circuit of a model)"
        in message
    )


def test_what_is_refused(file: Path, model: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    to_c = ("export", file, "--to", "c", "--out", file.with_name("out"))
    assert "c has no parameter 'table'; allowed: name" in refusal(capsys, *to_c, "--set", "table=x")
    assert "c: name is 'int'; allowed: letters" in refusal(capsys, *to_c, "--set", "name=int")
    assert "allowed: nothing, as c uses no samples" in refusal(capsys, *to_c, "--data", data)
    assert "the same file as the input" in refusal(capsys, "export", file, "--to", "c", "--out", file)
    message = refusal(capsys, "explain", model, "--html", file.with_name("page.html"))
    assert "holds a MODNClassifier; allowed for --html: a circuit (`modn circuit` makes one)" in message
    message = refusal(capsys, "predict", file, data, "--proba")
    assert "holds a circuit: it gives classes; allowed: no --proba" in message
    message = refusal(capsys, "circuit", file, data, "--out", file.with_name("out"))
    assert "holds a Circuit; allowed: a MODNClassifier" in message
    for wrong in ("table", "X=1"):
        with pytest.raises(SystemExit):
            run(*to_c, "--set", wrong)


def test_a_circuit_predicts(
    file: Path, data: Path, circuit: Circuit, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("predict", file, data) == 0
    frame = pd.read_csv(data)
    expected = circuit.predict(frame.drop(columns="kind"))
    out, err = capsys.readouterr()
    assert out.split() == ["kind", *expected]
    assert f"accuracy {np.mean(expected == frame['kind']):.4f}" in err


def test_a_circuit_explains_itself(
    file: Path, data: Path, circuit: Circuit, capsys: pytest.CaptureFixture[str]
) -> None:
    page = file.with_name("page.html")
    assert run("explain", file, "--data", data, "--html", page) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(str(circuit)) and f"on {data}." in printed
    text = page.read_text(encoding="utf-8")
    assert "<title>insects</title>" in text and "Measured on 60 samples" in text


def test_from_data_to_a_program(
    model: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    circuit, program, picture = (tmp_path / name for name in ("circuit.modn", "neuron.py", "circuit.png"))
    assert run("circuit", model, data, "--size", 3, "--out", circuit) == 0
    printed = capsys.readouterr().err
    found = modn.load(circuit)
    assert str(found) in printed and f"{found.n_conditions} conditions; circuit in {circuit}" in printed
    assert 1 <= found.n_conditions <= 3 and found.evidence.n_samples == 60
    assert run("export", circuit, "--to", "python", "--out", program) == 0
    assert program.read_text() == found.to_python()
    assert run("explain", circuit, "--plot", picture) == 0
    assert picture.read_bytes().startswith(b"\x89PNG") and str(found) in capsys.readouterr().out


def test_a_file_gives_the_circuit_back(file: Path, circuit: Circuit, data: Path) -> None:
    frame = pd.read_csv(data).drop(columns="kind")
    assert np.array_equal(modn.load(file).scores(frame), circuit.scores(frame))
