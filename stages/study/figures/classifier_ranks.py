"""Which classifiers differ: mean ranks over the datasets, and groups that the Nemenyi test cannot tell apart.

After J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from modn.plots import style
from stages.study.figures import StudyFigure, _looks
from stages.study.tables import OURS, SEARCHES

_BAR: dict[str, Any] = {"color": style.GREY, "linewidth": 3, "alpha": 0.7}
_RULER: dict[str, Any] = {"color": style.BLACK, "linewidth": 1.5, "marker": "|"}


def draw(ranks: pd.DataFrame) -> Figure:
    """Draw a panel per search; a point per classifier, the best on top, bars join indistinguishable ones."""
    n_classifiers, n_datasets = ranks["baseline"].nunique(), int(ranks["datasets"].max())
    figure = style.new_figure(9.0, 1.4 + 0.34 * n_classifiers)
    searches = [search for search in SEARCHES if search in set(ranks["search"])]
    axes = figure.subplots(1, len(searches), sharex=True, squeeze=False)[0]
    for panel, search in zip(axes, searches, strict=True):
        _draw_search(panel, ranks[ranks["search"] == search].sort_values("rank", kind="stable"))
        panel.set_title(SEARCHES[search], loc="left")
        panel.set_xlabel(f"mean rank over {_looks.counted(n_datasets, 'dataset')} (1 is best)")
    if (ranks["critical_difference"] > 0).any():
        bar = "joins classifiers that do not differ significantly (Nemenyi test, 5 %)"
        ruler = "critical difference: mean ranks further apart differ significantly"
        handles = [Line2D([], [], label=bar, **_BAR), Line2D([], [], label=ruler, **_RULER)]
        style.legend_below(figure, handles, width=4.4)
    axes[0].set_xlim(0.7, n_classifiers + 0.3)
    axes[0].set_xticks(range(1, n_classifiers + 1))
    return figure


def _draw_search(panel: Axes, ranks: pd.DataFrame) -> None:
    places = range(len(ranks))
    values = ranks["rank"].tolist()
    difference = ranks["critical_difference"].iloc[0]
    colours = [style.VERMILION if slug == OURS else style.BLUE for slug in ranks["baseline"]]
    panel.scatter(values, places, c=colours, s=45, zorder=3)
    panel.set_yticks(places, [_looks.text(name, 24) for name in ranks["name"]])
    panel.set_ylim(len(ranks) - 0.4, -0.9)
    reached = -1
    for first in places:
        last = max(place for place in places if values[place] - values[first] <= difference)
        if last > max(first, reached):  # not a part of the bar before
            # Each bar stands in the gap beside its points, so that none hides another.
            x = values[first] - 0.12
            panel.plot([x, x], [first - 0.25, last + 0.25], **_BAR)
            reached = last
    if difference:
        # With few datasets it is longer than the axis.
        ends = [values[0], min(values[0] + difference, len(values) + 0.3)]
        panel.plot(ends, [-0.6, -0.6], **_RULER)
        panel.set_title(f"critical difference {difference:.2f}", loc="right", fontsize=7)


FIGURE = StudyFigure(
    name="classifier_ranks",
    caption="Mean ranks by accuracy; a grey bar joins classifiers that do not differ significantly",
    section="baselines",
    order=1,
    needs=("classifier_ranks",),
    draw=draw,
)
