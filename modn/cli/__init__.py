"""The command line: `modn fit`, `modn predict` and `modn explain`, for tables in CSV files.

Exit codes: 0 all is well, 1 bad input (the message says which file, line and column), 2 wrong usage.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

FILTERS = ("learned", "partition", "full")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except (OSError, ValueError) as error:
        print(f"modn: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("modn: interrupted, nothing was written", file=sys.stderr)
        return 130
    return 0


def fit(options: argparse.Namespace) -> None:
    """Train on a CSV file and write the model."""
    import numpy as np

    from modn import MODNClassifier, explain, save
    from modn.cli.columns import Columns, labels, read_csv

    _check_target("--out", options.out)
    table = read_csv(options.data, options.sep)
    unknown = [name for name in options.drop if name not in table]
    if unknown:
        raise ValueError(f"--drop {unknown[0]}: {options.data} has {', '.join(map(repr, table.columns))}")
    with _named(options.data):
        y = labels(table, options.target)
        features = table.drop(columns=[options.target, *options.drop])
        columns = Columns.of(features)
        X = columns.encode(features)
    chosen = {
        "filter": options.filter,
        "solver": options.solver,
        "n_dendrites": options.dendrites,
        "max_iter": options.iterations,
        "n_init": options.restarts,
        "n_jobs": options.jobs,
    }
    model = MODNClassifier(
        random_state=options.seed,
        verbose=sys.stderr.isatty() and not options.quiet,
        **{name: value for name, value in chosen.items() if value is not None},
    )
    begin = perf_counter()
    model.fit(X, y)
    seconds = perf_counter() - begin
    accuracy = explain.rules(model, X=X, y=y).accuracy
    notes = {"target": options.target, "columns": columns.categories, "training_accuracy": accuracy}
    save(model, options.out, notes=notes)
    kinds = ", ".join(
        f"{label} {count}" for label, count in zip(*np.unique(y, return_counts=True), strict=True)
    )
    print(f"{len(y)} rows, {X.shape[1]} features, classes: {kinds}")
    print(f"training accuracy {np.mean(model.predict(X) == y):.4f}, {seconds:.1f} s; model in {options.out}")


def predict(options: argparse.Namespace) -> None:
    """Write the class of each row of a CSV file."""
    import numpy as np
    import pandas as pd

    from modn.cli.columns import read_csv
    from modn.writing import replacing

    if options.out is not None:
        _check_target("--out", options.out)
    model, columns, notes = _read_model(options.model)
    table = read_csv(options.data, options.sep)
    with _named(options.data):
        X = columns.encode(table)
    proba = model.predict_proba(X)
    said = model.classes_[proba.argmax(axis=1)]
    answers = pd.DataFrame({notes["target"]: said})
    if options.proba:
        answers = answers.join(pd.DataFrame(proba, columns=[f"P({label})" for label in model.classes_]))
    text = answers.to_csv(index=False, lineterminator="\n", float_format="%.6f")
    if options.out is None:
        sys.stdout.write(text)
    else:
        with replacing(options.out) as temporary:
            temporary.write_text(text, encoding="utf-8")
    if notes["target"] in table and table[notes["target"]].notna().all():
        right = np.mean(table[notes["target"]].to_numpy() == said)
        print(f"accuracy {right:.4f}: {options.data} has the column {notes['target']!r}", file=sys.stderr)


def explain(options: argparse.Namespace) -> None:
    """Print the rules of a model; draw its neuron."""
    from dataclasses import replace

    from modn import plots
    from modn.cli.columns import labels, read_csv
    from modn.explain import Accuracy, rules

    if options.plot is not None:
        _check_target("--plot", options.plot)
    model, columns, notes = _read_model(options.model)
    if options.data is None:
        found = replace(rules(model), accuracy=Accuracy(*notes["training_accuracy"]))
        where = "the training data"
    else:
        table = read_csv(options.data, options.sep)
        with _named(options.data):
            X, y = columns.encode(table), labels(table, notes["target"])
        found = rules(model, X=X, y=y)
        where = str(options.data)
    print(f"Rules of {options.model}; their accuracy is that on {where}.\n\n{found}")
    if options.plot is not None:
        plots.save(plots.neuron(model), options.plot)


def _check_target(option: str, path: Path) -> None:
    """Before the work is done, not when its result is to be written."""
    if path.is_dir():
        raise ValueError(f"{option} {path} is a folder; allowed is the name of a file")
    if not path.absolute().parent.is_dir():
        raise ValueError(f"{option} {path}: there is no folder {path.absolute().parent}")


@contextmanager
def _named(data: Path) -> Iterator[None]:
    """Say in which file the line or the column is that cannot be used."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{data}: {error}") from None


