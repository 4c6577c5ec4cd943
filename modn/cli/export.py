"""`modn export`: write a circuit, or for ONNX a model, as a program."""

import argparse
import json
from pathlib import Path
from typing import Any

from modn import export
from modn.cli.arguments import add_model, add_separator

HELP = f"write a circuit as a program: {', '.join(export.names())}"
EXAMPLE = "modn export circuit.modn --to c --out circuit.c"


def configure(command: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_model(command)
    command.add_argument("--to", required=True, choices=export.names(), help="what to write")
    command.add_argument("--out", required=True, type=Path, metavar="FILE", help="the file to write")
    command.add_argument(
        "--data", type=Path, metavar="DATA.csv", help="samples that Verilog's inputs need enough bits for"
    )
    command.add_argument(
        "--set",
        type=_setting,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the target, such as name=iris or table=patients (may be repeated)",
    )
    add_separator(command)


def run(options: argparse.Namespace) -> None:
    """Write a circuit, or for ONNX a model, as a program."""
    from modn.cli.columns import known_features, named, read_csv
    from modn.cli.model_file import read_model
    from modn.writing import check_output, replacing

    check_output("--out", options.out, [options.model, *([options.data] if options.data else [])])
    target = export.target(options.to)
    model, notes = read_model(options.model)
    if not isinstance(model, target.KINDS):
        raise ValueError(
            f"{options.model} holds a {type(model).__name__}; allowed for {options.to}: "
            f"{', '.join(kind.__name__ for kind in target.KINDS)} (`modn circuit` makes a circuit of a model)"
        )
    settings: dict[str, Any] = dict(options.set)
    if options.data is not None:
        if "X" not in target.ALLOWED:
            raise ValueError(f"--data is {options.data}; allowed: nothing, as {options.to} uses no samples")
        table = read_csv(options.data, options.sep, notes["missing"])
        with named(options.data):
            settings["X"] = known_features(table, model)
    program = export.export(model, options.to, **settings)
    with replacing(options.out) as temporary:
        temporary.write_bytes(program if isinstance(program, bytes) else program.encode())


def _setting(text: str) -> tuple[str, Any]:
    """A name, and a value of JSON or else a text."""
    name, equals, value = text.partition("=")
    if not equals or name == "X":
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
