"""The command `modn`, called as a function."""

import pytest

from modn.cli import main

ROWS = 90  # of insects.csv, see conftest.py


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def refusal(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The message of a command that fails with exit code 1."""
    assert run(*arguments) == 1
    message = capsys.readouterr().err
    assert message.startswith("modn: error: ") and message.count("\n") == 1
    return message
