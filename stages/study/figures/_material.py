"""What figures are drawn from: the tables of a report, example neurons, and a circuit."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from modn.explain.circuit import Circuit
from modn.neuron import Neuron
from stages.io import files

EXAMPLES = "examples"  # among tables, the name of the trained neurons
CIRCUIT = "circuit"  # and of the circuit, or of none


class Example(NamedTuple):
    """One trained neuron, the best of several runs: its names, its accuracy on the test part, its run."""

    dataset: str
    title: str
    model: str
    neuron: Neuron
    features: list[str]
    classes: list[str]
    acc: float
    seed: int
    runs: int  # that it is the best of

    @property
    def chosen(self) -> str:
        """How good it is, and which run it comes from."""
        of_runs = "the only run" if self.runs == 1 else f"best of {self.runs} runs"
        return f"ACC {self.acc:.4f} (seed {self.seed}, {of_runs})"


class DrawnCircuit(NamedTuple):
    """One circuit: its dataset and the seed of its resplit."""

    title: str
    circuit: Circuit
    seed: int


def read(tables: Path, names: Iterable[str]) -> dict[str, Any]:
    """Read the named tables from a folder; "examples" and "circuit" stand for what is in data/."""
    others = {EXAMPLES: _examples, CIRCUIT: _circuit}
    return {
        name: others[name](tables) if name in others else files.read_csv(tables / f"{name}.csv")
        for name in names
    }


def _titles(tables: Path) -> dict[str, str]:
    table1 = files.read_csv(tables / "table1.csv")
    return dict(zip(table1["dataset"], table1["title"], strict=True))


def _circuit(tables: Path) -> list[DrawnCircuit]:
    """The circuit that evaluate chose; a list of none if there are no circuits."""
    arrays = files.read_arrays(files.EXAMPLES)
    own = {
        key.removeprefix(files.OF_CIRCUIT): value
        for key, value in arrays.items()
        if key.startswith(files.OF_CIRCUIT)
    }
    seed = int(own.pop("seed", -1))
    return [
        DrawnCircuit(_titles(tables)[dataset], Circuit.from_dict(json.loads(str(text))), seed)
        for dataset, text in own.items()
    ]


def _examples(tables: Path) -> list[Example]:
    """The trained neurons that evaluate chose, in the order of datasets and models."""
    titles = _titles(tables)
    arrays = files.read_arrays(files.EXAMPLES)
    result = []
    for prefix in dict.fromkeys(
        key.rpartition("/")[0] for key in arrays if not key.startswith(files.OF_CIRCUIT)
    ):
        dataset, model = prefix.split("/")
        own = {key.rpartition("/")[2]: value for key, value in arrays.items() if key.startswith(f"{prefix}/")}
        features, classes = own["features"].tolist(), own["classes"].tolist()
        neuron = Neuron.from_parameters(own["parameters"], own["P"], len(features), *own["alphas"].tolist())
        run = float(own["acc"]), int(own["seed"]), int(own["runs"])
        result.append(Example(dataset, titles[dataset], model, neuron, features, classes, *run))
    order = list(titles)
    models = list(dict.fromkeys(example.model for example in result))
    return sorted(result, key=lambda example: (order.index(example.dataset), models.index(example.model)))
