"""How many evaluations it takes to reach a target: the share of problems and targets that are reached."""

import pandas as pd
from matplotlib.figure import Figure

from stages.study.figures import StudyFigure, _arena


def draw(reached: pd.DataFrame) -> Figure:
    """Draw a panel per model, a line per optimizer."""
    return _arena.draw_lines(reached, "evaluations", "share", "evaluations", "share of targets reached")


FIGURE = StudyFigure(
    name="arena_targets",
    caption=(
        "Evaluations to reach a target: the share of all problems (dataset and run) and targets "
        "(`arena.targets`, gaps to the best loss) that are reached"
    ),
    section="arena",
    order=4,
    needs=("arena_targets",),
    draw=draw,
)
