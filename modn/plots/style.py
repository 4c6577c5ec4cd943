"""The style that all pictures share, and how one is saved.

Colours are the palette of Okabe and Ito (2008, "Color universal design"), which colour-blind readers can tell
apart. The background is opaque, so that labels stay legible on a dark page.
"""

import functools
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec

import matplotlib
from matplotlib import font_manager
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter
from PIL import Image

from modn.writing import replacing

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#767676"
YELLOW = "#F0E442"

_SETTINGS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # ships with matplotlib: the same glyphs everywhere
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
    "svg.hashsalt": "modn",  # without it, element names (and so the bytes) are random
}

P = ParamSpec("P")


@contextmanager
def applied() -> Iterator[None]:
    """Apply our settings to matplotlib's defaults, so that a user's matplotlibrc changes no figure."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


def styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Make the figure that `draw` returns under the common style."""

    @functools.wraps(draw)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with applied():
            figure = draw(*args, **kwargs)
            _make_drawable(figure)
            return figure

    return wrapper


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write the figure as .png or .svg: atomically, and with the same bytes each time.

    >>> import modn
    >>> from modn import plots
    >>> import tempfile
    >>> neuron = modn.Neuron([[1.0]], [[0.5]], [[True]], [1.0], [0.0], alpha_s=10, alpha_t=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plots.save(plots.neuron(neuron), f"{folder}/neuron.png")
    ...     Path(f"{folder}/neuron.png").exists()
    True
    """
    target = Path(path)
    metadata = {".png": {"Software": None}, ".svg": {"Date": None}}.get(target.suffix)
    if metadata is None:
        raise ValueError(f"path is {target.name!r}; allowed: a name that ends in .png or .svg")
    with replacing(target) as temporary:
        with applied():
            _make_drawable(figure)
            figure.savefig(temporary, format=target.suffix[1:], metadata=metadata)
        if target.suffix == ".png":
            _reduce(temporary)


def drawable(text: str) -> str:
    """A text with the code of each character that the font lacks, such as U+96EA, in its place."""
    return "".join(one if one.isspace() or ord(one) in _glyphs() else f"U+{ord(one):04X}" for one in text)


@functools.cache
def _glyphs() -> frozenset[int]:
    font = font_manager.findfont(_SETTINGS["font.family"])
    return frozenset(font_manager.get_font(font).get_charmap())


def _make_drawable(figure: Figure) -> None:
    """Names are the users': matplotlib would draw boxes, and warn."""
    for text in figure.findobj(Text):
        text.set_text(drawable(text.get_text()))
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            formatter = axis.get_major_formatter()
            if isinstance(formatter, FuncFormatter):  # labels that were set one by one
                axis.set_major_formatter(FuncFormatter(_drawable_labels(formatter)))


def _drawable_labels(formatter: FuncFormatter) -> Callable[[float, int | None], str]:
    return lambda value, position: drawable(formatter(value, position))


def _reduce(path: Path) -> None:
    """Give a PNG a palette: a third of the bytes for the same picture, since reports are kept in git."""
    with Image.open(path) as picture:
        colours = picture.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    colours.save(path, format="PNG", optimize=True)


def new_figure(width: float, height: float) -> Figure:
    """Make an empty figure, in inches, on a canvas of its own: no window system is needed."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def legend_below(figure: Figure, handles: Iterable[Artist], width: float) -> None:
    """Add a legend under all panels, in as many columns of `width` inches as the figure holds."""
    entries = list(handles)
    columns = max(1, min(len(entries), int(figure.get_figwidth() // width)))
    rows = -(-len(entries) // columns)
    figure.set_figheight(figure.get_figheight() + 0.2 + 0.2 * rows)
    figure.legend(handles=entries, loc="outside lower center", ncols=columns, handlelength=2.6)


def line(name: object, width: int) -> str:
    """Make a user's name a label of one line, cut where it is longer than `width`."""
    label = drawable(str(name))
    return (label if len(label) <= width else label[: width - 1] + "…").replace("$", r"\$")
