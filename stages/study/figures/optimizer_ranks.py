"""Which optimizer is best: its mean rank over the datasets, in our runs and in the paper's Table 3."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from modn.plots import style
from stages.study import names
from stages.study.figures import StudyFigure, _looks

_MODEL_MARKERS = ("o", "s", "^", "D", "v")


def draw(ranks: pd.DataFrame) -> Figure:
    """Draw a line per optimizer, the best on top, a point per model; a panel each for ours and the paper's.

    Both rank the same optimizers on the same datasets; a side without values is left out.
    """
    sides = dict(list(ranks.groupby("side", sort=False)))
    order = list(sides["ours"].groupby("optimizer")["rank"].mean().sort_values(kind="stable").index)
    colours = _looks.models_of(ranks)
    markers = dict(zip(colours, _MODEL_MARKERS * len(colours), strict=False))

    figure = style.new_figure(1.4 + 3.4 * len(sides), 1.3 + 0.36 * len(order))
    axes = figure.subplots(1, len(sides), sharey=True, sharex=True, squeeze=False)[0]
    for panel, (side, of_side) in zip(axes, sides.items(), strict=True):
        for place, (model, colour) in enumerate(colours.items()):
            own = of_side[of_side["model"] == model]
            # Points of equal rank stand beside each other.
            y = own["optimizer"].map(order.index) + 0.16 * (place - (len(colours) - 1) / 2)
            panel.plot(own["rank"], y, markers[model], color=colour, markersize=7)
        panel.set_title(f"{side}, over {_looks.counted(of_side['datasets'].max(), 'dataset')}")
        panel.set_xlabel("mean rank (1 is best)")
    axes[0].set_yticks(range(len(order)), [names.optimizer_name(optimizer) for optimizer in order])
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
            label=names.model_name(model),
        )
        for model, colour in colours.items()
    ]
    style.legend_below(figure, handles, width=1.3)
    return figure


FIGURE = StudyFigure(
    name="optimizer_ranks",
    caption="Mean ranks of the optimizers in our runs and in the paper, among those that the paper has",
    section="table3",
    order=2,
    needs=("optimizer_ranks",),
    draw=draw,
)
