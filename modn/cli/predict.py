"""`modn predict`: write the class of each row of a CSV file."""

import argparse
import sys
from pathlib import Path

from modn.cli.arguments import add_model, add_separator

HELP = "write the class of each row of a CSV file"


def configure(command: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_model(command)
    command.add_argument("data", type=Path, metavar="DATA.csv", help="with the columns of the training file")
    command.add_argument("--out", type=Path, metavar="OUT.csv", help="default: the standard output")
    command.add_argument("--proba", action="store_true", help="the probability of each class as well")
    add_separator(command)


def run(options: argparse.Namespace) -> None:
    """Write the class of each row of a CSV file."""
    import numpy as np

    from modn.cli.columns import answers_csv, known_features, named, read_csv, read_model, unseen_categories
    from modn.writing import check_output, replacing

    if options.out is not None:
        check_output("--out", options.out, [options.model, options.data])
    model, notes = read_model(options.model)
    table = read_csv(options.data, options.sep, notes["missing"])
    with named(options.data):
        X = known_features(table, model)
    for line in unseen_categories(X, model):
        print(f"modn: {options.data}: {line}", file=sys.stderr)
    proba = model.predict_proba(X)
    predictions = model.classes_[proba.argmax(axis=1)]
    target = notes["target"]
    text = answers_csv(target, predictions, model.classes_, proba if options.proba else None)
    if options.out is None:
        sys.stdout.write(text)
    else:
        with replacing(options.out) as temporary:
            temporary.write_text(text, encoding="utf-8")
    if target in table and table[target].notna().all():
        accuracy = np.mean(table[target].to_numpy() == predictions)
        print(f"accuracy {accuracy:.4f}: {options.data} has the column {target!r}", file=sys.stderr)
