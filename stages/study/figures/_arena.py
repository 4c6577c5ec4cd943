"""What the figures of the arena share: a panel per model, a line per optimizer."""

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.figure import Figure

from modn.plots import style
from stages.study import names
from stages.study.figures import _looks


def draw_lines(table: pd.DataFrame, x: str, y: str, x_label: str, y_label: str) -> Figure:
    """Draw the columns x (logarithmic) and y (from 0 to 1) of each optimizer; colour and dashes tell it."""
    models, looks = _looks.models_of(table), _looks.lines_of(table)
    figure, axes = _looks.new_panels(len(models), width=3.3, height=3.0)
    handles: dict[str, Artist] = {}
    for panel, model in zip(axes, models, strict=True):
        for optimizer, (colour, dash) in looks.items():
            own = table[(table["model"] == model) & (table["optimizer"] == optimizer)].sort_values(x)
            if len(own):
                name = names.optimizer_name(optimizer)
                (handles[name],) = panel.plot(own[x], own[y], color=colour, linestyle=dash, label=name)
        panel.set_title(_looks.text(names.model_name(model), 28))
        panel.set_xscale("log")
        panel.set_ylim(-0.02, 1.02)
    _looks.label_outer(axes, x_label, y_label)
    style.legend_below(figure, handles.values(), width=1.5)
    return figure
