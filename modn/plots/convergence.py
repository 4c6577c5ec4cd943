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
    handles: dict[tuple[str, str], Artist] = {}
    for panel, (dataset, title) in zip(axes, datasets.items(), strict=True):
        pairs = dict(list(curves[curves["dataset"] == dataset].groupby(["model", "optimizer"])))
        for pair in [(model, optimizer) for optimizer in dashes for model in colours]:
            if pair not in pairs:
                continue
            curve, colour = pairs[pair].sort_values("iteration"), colours[pair[0]]
            spent = 100 * curve["iteration"] / curve["budget"]
            panel.fill_between(spent, curve["low"], curve["high"], color=colour, alpha=0.18, linewidth=0)
            (line,) = panel.plot(spent, curve["mean"], color=colour, linestyle=dashes[pair[1]])
            line.set_label(f"{style.pair_name(*pair)} ({_budgets(curves, *pair)} iterations)")
            handles.setdefault(pair, line)
        panel.set_title(style.text(title, 28))
        panel.set_xlim(0, 100)
    for panel in axes[-style.columns_of_panels(len(axes)) :]:
        panel.set_xlabel("iteration budget spent (%)")
    figure.supylabel("training loss (cross-entropy, nats)", fontsize=9)
    style.legend_below(figure, handles.values(), width=2.75)
    return figure


def _budgets(curves: pd.DataFrame, model: str, optimizer: str) -> str:
    budgets = curves.loc[(curves["model"] == model) & (curves["optimizer"] == optimizer), "budget"]
    return " or ".join(f"{budget:g}" for budget in sorted(budgets.unique()))
