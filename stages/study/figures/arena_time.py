"""The same over CPU time, by what an evaluation of each optimizer was measured to take."""

import pandas as pd
from matplotlib.figure import Figure

from stages.study.figures import StudyFigure, _arena


def draw(curves: pd.DataFrame, costs: pd.DataFrame) -> Figure:
    """Draw a panel per model, a line per optimizer that was measured."""
    measured = curves.merge(costs, on="optimizer")
    measured["seconds"] = measured["evaluations"] * measured["microseconds"] / 1e6
    return _arena.draw_lines(measured, "seconds", "gap", "CPU seconds", "mean gap to the best loss")


FIGURE = StudyFigure(
    name="arena_time",
    caption=(
        "The same over CPU time: evaluations times what one was measured to take "
        "(data/raw/measured/arena_costs.csv, geometric mean over the datasets)"
    ),
    section="arena",
    order=3,
    needs=("arena_curves", "arena_costs"),
    draw=draw,
)