def _read_model(path: Path) -> tuple[Any, Any, dict[str, Any]]:
    from modn.cli.columns import Columns
    from modn.persistence import read

    model, notes = read(path)
    if "columns" not in notes:
        raise ValueError(f"{path} was not written by `modn fit`: it does not know the columns of a CSV file")
    return model, Columns(notes["columns"]), notes


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="modn",
        description="Train a dendritic neuron (MODN) on a CSV file, use it and read what it has learnt.",
        epilog="example: modn fit iris.csv --target class --out iris.modn && modn explain iris.modn",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = _command(commands, fit, "train on a CSV file and write a model file")
    command.add_argument("data", type=Path, metavar="DATA.csv", help="first line: names of the columns")
    command.add_argument("--target", required=True, metavar="COLUMN", help="the column that holds the class")
    command.add_argument("--out", required=True, type=Path, metavar="MODEL", help="where the model goes")
    command.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar="COLUMN",
        help="leave this column out (may be repeated)",
    )
    command.add_argument("--solver", help="adam (default), bbo, bbo+adam, ga, pso, pbil or es")
    command.add_argument(
        "--filter",
        choices=FILTERS,
        help="which dendrites an output listens to: learned (MODN, default), its own (MODNP), all (MODNF)",
    )
    command.add_argument("--dendrites", type=_positive, metavar="M", help="default: ten for each class")
    command.add_argument("--iterations", type=_positive, metavar="N", help="default: the solver's own")
    command.add_argument(
        "--restarts", type=_positive, metavar="N", help="train N times, keep the best (default: 1)"
    )
    command.add_argument(
        "--jobs", type=int, metavar="N", help="trainings at the same time, -1: one per core (default: 1)"
    )
    command.add_argument(
        "--seed", type=int, default=0, help="the same seed gives the same model (default: %(default)s)"
    )
    command.add_argument("--quiet", action="store_true", help="no progress bar")
    _add_separator(command)

    command = _command(commands, predict, "write the class of each row of a CSV file")
    command.add_argument("model", type=Path, metavar="MODEL", help="written by modn fit")
    command.add_argument("data", type=Path, metavar="DATA.csv", help="with the columns of the training file")
    command.add_argument("--out", type=Path, metavar="OUT.csv", help="default: the terminal")
    command.add_argument("--proba", action="store_true", help="the probability of each class as well")
    _add_separator(command)

    command = _command(commands, explain, "print what a model has learnt, as rules")
    command.add_argument("model", type=Path, metavar="MODEL", help="written by modn fit")
    command.add_argument(
        "--plot", type=_picture, metavar="NEURON.png", help="draw the neuron as well (.png, .svg)"
    )
    command.add_argument(
        "--data", type=Path, metavar="DATA.csv", help="measure the rules' accuracy on this file"
    )
    _add_separator(command)
    return parser


def _command(commands: Any, run: Any, help: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(run.__name__, help=help, description=run.__doc__)
    command.set_defaults(run=run)
    return command


def _add_separator(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--sep",
        type=_separator,
        default=",",
        metavar="CHARACTER",
        help="between the columns, \\t for a tab (default: ,)",
    )


def _separator(text: str) -> str:
    character = "\t" if text == "\\t" else text
    if len(character) != 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a single character")
    return character


def _picture(text: str) -> Path:
    if Path(text).suffix not in (".png", ".svg"):
        raise argparse.ArgumentTypeError(f"{text!r} does not end in .png or .svg")
    return Path(text)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer of 1 or more")
    return int(text)
