"""How close we come to the paper: every cell of Table 3, the printed accuracy against ours."""

import pandas as pd
from matplotlib.figure import Figure

from modn.plots import style

COLUMNS = ("optimizer", "acc_mean", "acc_low", "acc_high", "paper")


@style.styled
def paper_scatter(table: pd.DataFrame) -> Figure:
    """A point with its interval per cell that the paper prints; on the dashed line both are equal.

    `table` is that of `accuracy_bars`. Where none of its cells is in the paper, the figure says so.
    """
    style.require(table, "table", COLUMNS)
    printed = table[table["paper"].notna()]
    figure = style.new_figure(6.0, 5.6)
    panel = figure.add_subplot()
    panel.axline((0, 0), (1, 1), color=style.GREY, linewidth=1, linestyle="--")
    colours, markers = style.optimizers_of(printed), style.markers_of(printed)
    handles = []
    for optimizer, colour in colours.items():
        own = printed[printed["optimizer"] == optimizer]
        panel.vlines(own["paper"], own["acc_low"], own["acc_high"], color=colour, linewidth=0.6, alpha=0.5)
        apart = (own["acc_mean"] - own["paper"]).abs().mean()
        cells = style.counted(len(own), "cell")
        (points,) = panel.plot(
            own["paper"],
            own["acc_mean"],
            markers[optimizer],
            color=colour,
            markersize=6,
            markeredgecolor="white",
            markeredgewidth=0.5,
            label=f"{style.optimizer_name(optimizer)}: {cells}, mean |difference| {apart:.3f}",
        )
        handles.append(points)
    if printed.empty:
        panel.text(0.5, 0.5, "none of these cells is in the paper", ha="center", bbox={"color": "white"})
        limits = (0.0, 1.0)
    else:
        drawn = printed[["paper", "acc_low", "acc_high"]]
        limits = (drawn.min().min() - 0.05, drawn.max().max() + 0.05)
    panel.set(xlim=limits, ylim=limits, aspect="equal")
    panel.set(xlabel="accuracy in the paper", ylabel="accuracy, ours (line: interval over runs)")
    if handles:
        style.legend_below(figure, handles, width=3.0)
    return figure
