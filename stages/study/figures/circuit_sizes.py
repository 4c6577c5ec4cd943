"""How accurate circuits are over their size, beside other models that a person can read."""

from itertools import cycle
from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from modn.plots import style
from stages.study.figures import StudyFigure, _looks

_COLOURS = (style.VERMILION, style.BLUE, style.GREEN, style.PURPLE, style.ORANGE, style.SKY)
_MARKERS = ("o", "s", "^", "D", "v", "P")
_UNSIZED: dict[str, Any] = {"linestyle": "--", "linewidth": 1.0}


def draw(sizes: pd.DataFrame, circuits: pd.DataFrame) -> Figure:
    """Draw the mean over the datasets first, then a panel per dataset; dashed: models that have no size."""
    datasets = _looks.datasets_of(sizes)
    sized = dict(sizes.drop_duplicates("model")[["model", "name"]].to_numpy().tolist())
    looks = dict(zip(sized, zip(cycle(_COLOURS), cycle(_MARKERS), strict=False), strict=False))
    others = circuits[~circuits["model"].isin(sized)]
    unsized = dict(others.drop_duplicates("model")[["model", "name"]].to_numpy().tolist())
    greys = dict(zip(unsized, cycle((style.BLACK, style.GREY)), strict=False))
    panels = {"": "Mean over the datasets"} if len(datasets) > 1 else {}
    figure, axes = _looks.new_panels(len(panels | datasets), width=2.9, height=2.4)
    for panel, (dataset, title) in zip(axes, (panels | datasets).items(), strict=True):
        own, levels = sizes, others
        if dataset:
            own, levels = (table[table["dataset"] == dataset] for table in (sizes, others))
        _draw_models(panel, own, looks)
        for model, colour in greys.items():
            panel.axhline(levels.loc[levels["model"] == model, "acc_mean"].mean(), color=colour, **_UNSIZED)
        panel.set_title(_looks.text(title, 30), fontweight="bold" if not dataset else None)
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    _looks.label_outer(axes, "at most so many conditions", "accuracy")
    handles: list[Artist] = [
        Line2D([], [], color=colour, marker=marker, markersize=4, label=sized[model])
        for model, (colour, marker) in looks.items()
    ]
    handles += [Line2D([], [], color=greys[model], label=unsized[model], **_UNSIZED) for model in unsized]
    style.legend_below(figure, handles, width=1.5)
    return figure


def _draw_models(panel: Axes, sizes: pd.DataFrame, looks: dict[str, tuple[str, str]]) -> None:
    for model, (colour, marker) in looks.items():
        line = sizes[sizes["model"] == model].groupby("size")["acc_mean"].mean()
        panel.plot(line.index, line, marker, ls="-", color=colour, markersize=3.5)


FIGURE = StudyFigure(
    name="circuit_sizes",
    caption="Accuracy over size, mean of the resplits; dashed: models whose conditions cannot be counted",
    section="circuits",
    order=1,
    needs=("circuit_sizes", "circuits"),
    draw=draw,
)
