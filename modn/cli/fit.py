"""`modn fit`: train on a CSV file and write the model."""

import argparse
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from modn import filters, optimizers
from modn.cli.arguments import add_separator, positive

HELP = "train on a CSV file and write a model file"


def configure(command: argparse.ArgumentParser) -> None:
    """Add the options."""
    command.add_argument("data", type=Path, metavar="DATA.csv", help="first line: names of the columns")
    command.add_argument(
        "--target",
        required=True,
        metavar="COLUMN",
        help="the column to predict; several labels or numbers: a,b,c",
    )
    command.add_argument(
        "--task",
        metavar="TASK",
        help="classification, labels (columns of 0 and 1) or regression (default: guessed from the target)",
    )
    command.add_argument("--out", required=True, type=Path, metavar="MODEL", help="the file to write")
    command.add_argument(
        "--drop", action="append", default=[], metavar="COLUMN", help="ignore this column (may be repeated)"
    )
    command.add_argument(
        "--categories",
        action="append",
        default=[],
        metavar="COLUMN",
        help="this column holds categories, even if they are numbers (may be repeated)",
    )
    command.add_argument(
        "--missing",
        action="append",
        default=[],
        metavar="TEXT",
        help="a cell with this text is missing, as are empty cells, ?, NA and NaN (may be repeated)",
    )
    command.add_argument(
        "--solver",
        default="adam",
        help=f'{", ".join(optimizers.names())}, or two joined by "+" such as bbo+adam (default: %(default)s)',
    )
    command.add_argument(
        "--filter",
        choices=filters.NAMES,
        default=filters.LEARNED,
        help="the dendrites that each output listens to: found by training, a part each, or all "
        "(default: %(default)s)",
    )
    command.add_argument(
        "--dendrites", type=positive, metavar="M", help="default: ten for each class, 30 for a number"
    )
    command.add_argument("--iterations", type=positive, metavar="N", help="default: the solver's own")
    command.add_argument(
        "--restarts",
        type=positive,
        default=1,
        metavar="N",
        help="train N times, keep the best (default: %(default)s)",
    )
    command.add_argument(
        "--neurons",
        type=positive,
        default=1,
        metavar="N",
        help="average N neurons: more accurate, harder to read (default: %(default)s)",
    )
    command.add_argument(
        "--balanced", action="store_true", help="all classes count the same, however rare they are"
    )
    command.add_argument(
        "--jobs",
        type=int,
        default=1,
        metavar="N",
        help="trainings at the same time, -1: one per core (default: %(default)s)",
    )
    command.add_argument(
        "--seed", type=int, default=0, help="the same seed gives the same model (default: %(default)s)"
    )
    command.add_argument("--quiet", action="store_true", help="no progress bar")
    add_separator(command)


def run(options: argparse.Namespace) -> None:
    """Train on a CSV file and write the model."""
    from modn import MODNClassifier, save
    from modn.cli.columns import MISSING, named, read_csv, training_features
    from modn.cli.tasks import TASKS, guessed, targets_of
    from modn.constraints import OneOf, OrNone, check
    from modn.writing import check_output

    check_output("--out", options.out, [options.data])
    check("--solver", options.solver, MODNClassifier.allowed["solver"])
    check("--task", options.task, OrNone(OneOf(TASKS)))
    missing = [*MISSING, *options.missing]
    table = read_csv(options.data, options.sep, missing)
    for option, names in (("--drop", options.drop), ("--categories", options.categories)):
        for name in names:
            check(option, name, OneOf(table.columns.tolist()))
    targets = targets_of(options.target, table)
    with named(options.data):
        task, why = (TASKS[options.task], None) if options.task else guessed(table, targets)
        y = task.read(table, targets)
        X = training_features(table.drop(columns=[*targets, *options.drop]), options.categories)
    weights: dict[str, Any] = {"class_weight": "balanced"} if options.balanced else {}
    if weights and task.name != "classification":
        raise ValueError(f"--balanced is for classes; the task is {task.name}")
    model = task.estimator(
        filter=options.filter,
        solver=options.solver,
        n_dendrites=options.dendrites,
        max_iter=options.iterations,
        n_estimators=options.neurons,
        n_init=options.restarts,
        n_jobs=options.jobs,
        random_state=options.seed,
        verbose=sys.stderr.isatty() and not options.quiet,
        **weights,
    )
    begin = perf_counter()
    model.fit(X, y)
    seconds = perf_counter() - begin
    notes = {"target": targets if len(targets) > 1 else targets[0], "task": task.name, "missing": missing}
    save(model, options.out, notes=notes | task.notes(model, X, y))
    # The standard output may be where the model goes.
    if why is not None:
        print(f"task: {task.name}, since {why} (--task chooses)", file=sys.stderr)
    print(f"{len(y)} rows, {X.shape[1]} features, {task.summary(y)}", file=sys.stderr)
    score = task.score(y, model.predict(X))
    print(f"training {score}, {seconds:.1f} s; model in {options.out}", file=sys.stderr)
