"""The figures of the report, one file each.

To add one, add a module with a `FIGURE`: `plot` draws it and `report` places it. Modules whose names begin
with an underscore hold what figures share.
"""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from modn.plots import style
from stages.study.figures import _material


@dataclass(frozen=True)
class StudyFigure:
    """One figure of the report."""

    name: str  # of its file, without .png
    caption: str
    section: str  # of the report, by its key in stages.study.sections
    order: int  # within the section
    needs: tuple[str, ...]  # tables by name, or "examples"; it is drawn when none of them is empty
    draw: Callable[..., Figure]  # from what it needs, in that order


def registered() -> list[StudyFigure]:
    """Every figure of this package, in its order within its section."""
    modules = [name for _, name, _ in pkgutil.iter_modules(__path__) if not name.startswith("_")]
    found = [importlib.import_module(f"{__name__}.{name}").FIGURE for name in modules]
    for figure, module in zip(found, modules, strict=True):
        if figure.name != module:
            raise ValueError(f"the figure {figure.name!r} is in {module}.py; allowed: {figure.name}.py")
    return sorted(found, key=lambda figure: (figure.order, figure.name))


def drawable(tables: Path) -> dict[StudyFigure, list[Any]]:
    """The figures whose needs are met by a folder of tables, each with what it is drawn from."""
    figures = registered()
    material = _material.read(tables, sorted({need for figure in figures for need in figure.needs}))
    wanted = {figure: [material[need] for need in figure.needs] for figure in figures}
    return {figure: own for figure, own in wanted.items() if all(len(part) for part in own)}


def draw(figure: StudyFigure, material: list[Any]) -> Figure:
    """Draw a figure in the common style."""
    with style.applied():
        return figure.draw(*material)
