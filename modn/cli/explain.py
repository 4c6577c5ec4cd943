"""`modn explain`: print the rules of a model or a circuit; draw it; write the page of a circuit."""

import argparse
from importlib import import_module
from pathlib import Path
from typing import Any

from modn.cli.arguments import add_model, add_separator, picture

HELP = "print what a model has learned, as rules"
EXAMPLE = "modn explain insects.modn --plot neuron.png"


def configure(command: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_model(command)
    command.add_argument(
        "--plot", type=picture, metavar="NEURON.png", help="also draw the neuron or circuit (.png, .svg)"
    )
    command.add_argument(
        "--html", type=Path, metavar="PAGE.html", help="write a page to read and try a circuit in a browser"
    )
    command.add_argument(
        "--data", type=Path, metavar="DATA.csv", help="measure the rules' accuracy on this file"
    )
    add_separator(command)


def run(options: argparse.Namespace) -> None:
    """Print what a model or a circuit has learned; draw it; write the page of a circuit."""
    from modn.cli.columns import known_features, named, read_csv
    from modn.cli.model_file import read_model
    from modn.cli.tasks import task as task_of
    from modn.explain.circuit import Circuit
    from modn.writing import check_output

    if options.plot is not None:
        import_module("modn.plots")  # before any work: it may not be installed

    for option in ("plot", "html"):
        if getattr(options, option) is not None:
            inputs = [options.model, *([options.data] if options.data else [])]
            check_output(f"--{option}", getattr(options, option), inputs)
    model, notes = read_model(options.model)
    task = task_of(notes["task"])
    X = y = None
    if options.data is not None:
        table = read_csv(options.data, options.sep, notes["missing"])
        with named(options.data):
            X, y = known_features(table, model), task.read(table, notes["target"])
    if isinstance(model, Circuit):
        _explain_circuit(model, X, y, options)
        return
    if options.html is not None:
        raise ValueError(
            f"{options.model} holds a {type(model).__name__}; allowed for --html: a circuit "
            "(`modn circuit` makes one)"
        )
    print(task.title(options.model, options.data) + "\n\n" + task.explanation(model, X, y, notes))
    if options.plot is not None:
        from modn import plots

        plots.save(plots.neuron(model), options.plot)


def _explain_circuit(circuit: Any, X: Any, y: Any, options: argparse.Namespace) -> None:
    from modn.explain.page import render
    from modn.writing import replacing

    if X is not None:
        circuit = circuit.measured(X, y)
    print(circuit)
    if circuit.evidence is not None:
        where = "the training data" if X is None else options.data
        print(f"\nAccuracy {circuit.evidence.accuracy:.4f} on {where}.")
    if options.plot is not None:
        from modn import plots

        plots.save(plots.circuit(circuit), options.plot)
    if options.html is not None:
        with replacing(options.html) as temporary:
            temporary.write_text(render(circuit, options.model.stem, X), encoding="utf-8")
