"""Table 3 as points: for each optimizer our accuracies with their intervals, and the paper's beside them."""

from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from modn.plots import style
from stages.study import names, paper
from stages.study.figures import StudyFigure, _looks

_OURS: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 4.5}
_PAPER: dict[str, Any] = {"linestyle": "none", "marker": "D", "markersize": 4.5, "mfc": "white", "mew": 1.1}
_ROW = 0.36  # inches per dataset


def draw(table3: pd.DataFrame) -> Figure:
    """Draw a panel per optimizer, a row per dataset, a point with its interval per model."""
    datasets, models = _looks.datasets_of(table3), _looks.models_of(table3)
    optimizers = list(_looks.optimizers_of(table3))
    figure, axes = _looks.new_panels(len(optimizers), width=2.9, height=0.6 + _ROW * len(datasets))
    lowest = table3[["acc_low", "paper"]].min().min()
    first = set(_looks.first_of_rows(axes))
    for panel, optimizer in zip(axes, optimizers, strict=True):
        _draw_optimizer(panel, table3[table3["optimizer"] == optimizer], list(datasets), models)
        beyond = "" if optimizer in paper.OPTIMIZERS else " †"
        panel.set_title(f"{names.optimizer_name(optimizer)}{beyond}", loc="left", fontweight="bold")
        panel.set_xlim(max(0.0, lowest - 0.04), 1.02)
        panel.set_ylim(len(datasets) - 0.5, -0.5)
        labels = [_looks.text(title, 20) for title in datasets.values()] if panel in first else []
        panel.set_yticks(range(len(datasets)), labels or [""] * len(datasets))
    _looks.label_outer(axes, "accuracy", "")
    style.legend_below(figure, _legend(table3, models), width=1.5)
    return figure


def _draw_optimizer(panel: Axes, cells: pd.DataFrame, datasets: list[str], models: dict[str, str]) -> None:
    panel.grid(axis="y", visible=False)
    panel.tick_params(axis="y", length=0)
    for place in range(1, len(datasets), 2):  # every other row is shaded, so that the eye keeps to it
        panel.axhspan(place - 0.5, place + 0.5, color="#F4F4F4", linewidth=0, zorder=0)
    for place, (model, colour) in enumerate(models.items()):
        own = cells[cells["model"] == model]
        y = own["dataset"].map(datasets.index).to_numpy() + 0.26 * (place - (len(models) - 1) / 2)
        mean, low, high, printed = own[["acc_mean", "acc_low", "acc_high", "paper"]].to_numpy(dtype=float).T
        panel.hlines(y, low, high, color=colour, linewidth=1.3, alpha=0.55)
        panel.plot(printed, y, mec=colour, **_PAPER)
        panel.plot(mean, y, color=colour, **_OURS)


def _legend(table3: pd.DataFrame, models: dict[str, str]) -> list[Artist]:
    handles: list[Artist] = [
        Line2D([], [], color=colour, label=f"{names.model_name(model)}, ours", **_OURS)
        for model, colour in models.items()
    ]
    if table3["paper"].notna().any():
        handles.append(Line2D([], [], mec=style.BLACK, label="paper", **_PAPER))
    if (table3["acc_high"] > table3["acc_low"]).any():
        handles.append(Line2D([], [], color=style.BLACK, linewidth=1.3, alpha=0.55, label="95 % interval"))
    return handles


FIGURE = StudyFigure(
    name="accuracy",
    caption="Accuracy by optimizer: our mean with its 95 % interval, and the paper's; †: beyond the paper",
    section="fidelity",
    order=1,
    needs=("table3",),
    draw=draw,
)
