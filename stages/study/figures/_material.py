"""What figures are drawn from: the tables of a report, and example neurons."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from modn.neuron import Neuron
from stages.io import files

EXAMPLES = "examples"  # among tables, the name of the trained neurons


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


def read(tables: Path, names: Iterable[str]) -> dict[str, Any]:
    """Read the named tables from a folder; the name "examples" stands for the neurons in data/."""
    return {
        name: _examples(tables) if name == EXAMPLES else files.read_csv(tables / f"{name}.csv")
        for name in names
    }


def _examples(tables: Path) -> list[Example]:
    """The trained neurons that evaluate chose, in the order of datasets and models."""
    table1 = files.read_csv(tables / "table1.csv")
    titles = dict(zip(table1["dataset"], table1["title"], strict=True))
    arrays = files.read_arrays(files.EXAMPLES)
    result = []
    for prefix in dict.fromkeys(key.rpartition("/")[0] for key in arrays):
        dataset, model = prefix.split("/")
        own = {key.rpartition("/")[2]: value for key, value in arrays.items() if key.startswith(f"{prefix}/")}
        features, classes = own["features"].tolist(), own["classes"].tolist()
        neuron = Neuron.from_parameters(own["parameters"], own["P"], len(features), *own["alphas"].tolist())
        run = float(own["acc"]), int(own["seed"]), int(own["runs"])
        result.append(Example(dataset, titles[dataset], model, neuron, features, classes, *run))
    order = list(titles)
    models = list(dict.fromkeys(example.model for example in result))
    return sorted(result, key=lambda example: (order.index(example.dataset), models.index(example.model)))
