"""Which optimizer is best at each budget: mean ranks by training loss and by test accuracy."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from modn.plots import style
from stages.study import names
from stages.study.figures import StudyFigure, _looks
from stages.study.tables import overall

_POINTS: dict[str, dict[str, Any]] = {
    "loss": {"color": style.BLUE, "marker": "o"},
    "acc": {"color": style.VERMILION, "marker": "D", "mfc": "white"},
}
_TITLES = {"loss": "by training loss", "acc": "by test accuracy"}
_RULER: dict[str, Any] = {"color": style.BLACK, "linewidth": 1.5, "marker": "|"}


def draw(ranks: pd.DataFrame) -> Figure:
    """Draw a panel per budget, a row per optimizer, the best by loss after the last budget on top."""
    own = overall(ranks)
    budgets = sorted(own["budget"].unique())
    last = own[(own["budget"] == budgets[-1]) & (own["measure"] == "loss")]
    order = last.sort_values("rank", kind="stable")["optimizer"].tolist()
    figure = style.new_figure(max(5.0, 1.6 + 2.6 * len(budgets)), 1.4 + 0.34 * len(order))
    axes = figure.subplots(1, len(budgets), sharey=True, sharex=True, squeeze=False)[0]
    for panel, budget in zip(axes, budgets, strict=True):
        _draw_budget(panel, own[own["budget"] == budget], order)
        panel.set_title(f"{budget:,} evaluations")
        panel.set_xlabel("mean rank (1 is best)")
    axes[0].set_yticks(range(len(order)), [_looks.text(names.optimizer_name(name), 24) for name in order])
    axes[0].set_ylim(len(order) - 0.5, -1.0)
    axes[0].set_xlim(0.5, len(order) + 0.5)
    axes[0].set_xticks(range(1, len(order) + 1))
    handles = [
        Line2D([], [], linestyle="none", label=_TITLES[measure], **look) for measure, look in _POINTS.items()
    ]
    handles.append(Line2D([], [], label="critical difference", **_RULER))
    style.legend_below(figure, handles, width=1.6)
    return figure


def _draw_budget(panel: Axes, ranks: pd.DataFrame, order: list[str]) -> None:
    panel.grid(axis="y", visible=False)
    for place, (measure, look) in enumerate(_POINTS.items()):
        own = ranks[ranks["measure"] == measure]
        y = own["optimizer"].map(order.index) + 0.24 * (place - 0.5)
        panel.hlines(y, own["low"], own["high"], color=look["color"], linewidth=1.3, alpha=0.55)
        panel.plot(own["rank"], y, linestyle="none", markersize=5, **look)
    first = ranks.loc[ranks["measure"] == "loss", "rank"].min()
    # With few datasets it is longer than the axis.
    end = min(first + ranks["critical_difference"].iloc[0], len(order) + 0.5)
    panel.plot([first, end], [-0.7, -0.7], **_RULER)


FIGURE = StudyFigure(
    name="arena_ranks",
    caption=(
        "Mean ranks of the optimizers at equal evaluations, with 95 % intervals over datasets; ranks further "
        "apart than the critical difference differ significantly (Nemenyi test, 5 %)"
    ),
    section="arena",
    order=1,
    needs=("arena_ranks",),
    draw=draw,
)
