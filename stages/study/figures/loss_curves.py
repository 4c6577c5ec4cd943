"""Fig. 5: how fast the training loss (Eq. 10) falls, for pairs of model and optimizer on each dataset.

An iteration is a generation of a heuristic or a step of BP, and their budgets differ (300-400, 3000 for BP),
so the axis is the share of the budget that is spent.
"""

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.figure import Figure

from modn.plots import style
from stages.study import names
from stages.study.figures import StudyFigure, _looks


def draw(curves: pd.DataFrame) -> Figure:
    """Draw a panel per dataset, a line with its band per pair: colour is the model, dashes the optimizer."""
    datasets, colours = _looks.datasets_of(curves), _looks.models_of(curves)
    dashes = _looks.dashes_of(curves)
    figure, axes = _looks.new_panels(len(datasets), width=2.75, height=2.2)
    handles: dict[str, Artist] = {}
    for panel, (dataset, title) in zip(axes, datasets.items(), strict=True):
        for model, optimizer, rows in _looks.pairs_of(curves[curves["dataset"] == dataset]):
            curve = rows.sort_values("iteration")
            spent = 100 * curve["iteration"] / curve["budget"]
            colour, dash = colours[model], dashes[optimizer]
            panel.fill_between(spent, curve["low"], curve["high"], color=colour, alpha=0.18, linewidth=0)
            name = f"{names.pair_name(model, optimizer)} ({_budgets(curves, model, optimizer)} iterations)"
            (handles[name],) = panel.plot(spent, curve["mean"], color=colour, linestyle=dash, label=name)
        panel.set_title(_looks.text(title, 28))
        panel.set_xlim(0, 100)
    _looks.label_outer(axes, "iteration budget spent (%)", "cross-entropy (nats)")
    style.legend_below(figure, handles.values(), width=2.75)
    return figure


def _budgets(curves: pd.DataFrame, model: str, optimizer: str) -> str:
    budgets = curves.loc[(curves["model"] == model) & (curves["optimizer"] == optimizer), "budget"]
    return " or ".join(f"{budget:g}" for budget in sorted(budgets.unique()))


FIGURE = StudyFigure(
    name="loss_curves",
    caption="Fig. 5: training loss over the iterations; mean over runs, band: 5 % to 95 % of the runs",
    section="figures",
    order=3,
    needs=("curves",),
    draw=draw,
)
