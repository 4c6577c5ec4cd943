"""What the figures share: the looks of models and optimizers, and panels.

Where lines or points mix, dashes or markers tell them apart in grey print too.
"""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from modn.plots import style
from modn.plots.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, YELLOW

LineStyle = str | tuple[float, tuple[float, ...]]
V = TypeVar("V")

# In the order of the paper.
_MODEL_COLOURS = {"modn": BLUE, "modnp": VERMILION, "modnf": GREEN, "mlp": PURPLE, "dnm": ORANGE}
_OPTIMIZER_COLOURS = {
    "bbo": BLUE,
    "bp": BLACK,
    "bp_exact": GREY,
    "ga": ORANGE,
    "pso": GREEN,
    "pbil": PURPLE,
    "es": VERMILION,
    "adam": SKY,
    "bbo_adam": YELLOW,
}
_OPTIMIZER_MARKERS = {
    "bbo": "o",
    "bp": "X",
    "bp_exact": "P",
    "ga": "s",
    "pso": "^",
    "pbil": "D",
    "es": "v",
    "adam": "*",
    "bbo_adam": "h",
}
_OPTIMIZER_DASHES: dict[str, LineStyle] = {"bbo": "-", "bp": "--", "bp_exact": ":"}

_SPARE_COLOURS = (SKY, BLACK, GREY, ORANGE, PURPLE)
_SPARE_MARKERS = ("<", ">", "p", "d")
_SPARE_DASHES: tuple[LineStyle, ...] = ("-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)))


def datasets_of(table: pd.DataFrame) -> dict[str, str]:
    """The datasets of a table in its order, each with its title."""
    return dict(table.drop_duplicates("dataset")[["dataset", "title"]].to_numpy().tolist())


def models_of(table: pd.DataFrame) -> dict[str, str]:
    """The models of a table with their colours: the paper's in its order, then the others."""
    return _assign(table["model"], _MODEL_COLOURS, _SPARE_COLOURS)


def optimizers_of(table: pd.DataFrame) -> dict[str, str]:
    """The optimizers of a table with their colours: the paper's in its order, then the others."""
    return _assign(table["optimizer"], _OPTIMIZER_COLOURS, _SPARE_COLOURS)


def markers_of(table: pd.DataFrame) -> dict[str, str]:
    """The optimizers of a table with their markers."""
    return _assign(table["optimizer"], _OPTIMIZER_MARKERS, _SPARE_MARKERS)


def dashes_of(table: pd.DataFrame) -> dict[str, LineStyle]:
    """The optimizers of a table with their line styles."""
    return _assign(table["optimizer"], _OPTIMIZER_DASHES, _SPARE_DASHES)


def lines_of(table: pd.DataFrame) -> dict[str, tuple[str, LineStyle]]:
    """The optimizers of a table, each with a colour and dashes that no other has together."""
    looks: dict[str, tuple[str, LineStyle]] = {}
    for optimizer, colour in optimizers_of(table).items():
        free = (dash for dash in ("-", "--", *_SPARE_DASHES, ":") if (colour, dash) not in looks.values())
        looks[optimizer] = colour, next(free, "-")
    return looks


def pairs_of(table: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Each pair of model and optimizer in a table, in the paper's order, with its rows."""
    for optimizer in dashes_of(table):
        for model in models_of(table):
            rows = table[(table["model"] == model) & (table["optimizer"] == optimizer)]
            if len(rows):
                yield model, optimizer, rows


def pair_colours_of(table: pd.DataFrame) -> dict[tuple[str, str], str]:
    """A colour per pair of model and optimizer: the model's, and another one for each further optimizer."""
    colours, spare = models_of(table), iter(_SPARE_COLOURS * len(table))
    result: dict[tuple[str, str], str] = {}
    for model, optimizer, _ in pairs_of(table):
        is_first = all(other != model for other, _ in result)
        result[model, optimizer] = colours[model] if is_first else next(spare)
    return result


def _assign(slugs: Iterable[str], known: dict[str, V], spare: Sequence[V]) -> dict[str, V]:
    present = list(dict.fromkeys(slugs))
    unknown = [slug for slug in present if slug not in known]
    own = {slug: spare[place % len(spare)] for place, slug in enumerate(unknown)}
    return {slug: value for slug, value in known.items() if slug in present} | own


def new_panels(count: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """Make a figure of `count` panels, each of that many inches, wide enough for a legend below."""
    columns = _columns(count)
    rows = -(-count // columns)
    figure = style.new_figure(max(4.8, columns * width), rows * height)
    return figure, [figure.add_subplot(rows, columns, place + 1) for place in range(count)]


def label_outer(axes: Sequence[Axes], x: str, y: str) -> None:
    """Label the axes of panels that all have the same ones, once per column and once per row."""
    for panel in axes[-_columns(len(axes)) :]:
        panel.set_xlabel(x)
    for panel in first_of_rows(axes):
        panel.set_ylabel(y)


def first_of_rows(axes: Sequence[Axes]) -> Sequence[Axes]:
    """The leftmost of the panels."""
    return axes[:: _columns(len(axes))]


def _columns(count: int) -> int:
    """Panels per row: at most four, chosen to leave few places empty."""
    return count if count <= 4 else 3 if count in (5, 6, 9) else 4


def text(name: object, width: int) -> str:
    """Make a user's name a label: lines of at most `width`, dollar signs that start no formula."""
    return textwrap.fill(str(name).replace("_", " "), width).replace("$", r"\$")


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 dataset, 2 datasets."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
