"""What all figures share: one style, the names and colours of models and optimizers, and how one is saved.

Colours are the palette of Okabe and Ito (2008, "Color universal design"), which colour-blind readers can tell
apart; where lines or points mix, dashes or markers help in grey print too. The background is opaque,
so that a dark page does not swallow the labels.
"""

import functools
import os
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import matplotlib
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from modn.writing import replacing

LineStyle = str | tuple[float, tuple[float, ...]]

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#767676"
YELLOW = "#F0E442"

# Names and looks, in the order in which the paper has them.
_MODEL_NAMES = {"modn": "MODN", "modnp": "MODNP", "modnf": "MODNF", "mlp": "MLP", "dnm": "DNM"}
_MODEL_COLOURS = {"modn": BLUE, "modnp": VERMILION, "modnf": GREEN, "mlp": PURPLE, "dnm": ORANGE}
_OPTIMIZER_NAMES = {"bp_exact": "BP (exact)", "adam": "Adam", "bbo_adam": "BBO+Adam"}
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

_SETTINGS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # ships with matplotlib: the same letters everywhere
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.6,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "savefig.dpi": 144,
    "figure.constrained_layout.w_pad": 0.08,
    "figure.constrained_layout.h_pad": 0.08,
    "svg.hashsalt": "modn",  # else element names, and so the bytes, are drawn at random
}

P = ParamSpec("P")
V = TypeVar("V")


@contextmanager
def applied() -> Iterator[None]:
    """Our settings on matplotlib's own defaults: no matplotlibrc of a user's changes a figure."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


def styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Make the figure that `draw` returns under the common style."""

    @functools.wraps(draw)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with applied():
            return draw(*args, **kwargs)

    return wrapper


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write the figure as .png or .svg: the same bytes each time, and never half a file."""
    target = Path(path)
    metadata = {".png": {"Software": None}, ".svg": {"Date": None}}.get(target.suffix)
    if metadata is None:
        raise ValueError(f"path must end in .png or .svg, got {target.name!r}")
    with replacing(target) as temporary:
        with applied():
            figure.savefig(temporary, format=target.suffix[1:], metadata=metadata)
        if target.suffix == ".png":
            _reduce(temporary)


def _reduce(path: Path) -> None:
    """Give a PNG a palette: a third of the bytes for the same picture, since reports are kept in git."""
    with Image.open(path) as picture:
        colours = picture.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    colours.save(path, format="PNG", optimize=True)


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of that many inches on a canvas of its own, so that no window system is asked for."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def new_panels(count: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """A figure of `count` panels of that many inches each, wide enough for a legend below."""
    columns = _columns(count)
    rows = -(-count // columns)
    figure = new_figure(max(4.8, columns * width), rows * height)
    return figure, [figure.add_subplot(rows, columns, place + 1) for place in range(count)]


def label_outer(axes: Sequence[Axes], x: str, y: str) -> None:
    """Name the axes of panels that all have the same ones, once per column and once per row."""
    columns = _columns(len(axes))
    for panel in axes[-columns:]:
        panel.set_xlabel(x)
    for panel in axes[::columns]:
        panel.set_ylabel(y)


def _columns(count: int) -> int:
    """How many panels stand in a row: at most four, and so that few places stay empty."""
    return count if count <= 4 else 3 if count in (5, 6, 9) else 4


def legend_below(figure: Figure, handles: Iterable[Artist], width: float) -> None:
    """Make room under all panels for a legend, in as many columns of `width` inches as the figure holds."""
    entries = list(handles)
    columns = max(1, min(len(entries), int(figure.get_figwidth() // width)))
    rows = -(-len(entries) // columns)
    figure.set_figheight(figure.get_figheight() + 0.2 + 0.2 * rows)
    figure.legend(handles=entries, loc="outside lower center", ncols=columns, handlelength=2.6)


def require(table: pd.DataFrame, name: str, columns: Iterable[str]) -> None:
    """Refuse a table without rows or without one of the columns."""
    missing = [column for column in columns if column not in table.columns]
    if missing:
        raise ValueError(f"{name} lacks the columns {missing}, it has {list(table.columns)}")
    if table.empty:
        raise ValueError(f"{name} is empty: there is nothing to draw")


def text(name: object, width: int) -> str:
    """A user's name as a label: broken into lines of `width`, its dollar signs not taken for formulas."""
    return textwrap.fill(str(name).replace("_", " "), width).replace("$", r"\$")


def line(name: object, width: int) -> str:
    """A user's name as a label of one line, cut where it is longer than `width`."""
    label = str(name)
    return (label if len(label) <= width else label[: width - 1] + "…").replace("$", r"\$")


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 dataset, 2 datasets."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def model_name(slug: str) -> str:
    """The model as the paper writes it."""
    return _MODEL_NAMES.get(slug, slug.replace("_", " ").upper())


def optimizer_name(slug: str) -> str:
    """The optimizer as the paper writes it."""
    return _OPTIMIZER_NAMES.get(slug, slug.replace("_", " ").upper())


def pair_name(model: str, optimizer: str) -> str:
    """Model and optimizer as the paper writes them together: MODN+BBO."""
    return f"{model_name(model)}+{optimizer_name(optimizer)}"


def datasets_of(table: pd.DataFrame) -> dict[str, str]:
    """The datasets of a table in its order, each with its title."""
    return dict(table.drop_duplicates("dataset")[["dataset", "title"]].to_numpy().tolist())


def models_of(table: pd.DataFrame) -> dict[str, str]:
    """The models of a table in the paper's order, others behind them, each with its colour."""
    return _assign(table["model"], _MODEL_COLOURS, _SPARE_COLOURS)


def optimizers_of(table: pd.DataFrame) -> dict[str, str]:
    """The optimizers of a table in the paper's order, others behind them, each with its colour."""
    return _assign(table["optimizer"], _OPTIMIZER_COLOURS, _SPARE_COLOURS)


def markers_of(table: pd.DataFrame) -> dict[str, str]:
    """The optimizers of a table, each with its marker."""
    return _assign(table["optimizer"], _OPTIMIZER_MARKERS, _SPARE_MARKERS)


def dashes_of(table: pd.DataFrame) -> dict[str, LineStyle]:
    """The optimizers of a table, each with its line style."""
    return _assign(table["optimizer"], _OPTIMIZER_DASHES, _SPARE_DASHES)


def pairs_of(table: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Each pair of model and optimizer in a table, in the paper's order, with its rows."""
    for optimizer in dashes_of(table):
        for model in models_of(table):
            rows = table[(table["model"] == model) & (table["optimizer"] == optimizer)]
            if len(rows):
                yield model, optimizer, rows


def _assign(slugs: Iterable[str], known: dict[str, V], spare: Sequence[V]) -> dict[str, V]:
    present = list(dict.fromkeys(slugs))
    unknown = [slug for slug in present if slug not in known]
    own = {slug: spare[place % len(spare)] for place, slug in enumerate(unknown)}
    return {slug: value for slug, value in known.items() if slug in present} | own
