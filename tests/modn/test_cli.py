"""The command line: its results, and its messages about bad input."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command import ROWS, refusal, run

import modn
from modn.cli import COMMANDS
from modn.cli.columns import read_csv


def test_fit_predict_explain(insects: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = insects.with_name("insects.modn")
    assert run("fit", insects, "--target", "kind", "--drop", "id", "--folds", 0, "--out", model) == 0
    out, err = capsys.readouterr()
    assert out == "" and "training accuracy 1.0000" in err
    assert "90 rows, 3 features, classes: ant 30, bee 30, wasp, small 30" in err

    assert run("predict", model, insects) == 0
    out, err = capsys.readouterr()
    truth = pd.read_csv(insects)["kind"].tolist()
    assert out.splitlines()[:4] == ["kind", "ant", "bee", '"wasp, small"']
    assert len(out.splitlines()) == ROWS + 1
    assert "accuracy 1.0000" in err

    new, answers = insects.with_name("new.csv"), insects.with_name("answers.csv")
    pd.read_csv(insects).drop(columns=["kind", "id"]).iloc[:, ::-1].to_csv(new, index=False)
    assert run("predict", model, new, "--proba", "--out", answers) == 0
    assert capsys.readouterr() == ("", "")
    table = pd.read_csv(answers)
    assert table["kind"].tolist() == truth
    assert list(table.columns[1:]) == ["P(ant)", "P(bee)", "P(wasp, small)"]
    assert np.allclose(table.iloc[:, 1:].sum(axis=1), 1, atol=1e-5)

    assert run("explain", model, "--plot", insects.with_name("neuron.png")) == 0
    out = capsys.readouterr().out
    assert "-> wasp, small" in out and "Accuracy on 90 samples" in out and "on the training data" in out
    assert insects.with_name("neuron.png").read_bytes().startswith(b"\x89PNG")
    half = insects.with_name("half.csv")
    pd.read_csv(insects)[:45].to_csv(half, index=False)
    assert run("explain", model, "--data", half) == 0
    assert "Accuracy on 45 samples" in capsys.readouterr().out


def test_the_model_is_a_classifier_for_python(model: Path, insects: Path) -> None:
    again = modn.load(model)
    table = pd.read_csv(insects)
    assert again.feature_names_in_.tolist() == ["length", "colour", "sex"]
    assert again.inputs_.names == ["length", "colour is dark", "colour is light", "colour is red", "sex is m"]
    assert (again.predict(table[["length", "colour", "sex"]]) == table["kind"]).all()


def test_the_same_seed_gives_the_same_model(insects: Path, tmp_path: Path) -> None:
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        arguments = [
            "--target",
            "kind",
            "--drop",
            "id",
            "--folds",
            0,
            "--solver",
            "bbo",
            "--max-iter",
            5,
            "--n-init",
            2,
        ]
        assert run("fit", insects, *arguments, "--random-state", seed, "--out", tmp_path / name) == 0
    a, b, c = (modn.load(tmp_path / name).neuron_.parameters() for name in "abc")
    assert np.array_equal(a, b) and not np.array_equal(a, c)


def ended(*arguments: object) -> object:
    """The exit code of a command that ends while its arguments are read."""
    with pytest.raises(SystemExit) as end:
        run(*arguments)
    return end.value.code


def test_every_command_has_a_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended("--help") == 0
    shown = capsys.readouterr().out
    for command in COMMANDS:
        assert f"    {command} " in shown and ended(command, "--help") == 0
        assert f"example: modn {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    "options",
    [(), ("--target", "kind", "--filter", "none"), ("--target", "kind", "--n-dendrites", "0")],
    ids=" ".join,
)
def test_wrong_usage(insects: Path, options: tuple[str, ...]) -> None:
    assert ended("fit", insects, "--out", "x", *options) == 2


@pytest.mark.slow
def test_the_command_itself(insects: Path, tmp_path: Path) -> None:
    """As a user starts it: exit codes, no traceback."""

    def start(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "modn", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True)

    done = start("--version")
    assert done.returncode == 0 and done.stdout == f"modn {modn.__version__}\n"
    done = start("predict", tmp_path / "none.modn", insects)
    assert done.returncode == 1 and "none.modn" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("a,kind\n", "has a header, but no rows"),
        ("a,b\n1,2\n", "data.csv: column 'kind' is missing; the file has 'a', 'b'"),
        ("kind\nx\ny\n", "no feature column"),
        ("a,a,kind\n1,2,x\n", "has the column 'a' more than once"),
        ("a,,kind\n1,2,x\n", "has a column without a name: 'a', '', 'kind'"),
        ("a,kind\n1,x\n2\n", "data.csv, line 3: 1 cells, but the header has 2"),
        ("a,kind\n1,x\n2,\n", "data.csv: line 3, column 'kind': the value is missing"),
        ('a,kind\n1,"x\n2,y\n', "cannot be read as a CSV file: unexpected end of data"),
        ("a,kind\n1,x\n\n2,y\n", "data.csv, line 3: a blank line; allowed: at the end only"),
        ("a,kind\n1,x\n,\n2,y\n", "data.csv: line 3, column 'kind': the value is missing"),
        ("a,kind\n1,x\0\n2,x\n", "data.csv, line 2: a NUL character; allowed: text"),
        ('a,kind\n1,"x\ry"\n2,x\n', r"column 'kind': 'x\\ry'; allowed: a class without control characters"),
        ("a,kind\n1,x\n2,y,z\n", "data.csv, line 3: 3 cells, but the header has 2"),
        ("a,kind\n1,x\n2,x\n", "at least 2 classes; y has 1 class, 'x'"),
        ("a,kind\n" + "".join(f"t{k},{k % 2}\n" for k in range(60)), "feature 'a' holds 60 different texts"),
    ],
)
def test_bad_training_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, message: str
) -> None:
    data = tmp_path / "data.csv"
    data.write_text(content)
    error = refusal(capsys, "fit", data, "--target", "kind", "--out", tmp_path / "model")
    assert re.search(message, error), error
    assert list(tmp_path.iterdir()) == [data]


def test_bad_arguments_of_fit(insects: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fit = ("fit", insects, "--target", "kind", "--out", tmp_path / "model")
    error = refusal(capsys, *fit, "--drop", "nothing")
    assert "--drop is 'nothing'; allowed: colour, id, kind, length, sex" in error
    for solver in ("sgd", "bbo+sgd"):
        error = refusal(capsys, *fit, "--drop", "id", "--solver", solver)
        assert f"--solver is {solver!r}; allowed: {', '.join(modn.methods.solvers())}" in error
    assert "allowed: adam" in refusal(capsys, *fit, "--drop", "id", "--solver", "bp")  # P is learned
    assert "multiple of n_classes" in refusal(
        capsys, *fit, "--drop", "id", "--filter", "partition", "--n-dendrites", 10
    )
    assert "there is no folder" in refusal(capsys, *fit[:-1], tmp_path / "nowhere" / "model")
    assert f"--out is {tmp_path}, a folder; allowed: the name of a file" in refusal(
        capsys, *fit[:-1], tmp_path
    )
    latin = tmp_path / "latin.csv"
    latin.write_bytes("größe,kind\n1,x\n".encode("latin-1"))
    assert "cannot be read as a CSV file" in refusal(capsys, "fit", latin, *fit[2:])
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop(columns="length"), "column 'length' is missing; the file has 'id', 'colour'"),
        (lambda t: t.assign(length="long"), "line 2, column 'length': 'long' is not a finite number"),
        (lambda t: t.assign(length="inf"), "line 2, column 'length': 'inf' is not a finite number"),
    ],
)
def test_bad_files_to_predict(
    insects: Path, model: Path, capsys: pytest.CaptureFixture[str], change: object, message: str
) -> None:
    new = insects.with_name("new.csv")
    change(pd.read_csv(insects)).to_csv(new, index=False)  # type: ignore[operator]
    capsys.readouterr()
    error = refusal(capsys, "predict", model, new, "--out", new.with_name("answers.csv"))
    assert f"{new}: {message}" in error
    assert not new.with_name("answers.csv").exists()


def test_outputs_that_cannot_be_written_are_refused_before_any_work(
    insects: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    nowhere = insects.with_name("nowhere")
    for arguments in (
        ("predict", model, insects, "--out", nowhere / "answers.csv"),
        ("explain", model, "--plot", nowhere / "neuron.png"),
    ):
        assert run(*arguments) == 1
        out, err = capsys.readouterr()
        assert out == "" and err.endswith(f"; there is no folder {nowhere}\n")
    with pytest.raises(SystemExit) as end:
        run("explain", model, "--plot", "neuron.jpg")
    assert end.value.code == 2 and "'neuron.jpg' does not end in .png or .svg" in capsys.readouterr().err


def test_an_error_while_writing_names_the_file_that_was_asked_for(
    insects: Path, model: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(*arguments: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    before = model.read_bytes()
    monkeypatch.setattr(Path, "replace", full_disk)
    fit = ("fit", insects, "--target", "kind", "--drop", "id", "--folds", 0, "--out", model)
    error = refusal(capsys, *fit)
    assert error == f"modn: error: [Errno 28] No space left on device: '{model}'\n"
    assert model.read_bytes() == before and set(insects.parent.iterdir()) == {insects, model}


def test_an_output_that_is_an_input_is_refused(
    insects: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = insects.parent
    link, hard = folder / "link.csv", folder / "hard.png"
    link.symlink_to(insects)
    os.link(model, hard)
    before = {path: path.read_bytes() for path in (insects, model)}
    capsys.readouterr()
    fit = ("fit", insects, "--target", "kind", "--drop", "id", "--out")
    predict = ("predict", model, insects, "--out")
    for command, given in (
        ((*fit, insects), insects),
        ((*fit, link), insects),
        ((*fit, folder / "." / "insects.csv"), insects),
        ((*predict, insects), insects),
        ((*predict, model), model),
        ((*predict, hard), model),
        (("explain", model, "--plot", hard), model),
        (("explain", model, "--data", insects, "--plot", hard), model),
    ):
        option = "--plot" if "--plot" in command else "--out"
        error = refusal(capsys, *command)
        assert error == (
            f"modn: error: {option} is {command[-1]}, the same file as the input {given}; "
            "allowed: another file\n"
        )
    hard.unlink()
    (folder / "rows.png").symlink_to(insects)
    error = refusal(capsys, "explain", model, "--data", insects, "--plot", folder / "rows.png")
    assert "the same file as the input" in error
    assert before == {path: path.read_bytes() for path in before} and link.is_symlink()


def test_devices_and_pipes_are_written_to(
    insects: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("predict", model, insects) == 0
    expected = capsys.readouterr().out
    assert run("predict", model, insects, "--out", "/dev/null") == 0
    assert Path("/dev/null").is_char_device()
    pipe = insects.with_name("pipe")
    os.mkfifo(pipe)
    received: list[str] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()))
    reader.start()
    assert run("predict", model, insects, "--out", pipe) == 0
    reader.join()
    assert received == [expected] and pipe.is_fifo()
    capsys.readouterr()
    assert "No space left on device: '/dev/full'" in refusal(
        capsys, "predict", model, insects, "--out", "/dev/full"
    )


@contextmanager
def redirected_to(descriptor: int) -> Iterator[None]:
    """The standard output of this process, as a shell redirects it, goes there."""
    before = os.dup(1)
    os.dup2(descriptor, 1)
    try:
        yield
    finally:
        os.dup2(before, 1)
        os.close(before)


def test_the_standard_output_can_be_named(insects: Path, model: Path, tmp_path: Path) -> None:
    """Redirected to a pipe and to a file that others append to."""
    predict = ("predict", model, insects, "--out", "/dev/stdout")
    fit = ("fit", insects, "--target", "kind", "--drop", "id", "--folds", 0, "--out", "/dev/stdout")
    received = []
    for command in (predict, fit):
        end, start = os.pipe()
        with redirected_to(start):
            assert run(*command) == 0
        os.close(start)
        with os.fdopen(end, "rb") as pipe:
            received.append(pipe.read())
    predictions, again = received[0].decode(), tmp_path / "again.modn"
    assert predictions.startswith("kind\nant\nbee\n") and predictions.count("\n") == ROWS + 1
    again.write_bytes(received[1])
    assert np.array_equal(modn.load(again).neuron_.w_s, modn.load(model).neuron_.w_s)
    log = tmp_path / "log"
    log.write_text("before\n")
    with log.open("a") as stream:
        with redirected_to(stream.fileno()):
            assert run(*predict) == 0
        subprocess.run(["echo", "after"], stdout=stream, check=True)
    assert log.read_text() == f"before\n{predictions}after\n"


def test_links_are_followed(insects: Path, model: Path, tmp_path: Path) -> None:
    for name, content in (("there", "old"), ("not there", None)):
        target, link = tmp_path / f"{name}.csv", tmp_path / f"link to {name}.csv"
        if content is not None:
            target.write_text(content)
        link.symlink_to(target.name)
        assert run("predict", model, insects, "--out", link) == 0
        assert link.is_symlink() and target.read_text().startswith("kind\nant")
    picture = tmp_path / "picture.png"
    picture.symlink_to("neuron.png")
    assert run("explain", model, "--plot", picture) == 0
    assert picture.is_symlink() and (tmp_path / "neuron.png").read_bytes().startswith(b"\x89PNG")


def test_bad_model_files(insects: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "not a model file of modn" in refusal(capsys, "predict", insects, insects)
    plain = modn.MODNClassifier(solver="bbo", max_iter=2).fit([[0.0], [1.0]], [0, 1])
    modn.save(plain, tmp_path / "plain")
    assert "was not written by `modn fit`" in refusal(capsys, "explain", tmp_path / "plain")


def test_tables_as_spreadsheets_write_them(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text("a; kind\r\n1; x\r\n2; y\r\n\r\n", encoding="utf-8-sig")
    table = read_csv(data, ";")
    assert list(table.columns) == ["a", "kind"] and table["kind"].tolist() == ["x", "y"]
    assert list(table.index) == [2, 3]
