"""Types and options that several commands share."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MISSING = ["", "?", "NA", "N/A", "NaN", "nan", "NULL", "null"]  # cells that are always missing


class Renamed(argparse.Action):
    """An option that has another name now: it is refused in a line that says so."""

    def __init__(self, option_strings: Sequence[str], dest: str, now: str) -> None:
        super().__init__(option_strings, dest, nargs="?", help=argparse.SUPPRESS)
        self.now = now

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: Any, values: Any, option: Any = None
    ) -> None:
        """End with the exit code of wrong usage."""
        parser.exit(2, f"{parser.prog}: error: {option} is now {self.now}\n")


def add_separator(command: argparse.ArgumentParser) -> None:
    """Add --sep."""
    command.add_argument(
        "--sep",
        type=_separator,
        default=",",
        metavar="CHARACTER",
        help="between the columns, \\t for a tab (default: ,)",
    )


def add_model(command: argparse.ArgumentParser) -> None:
    """Add the model file."""
    command.add_argument("model", type=Path, metavar="MODEL", help="written by modn fit or modn circuit")


def positive(text: str) -> int:
    """An integer of 1 or more."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer of 1 or more")
    return int(text)


def folds(text: str) -> int:
    """A number of folds: 0, or 2 or more."""
    if not text.isdecimal() or int(text) == 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not 0 or an integer of 2 or more")
    return int(text)


def picture(text: str) -> Path:
    """The name of a file that a figure can be written to."""
    if Path(text).suffix not in (".png", ".svg"):
        raise argparse.ArgumentTypeError(f"{text!r} does not end in .png or .svg")
    return Path(text)


def _separator(text: str) -> str:
    character = "\t" if text == "\\t" else text
    if len(character) != 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a single character")
    return character
