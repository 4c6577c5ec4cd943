"""`modn explain`: print the rules of a model; draw its neuron."""

import argparse
from pathlib import Path

from modn.cli.arguments import add_model, add_separator, picture

HELP = "print what a model has learned, as rules"


def configure(command: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_model(command)
    command.add_argument(
        "--plot", type=picture, metavar="NEURON.png", help="draw the neuron as well (.png, .svg)"
    )
    command.add_argument(
        "--data", type=Path, metavar="DATA.csv", help="measure the rules' accuracy on this file"
    )
    add_separator(command)


def run(options: argparse.Namespace) -> None:
    """Print the rules of a model; draw its neuron."""
    from modn.cli.columns import known_features, named, read_csv, read_model
    from modn.cli.tasks import targets_of, task_of
    from modn.writing import check_output

    if options.plot is not None:
        from modn import plots  # before any work: it may not be installed

        check_output("--plot", options.plot, [options.model, *([options.data] if options.data else [])])
    model, notes = read_model(options.model)
    task = task_of(notes)
    X = y = None
    if options.data is not None:
        table = read_csv(options.data, options.sep, notes["missing"])
        with named(options.data):
            X, y = known_features(table, model), task.read(table, targets_of(notes["target"], table))
    print(task.title(options.model, options.data) + "\n\n" + task.explanation(model, X, y, notes))
    if options.plot is not None:
        plots.save(plots.neuron(model), options.plot)
