"""Measures of predictions by name: `get("acc")`.

Each is one module of this package with a `MEASURE`, which knows its task. To add one, add a file, and its
name to `measures` or `targets.measures` in conf/config.yaml.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

OF_THE_PAPER = ("acc", "auc")  # its tables and claims are about these


@dataclass(frozen=True)
class Measure:
    """How good predictions are."""

    name: str  # of its column
    title: str  # in the report
    # Of classification from true classes (N,), predicted classes (N,) and scores of each class (N, C); of
    # labels from indicators, predicted ones and scores (N, C); of regression from numbers, predicted ones and
    # those again (N, C).
    compute: Callable[[np.ndarray, np.ndarray, np.ndarray], float]
    # The lowest and highest possible value if tables show its spread over runs; None: only the mean.
    spread_within: tuple[float, float] | None = None
    higher_is_better: bool = True
    task: str = "classification"

    def better(self, values: Any) -> Any:
        """The values, or their negatives, so that the highest is the best."""
        return values if self.higher_is_better else -values


def names(task: str | None = None) -> list[str]:
    """The names of all measures, or of those of one task, sorted."""
    found = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return [name for name in found if task is None or get(name).task == task]


def get(name: str) -> Measure:
    """The named measure."""
    if name not in names():
        raise ValueError(f"measure is {name!r}; allowed: {', '.join(names())}")
    measure: Measure = importlib.import_module(f"{__name__}.{name}").MEASURE
    return measure


def check(wanted: Sequence[str]) -> None:
    """Raise a ValueError unless a list names measures, each once, and those of the paper among them."""
    known = names("classification")
    unknown = [name for name in wanted if name not in known]
    missing = [name for name in OF_THE_PAPER if name not in wanted]
    if unknown or missing or len(set(wanted)) < len(wanted):
        others = [name for name in known if name not in OF_THE_PAPER]
        more = f", and also {', '.join(others)}" if others else ""
        raise ValueError(
            f"measures is {list(wanted)}; allowed: {' and '.join(OF_THE_PAPER)}{more}; each once"
        )


def of_task(task: str, columns: Iterable[str], suffix: str = "") -> list[Measure]:
    """The measures of a task that are among a table's columns, in their order."""
    known = names(task)
    return [get(name) for name in (column.removesuffix(suffix) for column in columns) if name in known]


def are_probabilities(scores: np.ndarray) -> bool:
    """Whether scores (N, C) can be judged as probabilities; values of a decision function cannot."""
    return bool(scores.min() >= 0 and np.allclose(scores.sum(axis=1), 1.0, atol=1e-4))


def of_baselines(wanted: Sequence[str], more: Sequence[str]) -> list[Measure]:
    """The measures of every run, and those of the baselines."""
    return chosen(list(dict.fromkeys([*wanted, *more])))


def chosen(wanted: Sequence[str]) -> list[Measure]:
    """The measures that a list names, in its order."""
    check(wanted)
    return [get(name) for name in wanted]
