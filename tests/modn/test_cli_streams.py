"""The command's streams: full, closed, read in part, and Ctrl-C."""

import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import run

from modn import cli
from modn.cli import explain

MODN = "import sys; from modn.cli import main; sys.exit(main())"


class Refusing(io.StringIO):
    """A stream that an error of the operating system keeps from being written."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def flush(self) -> None:
        raise OSError(self.number, os.strerror(self.number))


@pytest.mark.parametrize(
    ("number", "code", "message"),
    [
        (errno.ENOSPC, 1, "modn: error: [Errno 28] No space left on device\n"),
        (errno.EPIPE, cli.ENOUGH_WAS_READ, ""),  # the reader has seen enough
    ],
)
def test_an_output_that_cannot_be_written(
    model: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    code: int,
    message: str,
) -> None:
    stream = Refusing(number)
    monkeypatch.setattr(sys, "stdout", stream)
    assert run("explain", model) == code
    assert sys.stdout is not stream  # which Python would flush once more
    sys.stdout.close()
    assert capsys.readouterr().err == message


@pytest.mark.slow
def test_messages_do_not_get_among_the_predictions(
    model: Path, insects: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert run("predict", model, insects) == 0
    expected = capsys.readouterr()
    assert expected.out and "accuracy" in expected.err
    command = f'exec "$0" -c "$1" predict {model} {insects}'
    closed, silent = (
        subprocess.run(
            ["bash", "-c", f"{command} {streams}", sys.executable, MODN], capture_output=True, text=True
        )
        for streams in ("2>&-", ">&-")
    )
    assert closed.returncode == silent.returncode == 0, silent.stderr
    assert closed.stdout == expected.out
    assert silent.stderr == expected.err and silent.stdout == ""


@pytest.mark.parametrize(
    "interruption", [KeyboardInterrupt(), SystemError("a result with an exception set")], ids=type
)
def test_ctrl_c_ends_every_command(
    model: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    interruption: BaseException,
) -> None:
    def interrupted(options: object) -> None:
        raise interruption from KeyboardInterrupt()

    monkeypatch.setattr(explain, "run", interrupted)
    assert run("explain", model) == 130
    assert capsys.readouterr().err == "modn: interrupted\n"


def test_other_system_errors_stay_what_they_are(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(options: object) -> None:
        raise SystemError("a fault")

    monkeypatch.setattr(explain, "run", broken)
    with pytest.raises(SystemError, match="a fault"):
        run("explain", model)


def test_a_message_is_not_longer_than_a_screen(insects: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fit", insects, "--target", "x" * 10_000, "--out", insects.with_name("m")) == 1
    message = capsys.readouterr().err
    assert len(message) < 2000 and message.endswith("...\n")
