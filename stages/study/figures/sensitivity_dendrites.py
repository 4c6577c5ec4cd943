"""Fig. 4 a, b: how the accuracy depends on the number of dendrites M."""

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from modn.plots import style
from stages.study import names
from stages.study.figures import StudyFigure, _looks

_POINT = ["dataset", "model", "optimizer", "n_dendrites", "alpha_s", "alpha_t"]


def draw(sensitivity: pd.DataFrame, runs: pd.DataFrame) -> Figure:
    """Draw a panel per dataset: the mean accuracy over M with its interval, and each run as a point."""
    swept = sensitivity[sensitivity["sweep"] == "dendrites"]
    runs = runs[runs["study"] == "sensitivity"].merge(swept[_POINT], on=_POINT)
    datasets, colours = _looks.datasets_of(swept), _looks.models_of(swept)
    dashes = _looks.dashes_of(swept)
    figure, axes = _looks.new_panels(len(datasets), width=4.2, height=3.0)
    handles: dict[str, Artist] = {}
    for panel, (dataset, title) in zip(axes, datasets.items(), strict=True):
        own, points = swept[swept["dataset"] == dataset], runs[runs["dataset"] == dataset]
        for model, optimizer, rows in _looks.pairs_of(own):
            line = rows.sort_values("n_dendrites")
            each = points[(points["model"] == model) & (points["optimizer"] == optimizer)]
            M, colour, dash = line["n_dendrites"], colours[model], dashes[optimizer]
            name = names.pair_name(model, optimizer)
            panel.fill_between(M, line["acc_low"], line["acc_high"], color=colour, alpha=0.18, linewidth=0)
            panel.plot(each["n_dendrites"], each["acc"], ".", color=colour, markersize=3, alpha=0.5)
            (handles[name],) = panel.plot(
                M, line["acc_mean"], "o", ls=dash, color=colour, markersize=4, label=name
            )
        alpha_s, alpha_t = own[["alpha_s", "alpha_t"]].to_numpy()[0]
        panel.set_title(
            f"{_looks.text(title, 40)}\n" + rf"$\alpha_s$ = {alpha_s:g}, $\alpha_t$ = {alpha_t:g}"
        )
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    _looks.label_outer(axes, "number of dendrites M", "accuracy")
    style.legend_below(figure, handles.values(), width=1.6)
    return figure


FIGURE = StudyFigure(
    name="sensitivity_dendrites",
    caption="Fig. 4 a, b: accuracy over the number of dendrites; band: 95 % interval, small points: runs",
    section="figures",
    order=1,
    needs=("sensitivity", "runs"),
    draw=draw,
)
