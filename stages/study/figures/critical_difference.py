"""Which classifiers differ: mean ranks over the datasets, and groups that the Nemenyi test cannot tell apart.

After J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from modn import metrics
from modn.plots import style

COLUMNS = ("dataset", "baseline", "name", "search", "acc_mean")
PANELS = {"default": "as they come", "grid": "chosen from a grid"}
OURS = "modn"


@style.styled
def classifier_ranks(table: pd.DataFrame) -> Figure:
    """A panel per search; a point per classifier, the best on top, bars join those within the difference.

    `table` has a row per dataset, classifier and search; classifiers that lack some dataset are left out.
    """
    style.require(table, "table", COLUMNS)
    names = dict(zip(table["baseline"], table["name"], strict=True))
    ranks = metrics.classifier_ranks(table)
    n_classifiers, n_datasets = ranks["baseline"].nunique(), int(ranks["datasets"].max())
    difference = metrics.critical_difference(n_classifiers, n_datasets) if n_classifiers > 1 else 0.0
    figure = style.new_figure(9.0, 1.4 + 0.34 * n_classifiers)
    axes = figure.subplots(1, len(PANELS), sharex=True)
    for panel, (search, title) in zip(axes, PANELS.items(), strict=True):
        own = ranks[ranks["search"] == search].sort_values("rank", kind="stable")
        _draw(panel, own, names, difference)
        panel.set_title(title, loc="left")
        panel.set_xlabel(f"mean rank over {style.counted(n_datasets, 'dataset')} (1 is best)")
    axes[0].set_xlim(0.7, n_classifiers + 0.3)
    axes[0].set_xticks(range(1, n_classifiers + 1))
    return figure


def _draw(panel: Axes, ranks: pd.DataFrame, names: dict[str, str], difference: float) -> None:
    places = range(len(ranks))
    values = ranks["rank"].tolist()
    colours = [style.VERMILION if slug == OURS else style.BLUE for slug in ranks["baseline"]]
    panel.scatter(values, places, c=colours, s=45, zorder=3)
    panel.set_yticks(places, [style.text(names[slug], 24) for slug in ranks["baseline"]])
    panel.set_ylim(len(ranks) - 0.4, -0.9)
    reached = -1
    for first in places:
        last = max(place for place in places if values[place] - values[first] <= difference)
        if last > max(first, reached):  # not a part of the bar before
            # each bar in the gap beside its points, so that none hides another
            x = values[first] - 0.12
            panel.plot([x, x], [first - 0.25, last + 0.25], color=style.GREY, linewidth=3, alpha=0.7)
            reached = last
    if difference:
        # with few datasets it is longer than the axis
        ends = [values[0], min(values[0] + difference, len(values) + 0.3)]
        panel.plot(ends, [-0.6, -0.6], color=style.BLACK, linewidth=1.5, marker="|")
        panel.set_title(f"critical difference {difference:.2f}", loc="right", fontsize=7)
