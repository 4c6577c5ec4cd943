"""The ROC curves behind the AUC column of Table 5: the mean over runs of each method, dataset by dataset."""

import pandas as pd
from matplotlib.figure import Figure

from modn.plots import style

COLUMNS = ("dataset", "title", "model", "optimizer", "fpr", "tpr", "low", "high", "auc")


@style.styled
def roc(curves: pd.DataFrame) -> Figure:
    """A panel per dataset, a line with its band per method, whose AUC the panel's legend gives.

    `curves` has a row per point: dataset, title, model, optimizer, fpr, tpr, low, high (as of
    `modn.metrics.mean_roc`) and the method's mean auc.
    """
    style.require(curves, "curves", COLUMNS)
    datasets, colours, dashes = style.datasets_of(curves), style.models_of(curves), style.dashes_of(curves)
    figure, axes = style.new_panels(len(datasets), width=2.75, height=2.75)
    for panel, (dataset, title) in zip(axes, datasets.items(), strict=True):
        panel.axline((0, 0), (1, 1), color=style.GREY, linewidth=0.8, linestyle=(0, (2, 3)))
        for model, optimizer, curve in style.pairs_of(curves[curves["dataset"] == dataset]):
            low, high = curve["low"].clip(0, 1), curve["high"].clip(0, 1)
            panel.fill_between(curve["fpr"], low, high, color=colours[model], alpha=0.18, linewidth=0)
            name = f"{style.pair_name(model, optimizer)} {curve['auc'].iloc[0]:.3f}"
            panel.plot(curve["fpr"], curve["tpr"], color=colours[model], ls=dashes[optimizer], label=name)
        panel.set(title=style.text(title, 28), xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        panel.legend(loc="lower right", title="AUC", title_fontsize=8, fontsize=7)
    style.label_outer(axes, "false positive rate", "true positive rate")
    return figure
