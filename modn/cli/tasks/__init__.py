"""What is predicted: a class, labels or numbers. One module for each task of the command line.

A task is found by the name of its module, which has its object `TASK`. Tasks are imported when they are used,
so that `--help` lists them at once.

>>> names()
['classification', 'labels', 'regression']
"""

import pkgutil
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modn.constraints import OneOf, check

if TYPE_CHECKING:
    from modn.cli.tasks.base import Task

MOST_CLASSES = 20  # a column with more different numbers is guessed to hold numbers, not classes


def names() -> list[str]:
    """The tasks' names, sorted."""
    modules = {module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])}
    return sorted(modules - {"base"})


def task(name: str) -> "Task":
    """The task with this name."""
    check("task", name, OneOf(names()))
    return import_module(f"{__name__}.{name}").TASK


def targets_of(text: str, table: Any) -> list[str]:
    """The columns that --target names: one, or several with commas between them."""
    return [text] if text in table else text.split(",")


def guessed(table: Any, targets: list[str]) -> tuple["Task", str]:
    """The task that the targets look like, and why."""
    from modn.cli.columns import labels, target_numbers

    if len(targets) > 1:
        if target_numbers(table, targets).isin([0, 1]).all(axis=None):
            return task("labels"), "the targets are 0 or 1"
        return task("regression"), "there are several targets, which hold numbers"
    n_distinct = len(set(labels(table, targets[0])))
    try:
        target_numbers(table, targets)
    except ValueError:
        return task("classification"), "the target holds texts"
    if n_distinct > MOST_CLASSES:
        return task("regression"), f"the target holds {n_distinct} different numbers"
    return task("classification"), f"the target holds {n_distinct} different values"
