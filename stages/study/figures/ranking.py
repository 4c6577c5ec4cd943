"""Which optimizer is best: its mean rank over the datasets, in our runs and in the paper's Table 3."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from modn.metrics import mean_ranks
from modn.plots import style

COLUMNS = ("dataset", "model", "optimizer", "acc_mean", "paper")
_MODEL_MARKERS = ("o", "s", "^", "D", "v")


@style.styled
def optimizer_ranks(table: pd.DataFrame) -> Figure:
    """A line per optimizer, the best on top, a point per model; ours on the left, the paper's on the right.

    `table` is that of `accuracy_bars`. The sides are ranked apart, as ours may have optimizers that the paper
    lacks; without printed values there is no right side.
    """
    style.require(table, "table", COLUMNS)
    printed = table[table["paper"].notna()]
    sides = {"ours": mean_ranks(table)}
    if len(printed):
        sides["paper"] = mean_ranks(printed.assign(acc_mean=printed["paper"]))
    order = list(sides["ours"].groupby("optimizer")["rank"].mean().sort_values(kind="stable").index)
    colours = style.models_of(table)
    markers = dict(zip(colours, _MODEL_MARKERS * len(colours), strict=False))

    figure = style.new_figure(1.4 + 3.4 * len(sides), 1.3 + 0.36 * len(order))
    axes = figure.subplots(1, len(sides), sharey=True, sharex=True, squeeze=False)[0]
    for panel, (side, ranks) in zip(axes, sides.items(), strict=True):
        for place, (model, colour) in enumerate(colours.items()):
            own = ranks[ranks["model"] == model]
            # Points of equal rank stand beside each other.
            y = own["optimizer"].map(order.index) + 0.16 * (place - (len(colours) - 1) / 2)
            panel.plot(own["rank"], y, markers[model], color=colour, markersize=7)
        panel.set_title(f"{side}, over {style.counted(ranks['datasets'].max(), 'dataset')}")
        panel.set_xlabel("mean rank (1 is best)")
    axes[0].set_yticks(range(len(order)), [style.optimizer_name(optimizer) for optimizer in order])
    axes[0].set_ylim(len(order) - 0.5, -0.5)
    axes[0].set_xlim(0.7, len(order) + 0.3)
    axes[0].set_xticks(range(1, len(order) + 1))
    handles = [
        Line2D(
            [],
            [],
            color=colour,
            marker=markers[model],
            linestyle="none",
            markersize=7,
            label=style.model_name(model),
        )
        for model, colour in colours.items()
    ]
    style.legend_below(figure, handles, width=1.3)
    return figure
