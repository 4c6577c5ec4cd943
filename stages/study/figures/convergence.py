"""Fig. 5: how fast the training loss (Eq. 10) falls, for pairs of model and optimizer on each dataset.

An iteration is a generation of a heuristic or a step of BP, and their budgets differ (300-400, 3000 for BP),
so the axis is the share of the budget that is spent.
"""

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.figure import Figure

from modn.plots import style

COLUMNS = ("dataset", "title", "model", "optimizer", "iteration", "budget", "mean", "low", "high")


@style.styled
def loss_curves(curves: pd.DataFrame) -> Figure:
    """A panel per dataset, a line with its band per pair; colours tell the models, dashes the optimizers.

    `curves` has a row per iteration: dataset, title, model, optimizer, iteration, budget, mean, low, high.
    """
    style.require(curves, "curves", COLUMNS)
    datasets, colours, dashes = style.datasets_of(curves), style.models_of(curves), style.dashes_of(curves)
    figure, axes = style.new_panels(len(datasets), width=2.75, height=2.2)
    handles: dict[str, Artist] = {}
    for panel, (dataset, title) in zip(axes, datasets.items(), strict=True):
        for model, optimizer, rows in style.pairs_of(curves[curves["dataset"] == dataset]):
            curve = rows.sort_values("iteration")
            spent = 100 * curve["iteration"] / curve["budget"]
            colour, dash = colours[model], dashes[optimizer]
            panel.fill_between(spent, curve["low"], curve["high"], color=colour, alpha=0.18, linewidth=0)
            name = f"{style.pair_name(model, optimizer)} ({_budgets(curves, model, optimizer)} iterations)"
            (handles[name],) = panel.plot(spent, curve["mean"], color=colour, linestyle=dash, label=name)
        panel.set_title(style.text(title, 28))
        panel.set_xlim(0, 100)
    style.label_outer(axes, "iteration budget spent (%)", "cross-entropy (nats)")
    style.legend_below(figure, handles.values(), width=2.75)
    return figure


def _budgets(curves: pd.DataFrame, model: str, optimizer: str) -> str:
    budgets = curves.loc[(curves["model"] == model) & (curves["optimizer"] == optimizer), "budget"]
    return " or ".join(f"{budget:g}" for budget in sorted(budgets.unique()))
