"""The ROC curves behind the AUC column of Table 5: the mean over runs of each method, dataset by dataset."""

import pandas as pd
from matplotlib.figure import Figure

from modn.plots import style
from stages.study import names
from stages.study.figures import StudyFigure, _looks


def draw(curves: pd.DataFrame) -> Figure:
    """Draw a panel per dataset, a line with its band per method; the panel's legend gives the mean AUC."""
    datasets, colours = _looks.datasets_of(curves), _looks.pair_colours_of(curves)
    dashes = _looks.dashes_of(curves)
    figure, axes = _looks.new_panels(len(datasets), width=2.75, height=2.75)
    for panel, (dataset, title) in zip(axes, datasets.items(), strict=True):
        panel.axline((0, 0), (1, 1), color=style.GREY, linewidth=0.8, linestyle=(0, (2, 3)))
        for model, optimizer, curve in _looks.pairs_of(curves[curves["dataset"] == dataset]):
            low, high, colour = curve["low"].clip(0, 1), curve["high"].clip(0, 1), colours[model, optimizer]
            panel.fill_between(curve["fpr"], low, high, color=colour, alpha=0.18, linewidth=0)
            name = f"{names.pair_name(model, optimizer)} {curve['auc'].iloc[0]:.3f}"
            panel.plot(curve["fpr"], curve["tpr"], color=colour, ls=dashes[optimizer], label=name)
        panel.set(title=_looks.text(title, 28), xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        panel.legend(loc="lower right", title="AUC", title_fontsize=8, fontsize=7)
    _looks.label_outer(axes, "false positive rate", "true positive rate")
    return figure


FIGURE = StudyFigure(
    name="roc",
    caption="ROC curves of Table 5, micro-averaged: mean over runs, with its 95 % interval as a band",
    section="table5",
    order=1,
    needs=("roc",),
    draw=draw,
)
