"""`modn predict`: write the class, the labels or the numbers of each row of a CSV file."""

import argparse
import sys
from pathlib import Path

from modn.cli.arguments import add_model, add_separator

FORMATS = {True: "%.6f", False: "%.9g"}  # of probabilities, and of numbers

HELP = "write the class, the labels or the numbers of each row of a CSV file"
EXAMPLE = "modn predict insects.modn new.csv --proba --out kinds.csv"


def configure(command: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_model(command)
    command.add_argument("data", type=Path, metavar="DATA.csv", help="with the columns of the training file")
    command.add_argument(
        "--out", type=Path, metavar="OUT.csv", help="the file to write (default: standard output)"
    )
    command.add_argument(
        "--proba", action="store_true", help="also write the probability of each class or label"
    )
    add_separator(command)


def run(options: argparse.Namespace) -> None:
    """Write the predictions for each row of a CSV file."""
    from modn.cli.columns import known_features, named, read_csv, unseen_categories
    from modn.cli.model_file import read_model
    from modn.cli.tasks import task as task_of
    from modn.explain.circuit import Circuit
    from modn.writing import check_output, replacing

    if options.out is not None:
        check_output("--out", options.out, [options.model, options.data])
    model, notes = read_model(options.model)
    task = task_of(notes["task"])
    if options.proba and not task.probabilities:
        raise ValueError(f"--proba: {options.model} predicts numbers, which have no probabilities")
    table = read_csv(options.data, options.sep, notes["missing"])
    targets = notes["target"]
    with named(options.data):
        X = known_features(table, model)
    if isinstance(model, Circuit):
        if options.proba:
            raise ValueError(f"{options.model} holds a circuit: it gives classes; allowed: no --proba")
    else:
        for line in unseen_categories(X, model):
            print(f"modn: {options.data}: {line}", file=sys.stderr)
    answers = task.answers(model, X, targets, options.proba)
    text = answers.to_csv(index=False, lineterminator="\n", float_format=FORMATS[task.probabilities])
    if options.out is None:
        sys.stdout.write(text)
    else:
        with replacing(options.out) as temporary:
            temporary.write_text(text, encoding="utf-8")
    if set(targets) <= set(table) and table[targets].notna().all(axis=None):
        predictions = answers[targets].to_numpy()
        with named(options.data):
            y = task.read(table, targets)
        score = task.score(y, predictions[:, 0] if len(targets) == 1 else predictions)
        columns = f"column{'s' if len(targets) > 1 else ''} {', '.join(map(repr, targets))}"
        print(f"{score}: {options.data} has the {columns}", file=sys.stderr)
