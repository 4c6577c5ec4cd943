"""`modn fit`: train on a CSV file and write the model."""

import argparse
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from modn import filters, optimizers
from modn.cli import tasks
from modn.cli.arguments import MISSING, Renamed, add_separator, folds, positive

HELP = "train on a CSV file and write a model file"
EXAMPLE = "modn fit insects.csv --target kind --out insects.modn"
MOST = {"n_estimators": 10_000, "n_init": 10_000, "n_jobs": 1024}

RENAMED = {
    "--dendrites": "--n-dendrites",
    "--iterations": "--max-iter",
    "--restarts": "--n-init",
    "--neurons": "--n-estimators",
    "--balanced": "--class-weight balanced",
    "--jobs": "--n-jobs",
    "--seed": "--random-state",
}


def configure(command: argparse.ArgumentParser) -> None:
    """Add the options: those of the data, and the estimator's parameters by their names."""
    _add_data(command)
    _add_parameters(command)
    command.add_argument(
        "--folds",
        type=folds,
        default=5,
        metavar="K",
        help="estimate the score on new rows by K-fold cross-validation, which trains K more models; 0: no "
        "estimate (default: %(default)s)",
    )
    command.add_argument("--quiet", action="store_true", help="no progress bar")
    for before, now in RENAMED.items():
        command.add_argument(before, action=Renamed, now=now)


def _add_data(command: argparse.ArgumentParser) -> None:
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
        help=f"{', '.join(tasks.names())} (default: guessed from the target)",
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
        help="a cell with this text is missing, as are empty cells and "
        f"{', '.join(filter(None, MISSING))} (may be repeated)",
    )
    add_separator(command)


def _add_parameters(command: argparse.ArgumentParser) -> None:
    parameters = command.add_argument_group("parameters of the estimator")
    parameters.add_argument(
        "--solver",
        default="adam",
        help=f'{", ".join(optimizers.names())}, or two joined by "+" such as bbo+adam (default: %(default)s)',
    )
    parameters.add_argument(
        "--filter",
        choices=filters.NAMES,
        default=filters.LEARNED,
        help="which dendrites feed which output: learned, a part for each output, or all of them "
        "(default: %(default)s)",
    )
    parameters.add_argument(
        "--n-dendrites",
        type=positive,
        metavar="M",
        help="dendrites (default: ten for each class or label, at least 60 for classes if the solver uses "
        "gradients; 30 for a number)",
    )
    parameters.add_argument(
        "--max-iter", type=positive, metavar="N", help="iterations (default: the solver's own)"
    )
    parameters.add_argument(
        "--n-estimators",
        type=positive,
        default=1,
        metavar="N",
        help="average N neurons: more accurate, harder to read (default: %(default)s)",
    )
    parameters.add_argument(
        "--n-init",
        type=positive,
        default=1,
        metavar="N",
        help="train each neuron N times, keep the best (default: %(default)s)",
    )
    parameters.add_argument(
        "--class-weight",
        choices=["balanced"],
        help="balanced: all classes count the same, however rare they are",
    )
    parameters.add_argument(
        "--n-jobs",
        type=int,
        default=1,
        metavar="N",
        help="trainings in parallel; -1: one per core (default: %(default)s)",
    )
    parameters.add_argument(
        "--random-state",
        type=int,
        default=0,
        metavar="SEED",
        help="the same seed gives the same model (default: %(default)s)",
    )


def run(options: argparse.Namespace) -> None:
    """Train on a CSV file, cross-validate, and write the model.

    The model is trained on all rows. The cross-validated score is that of models with the same parameters,
    each trained without the rows that it is judged by.
    """
    from modn import MODNClassifier, save
    from modn.cli.columns import named, read_csv, training_features
    from modn.cli.cross_validation import cross_validate
    from modn.constraints import Integer, OneOf, OrNone, check
    from modn.writing import check_output

    check_output("--out", options.out, [options.data])
    check("--solver", options.solver, MODNClassifier.allowed["solver"])
    check("--task", options.task, OrNone(OneOf(tasks.names())))
    for name, most in MOST.items():
        check(f"--{name.replace('_', '-')}", getattr(options, name), Integer(-most, most))
    missing = [*MISSING, *options.missing]
    table = read_csv(options.data, options.sep, missing)
    for option, names in (("--drop", options.drop), ("--categories", options.categories)):
        for name in names:
            check(option, name, OneOf(table.columns.tolist()))
    targets = tasks.targets_of(options.target, table)
    with named(options.data):
        task, why = (tasks.task(options.task), None) if options.task else tasks.guessed(table, targets)
        y = task.read(table, targets)
        X = training_features(table.drop(columns=[*targets, *options.drop]), options.categories)
    model = task.estimator(**_parameters(options, task.name))
    begin = perf_counter()
    model.fit(X, y)
    seconds = perf_counter() - begin
    judged = cross_validate(task, model, X, y, options.folds) if options.folds else "not cross-validated"
    notes = {"target": targets if len(targets) > 1 else targets[0], "task": task.name, "missing": missing}
    save(model, options.out, notes=notes | task.notes(model, X, y))
    # The standard output may be where the model goes.
    if why is not None:
        print(f"task: {task.name}, since {why} (--task chooses)", file=sys.stderr)
    print(f"{len(y)} rows, {X.shape[1]} features, {task.summary(y)}", file=sys.stderr)
    score = task.score(y, model.predict(X))
    print(f"training {score}, {seconds:.1f} s; model in {options.out}", file=sys.stderr)
    print(judged, file=sys.stderr)


def _parameters(options: argparse.Namespace, task: str) -> dict[str, Any]:
    """The parameters of the estimator."""
    names = (
        "filter",
        "solver",
        "n_dendrites",
        "max_iter",
        "n_estimators",
        "n_init",
        "n_jobs",
        "random_state",
    )
    parameters = {name: getattr(options, name) for name in names}
    parameters["verbose"] = sys.stderr.isatty() and not options.quiet
    if options.class_weight is None:
        return parameters
    if task != "classification":
        raise ValueError(f"--class-weight is for classes; the task is {task}")
    return parameters | {"class_weight": options.class_weight}
