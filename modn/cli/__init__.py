"""The command line: `modn demo`, and `fit`, `predict`, `explain`, `circuit` and `export` for CSV files.

Exit codes: 0 success, 1 bad input (the message says which file, line and column), 2 wrong usage.

Each command is a module with `HELP`, `configure` and `run`. Packages that take long to import are imported in
`run`, so that `--help` answers at once.
"""

import argparse
import sys
from collections.abc import Sequence

import modn
from modn.cli import circuit, demo, explain, export, fit, predict

MODULES = (demo, fit, predict, explain, circuit, export)
COMMANDS = {module.__name__.rpartition(".")[2]: module for module in MODULES}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except (OSError, ValueError, ModuleNotFoundError) as error:
        print(f"modn: error: {_one_line(error)}", file=sys.stderr)
        return 1
    except MemoryError as error:
        print(f"modn: error: not enough memory ({_one_line(error)})", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("modn: interrupted, nothing was written", file=sys.stderr)
        return 130
    return 0


def _one_line(error: Exception) -> str:
    """The message; names in it may hold line breaks."""
    return " ".join(str(error).splitlines())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="modn",
        description="Train a dendritic neuron (MODN) on a CSV file, use it and read what it has learned.",
        epilog="example: modn fit iris.csv --target class --out iris.modn && modn explain iris.modn",
    )
    parser.add_argument("--version", action="version", version=f"modn {modn.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        # An abbreviation that is unique today may be ambiguous tomorrow.
        command = commands.add_parser(
            name, help=module.HELP, description=module.run.__doc__, allow_abbrev=False
        )
        module.configure(command)
        command.set_defaults(run=module.run)
    return parser
