"""How well models predict numbers and labels: a panel per dataset."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from modn.plots import style
from stages.study import measures
from stages.study.figures import StudyFigure, _looks
from stages.study.measures import Measure
from stages.study.tables import OUR_PREDICTOR


def draw(table: pd.DataFrame) -> Figure:
    """Draw a point per model with its 95 % interval, R2 of numbers and micro F1 of labels by default."""
    datasets = _looks.datasets_of(table)
    figure, axes = _looks.new_panels(len(datasets), 3.6, 2.6)
    for panel, (dataset, title) in zip(axes, datasets.items(), strict=True):
        own = table[table["dataset"] == dataset]
        measure = measures.of_task(own["task"].iloc[0], table, "_mean")[0]
        _draw_dataset(panel, own, measure)
        panel.set_title(_looks.text(title, 36), loc="left")
    return figure


def _draw_dataset(panel: Axes, table: pd.DataFrame, measure: Measure) -> None:
    places = range(len(table))
    for place, row in zip(places, table.to_dict("records"), strict=True):
        ours = str(row["baseline"]) == OUR_PREDICTOR
        colour = style.VERMILION if ours else style.BLUE
        ends = [row.get(f"{measure.name}_{end}") for end in ("low", "high")]
        if not any(pd.isna(end) for end in ends):
            panel.plot(ends, [place, place], color=colour, linewidth=1.2, solid_capstyle="butt")
        marker = "D" if ours else "o"
        panel.scatter(row[f"{measure.name}_mean"], place, color=colour, marker=marker, s=28, zorder=3)
    panel.set_yticks(places, [_looks.text(name, 20) for name in table["name"]])
    panel.set_ylim(len(table) - 0.4, -0.6)
    panel.set_xlabel(measure.title)


FIGURE = StudyFigure(
    name="targets",
    caption="Numbers and labels: 95 % intervals over resplits; the diamond is MODN by Adam",
    section="targets",
    order=1,
    needs=("targets",),
    draw=draw,
)
