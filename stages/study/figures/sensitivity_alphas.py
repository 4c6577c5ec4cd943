"""Fig. 4 c, d: how the accuracy depends on the factors alpha_s and alpha_t."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from stages.study import names
from stages.study.figures import StudyFigure, _looks

# With more cells than this in a heat map the numbers in them would touch.
_MOST_NUMBERS = 80


def draw(sensitivity: pd.DataFrame) -> Figure:
    """Draw a heat map per dataset and pair of model and optimizer: the mean accuracy over both factors."""
    swept = sensitivity[sensitivity["sweep"] == "alphas"]
    maps = [
        (f"{_looks.text(title, 40)}\n{names.pair_name(model, optimizer)}", rows)
        for dataset, title in _looks.datasets_of(swept).items()
        for model, optimizer, rows in _looks.pairs_of(swept[swept["dataset"] == dataset])
    ]
    shades = Normalize(swept["acc_mean"].min(), swept["acc_mean"].max())  # one scale: panels compare
    figure, axes = _looks.new_panels(len(maps), width=3.9, height=3.6)
    for panel, (title, rows) in zip(axes, maps, strict=True):
        grid = rows.pivot_table(index="alpha_t", columns="alpha_s", values="acc_mean").sort_index()
        image = panel.imshow(grid, cmap="cividis", norm=shades, origin="lower", aspect="auto")
        panel.set_xticks(range(grid.shape[1]), [f"{alpha:g}" for alpha in grid.columns])
        panel.set_yticks(range(grid.shape[0]), [f"{alpha:g}" for alpha in grid.index])
        panel.grid(visible=False)
        panel.set_title(f"{title}, M = {rows['n_dendrites'].iloc[0]:g}")
        if grid.size <= _MOST_NUMBERS:
            _write_numbers(panel, image, grid.to_numpy())
    figure.colorbar(image, ax=axes, label="mean accuracy, one scale for all panels")
    _looks.label_outer(axes, r"synaptic scaling factor $\alpha_s$", r"telodendron scaling factor $\alpha_t$")
    return figure


def _write_numbers(panel: Axes, image: AxesImage, accuracies: np.ndarray) -> None:
    shades = np.asarray(image.norm(accuracies))
    for row, column in np.argwhere(np.isfinite(accuracies)):
        ink = "black" if shades[row, column] > 0.55 else "white"
        label = f"{accuracies[row, column]:.2f}"
        panel.text(column, row, label, ha="center", va="center", fontsize=7, color=ink)


FIGURE = StudyFigure(
    name="sensitivity_alphas",
    caption="Fig. 4 c, d: mean accuracy over alpha_s and alpha_t",
    section="figures",
    order=2,
    needs=("sensitivity",),
    draw=draw,
)
