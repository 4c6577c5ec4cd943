"""Table 3 as bars: our accuracy of each dataset, model and optimizer, with the paper's value on each."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from modn.plots import style
from stages.study.figures import StudyFigure, _looks

# With more bars than this in a panel the numbers above them would touch.
_MOST_NUMBERS = 12

_WHISKER = {"ecolor": "#333333", "elinewidth": 0.8, "capsize": 2}
_PAPER: dict[str, Any] = {"linestyle": "none", "marker": "D", "mfc": "white", "mec": style.BLACK, "mew": 0.9}


def draw(table3: pd.DataFrame) -> Figure:
    """Draw a panel per model, a group of bars per dataset, a bar per optimizer; whiskers are intervals."""
    datasets, models = _looks.datasets_of(table3), _looks.models_of(table3)
    colours = _looks.optimizers_of(table3)
    bars = len(datasets) * len(colours)
    width = np.clip(1.6 + max(0.6 * bars, 0.85 * len(datasets)), 4.8, 11)
    figure = style.new_figure(width, 2.3 * len(models) + 0.5)
    axes = figure.subplots(len(models), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for panel, model in zip(axes, models, strict=True):
        _draw_model(panel, table3[table3["model"] == model], list(datasets), colours)
        panel.set_title(_looks.model_name(model), loc="left", fontweight="bold")
        panel.set_ylabel("accuracy")
    axes[-1].set_xticks(range(len(datasets)), [_looks.text(title, 14) for title in datasets.values()])
    axes[-1].set_xlim(-0.6, len(datasets) - 0.4)
    axes[-1].set_ylim(0, max(1.0, table3["acc_high"].max()) + (0.1 if bars <= _MOST_NUMBERS else 0.02))
    axes[-1].set_yticks(np.linspace(0, 1, 6))
    style.legend_below(figure, _legend(table3, colours), width=1.6)
    return figure


def _draw_model(panel: Axes, cells: pd.DataFrame, datasets: list[str], colours: dict[str, str]) -> None:
    thickness = min(0.8 / len(colours), 0.4)
    panel.grid(axis="x", visible=False)
    panel.tick_params(axis="x", length=0)
    for place, (optimizer, colour) in enumerate(colours.items()):
        own = cells[cells["optimizer"] == optimizer]
        x = own["dataset"].map(datasets.index).to_numpy() + (place - (len(colours) - 1) / 2) * thickness
        mean, low, high, paper = own[["acc_mean", "acc_low", "acc_high", "paper"]].to_numpy(dtype=float).T
        panel.bar(x, mean, 0.9 * thickness, yerr=(mean - low, high - mean), color=colour, error_kw=_WHISKER)
        panel.plot(x, paper, markersize=min(6.0, 32 * thickness), **_PAPER)
        if len(datasets) * len(colours) <= _MOST_NUMBERS:
            for at, value, top in zip(x, mean, np.fmax(high, paper), strict=True):
                panel.text(at, top + 0.03, f"{value:.3f}", ha="center", va="bottom", fontsize=8)


def _legend(table3: pd.DataFrame, colours: dict[str, str]) -> list[Artist]:
    handles: list[Artist] = [
        Patch(color=colour, label=f"{_looks.optimizer_name(optimizer)}, ours")
        for optimizer, colour in colours.items()
    ]
    if table3["paper"].notna().any():
        handles.append(Line2D([], [], markersize=6, label="paper", **_PAPER))
    if (table3["acc_high"] > table3["acc_low"]).any():
        handles.append(Line2D([], [], color="#333333", linewidth=0.8, label="interval over runs"))
    return handles


FIGURE = StudyFigure(
    name="accuracy",
    caption="Accuracy of every cell, ours and the paper's",
    section="summary",
    order=1,
    needs=("table3",),
    draw=draw,
)
