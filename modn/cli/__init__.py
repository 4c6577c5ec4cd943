"""The command line: `modn demo`, and `fit`, `predict`, `explain`, `circuit` and `export` for CSV files.

Exit codes: 0 success, 1 bad input (the message says which file, line and column), 2 wrong usage, 130 Ctrl-C,
141 when the reader of the output stops early, such as head.

Each command is a module with `HELP`, `EXAMPLE`, `configure` and `run`. Packages that take long to import are
imported in `run`, so that `--help` answers at once.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import modn
from modn.cli import circuit, demo, explain, export, fit, predict

MODULES = (demo, fit, predict, explain, circuit, export)
LONGEST = 1500  # characters of a message
INTERRUPTED, ENOUGH_WAS_READ = 130, 141  # as a shell reports SIGINT and SIGPIPE
COMMANDS = {module.__name__.rpartition(".")[2]: module for module in MODULES}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed: without it, messages would get among the results
            setattr(sys, name, _nowhere())
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
        sys.stdout.flush()  # later there would be no message of ours about what cannot be written
    except (OSError, ValueError, ModuleNotFoundError) as error:
        _give_up_standard_output()
        if isinstance(error, BrokenPipeError) and error.filename is None:
            return ENOUGH_WAS_READ
        return _failed(error)
    except MemoryError as error:
        return _failed(f"not enough memory ({str(error) or 'no details'})")
    except (KeyboardInterrupt, SystemError) as error:
        # On the way into a compiled function, Ctrl-C becomes a SystemError.
        if isinstance(error, SystemError) and not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        print("modn: interrupted", file=sys.stderr)
        return INTERRUPTED
    return 0


def _failed(reason: object) -> int:
    """Print it in one line: names in it may hold line breaks, and be long."""
    line = " ".join(str(reason).splitlines())
    if len(line) > LONGEST:
        line = f"{line[:LONGEST]}..."
    print(f"modn: error: {line}", file=sys.stderr)
    return 1


def _give_up_standard_output() -> None:
    """Drop what cannot be written to it: Python would try again at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        sys.stdout = _nowhere()


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="modn",
        description="Train a dendritic neuron (MODN) on a CSV file, use it and read what it has learned.",
        epilog="`modn demo` shows what the commands do. `modn COMMAND --help` has options and an example.",
    )
    parser.add_argument("--version", action="version", version=f"modn {modn.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        # An abbreviation that is unique today may be ambiguous tomorrow.
        command = commands.add_parser(
            name,
            help=module.HELP,
            description=module.run.__doc__,
            epilog=f"example: {module.EXAMPLE}",
            allow_abbrev=False,
        )
        module.configure(command)
        command.set_defaults(run=module.run)
    return parser
