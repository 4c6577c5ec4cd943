"""How fast each optimizer closes the gap to the best known training loss, over evaluations."""

import pandas as pd
from matplotlib.figure import Figure

from stages.study.figures import StudyFigure, _arena


def draw(curves: pd.DataFrame) -> Figure:
    """Draw a panel per model, a line per optimizer."""
    return _arena.draw_lines(curves, "evaluations", "gap", "evaluations", "mean gap to the best loss")


FIGURE = StudyFigure(
    name="arena_curves",
    caption=(
        "Training loss over evaluations: the mean gap over datasets, 0 is the lowest loss that any optimizer "
        "reached and 1 an equal guess; Adam's line has a level for each budget that it was run for"
    ),
    section="arena",
    order=2,
    needs=("arena_curves",),
    draw=draw,
)
