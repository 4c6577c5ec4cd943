"""`modn circuit`: turn a model into a circuit of a few conditions."""

import argparse
import sys
from pathlib import Path

from modn.cli.arguments import add_model, add_separator, positive

HELP = "turn a model into a circuit: rules that decide on their own"
EXAMPLE = "modn circuit insects.modn insects.csv --size 9 --out circuit.modn"


def configure(command: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_model(command)
    command.add_argument("data", type=Path, metavar="DATA.csv", help="the training file")
    command.add_argument("--out", required=True, type=Path, metavar="CIRCUIT", help="the file to write")
    command.add_argument(
        "--size",
        type=positive,
        metavar="N",
        help="at most N conditions (default: chosen by cross-validation)",
    )
    add_separator(command)


def run(options: argparse.Namespace) -> None:
    """Turn a model into a circuit of a few conditions, print it and write it to a file."""
    from modn import MODNClassifier, save
    from modn.cli.columns import known_features, labels, named, read_csv
    from modn.cli.model_file import read_model
    from modn.writing import check_output

    check_output("--out", options.out, [options.model, options.data])
    model, notes = read_model(options.model)
    if not isinstance(model, MODNClassifier):
        raise ValueError(f"{options.model} holds a {type(model).__name__}; allowed: a MODNClassifier")
    if notes["task"] != "classification":
        raise ValueError(f"{options.model} predicts {notes['task']}; allowed: classification")
    table = read_csv(options.data, options.sep, notes["missing"])
    with named(options.data):
        X, y = known_features(table, model), labels(table, notes["target"][0])
    circuit = model.to_circuit(X, y, size=options.size)
    save(circuit, options.out, notes={name: notes[name] for name in ("target", "missing")})
    # The standard output may be where the circuit goes.
    print(f"{circuit}\n{circuit.n_conditions} conditions; circuit in {options.out}", file=sys.stderr)
