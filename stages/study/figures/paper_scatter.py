"""How close we come to the paper: every cell of Table 3, the printed accuracy against ours."""

import pandas as pd
from matplotlib.figure import Figure

from modn.plots import style
from stages.study import names
from stages.study.figures import StudyFigure, _looks


def draw(table3: pd.DataFrame, closeness: pd.DataFrame) -> Figure:
    """Draw a point with its interval per cell that the paper prints; on the dashed line both are equal."""
    printed = table3[table3["paper"].notna()]
    figure = style.new_figure(6.0, 5.6)
    panel = figure.add_subplot()
    panel.axline((0, 0), (1, 1), color=style.GREY, linewidth=1, linestyle="--")
    markers, of_optimizer = _looks.markers_of(printed), closeness.set_index("optimizer")
    handles = []
    for optimizer, colour in _looks.optimizers_of(printed).items():
        own = printed[printed["optimizer"] == optimizer]
        panel.vlines(own["paper"], own["acc_low"], own["acc_high"], color=colour, linewidth=0.6, alpha=0.5)
        distance = of_optimizer.loc[optimizer, "mean_absolute_difference"]
        cells = _looks.counted(len(own), "cell")
        (points,) = panel.plot(
            own["paper"],
            own["acc_mean"],
            markers[optimizer],
            color=colour,
            markersize=6,
            markeredgecolor="white",
            markeredgewidth=0.5,
            label=f"{names.optimizer_name(optimizer)}: {cells}, mean |difference| {distance:.3f}",
        )
        handles.append(points)
    drawn = printed[["paper", "acc_low", "acc_high"]]
    limits = (drawn.min().min() - 0.05, drawn.max().max() + 0.05)
    panel.set(xlim=limits, ylim=limits, aspect="equal")
    panel.set(xlabel="accuracy in the paper", ylabel="accuracy, ours (line: 95 % interval)")
    style.legend_below(figure, handles, width=3.0)
    return figure


FIGURE = StudyFigure(
    name="paper_scatter",
    caption="Paper against ours, all cells of Table 3; on the dashed line both are equal",
    section="table3",
    order=1,
    needs=("table3", "closeness"),
    draw=draw,
)
