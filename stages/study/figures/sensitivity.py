"""Fig. 4: how the accuracy depends on the number of dendrites M and on the factors alpha_s and alpha_t."""

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.ticker import MaxNLocator

from modn.metrics import mean_interval
from modn.plots import style

COLUMNS = ("dataset", "title", "model", "optimizer", "run", "n_dendrites", "alpha_s", "alpha_t", "acc")

# With more cells than this in a heat map the numbers in them would touch.
_MOST_NUMBERS = 80


@style.styled
def sensitivity_dendrites(runs: pd.DataFrame) -> Figure:
    """A panel per dataset: the mean accuracy over M with its 95 % interval, and each run as a point.

    `runs` has a row per run; of each dataset those at the pair of alphas with the most values of M are drawn.
    """
    style.require(runs, "runs", COLUMNS)
    datasets, colours, dashes = style.datasets_of(runs), style.models_of(runs), style.dashes_of(runs)
    figure, axes = style.new_panels(len(datasets), width=4.2, height=3.0)
    handles: dict[str, Artist] = {}
    for panel, (dataset, title) in zip(axes, datasets.items(), strict=True):
        own = _at_the_commonest(runs[runs["dataset"] == dataset], ["alpha_s", "alpha_t"], ["n_dendrites"])
        for model, optimizer, pair in style.pairs_of(own):
            M = np.sort(pair["n_dendrites"].unique())
            intervals = [mean_interval(pair.loc[pair["n_dendrites"] == m, "acc"].to_numpy()) for m in M]
            mean, _, low, high = np.array(intervals).T
            colour, dash, name = colours[model], dashes[optimizer], style.pair_name(model, optimizer)
            panel.fill_between(M, low.clip(0, 1), high.clip(0, 1), color=colour, alpha=0.18, linewidth=0)
            panel.plot(pair["n_dendrites"], pair["acc"], ".", color=colour, markersize=3, alpha=0.5)
            (handles[name],) = panel.plot(M, mean, "o", ls=dash, color=colour, markersize=4, label=name)
        alpha_s, alpha_t = own[["alpha_s", "alpha_t"]].to_numpy()[0]
        panel.set_title(f"{style.text(title, 40)}\n" + rf"$\alpha_s$ = {alpha_s:g}, $\alpha_t$ = {alpha_t:g}")
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    style.label_outer(axes, "number of dendrites M", "accuracy")
    style.legend_below(figure, handles.values(), width=1.6)
    return figure


@style.styled
def sensitivity_alphas(runs: pd.DataFrame) -> Figure:
    """A heat map per dataset (and pair of model and optimizer) of the mean accuracy over alpha_s x alpha_t.

    `runs` has a row per run; of each dataset those at the M with the most pairs of alphas are drawn.
    """
    style.require(runs, "runs", COLUMNS)
    maps = [
        (f"{style.text(title, 40)}\n{style.pair_name(model, optimizer)}", rows)
        for dataset, title in style.datasets_of(runs).items()
        for model, optimizer, rows in style.pairs_of(runs[runs["dataset"] == dataset])
    ]
    figure, axes = style.new_panels(len(maps), width=4.4, height=3.6)
    for panel, (title, rows) in zip(axes, maps, strict=True):
        own = _at_the_commonest(rows, ["n_dendrites"], ["alpha_s", "alpha_t"])
        grid = own.pivot_table(index="alpha_t", columns="alpha_s", values="acc").sort_index()
        image = panel.imshow(grid, cmap="cividis", origin="lower", aspect="auto")
        panel.set_xticks(range(grid.shape[1]), [f"{alpha:g}" for alpha in grid.columns])
        panel.set_yticks(range(grid.shape[0]), [f"{alpha:g}" for alpha in grid.index])
        panel.grid(visible=False)
        panel.set_title(f"{title}, M = {own['n_dendrites'].iloc[0]:g}")
        figure.colorbar(image, ax=panel, label="mean accuracy")
        if grid.size <= _MOST_NUMBERS:
            _write_numbers(panel, image, grid.to_numpy())
    style.label_outer(axes, r"synaptic scaling factor $\alpha_s$", r"telodendron scaling factor $\alpha_t$")
    return figure


def _write_numbers(panel: Axes, image: AxesImage, accuracies: np.ndarray) -> None:
    shades = np.asarray(image.norm(accuracies))
    for row, column in np.argwhere(np.isfinite(accuracies)):
        ink = "black" if shades[row, column] > 0.55 else "white"
        label = f"{accuracies[row, column]:.2f}"
        panel.text(column, row, label, ha="center", va="center", fontsize=7, color=ink)


def _at_the_commonest(runs: pd.DataFrame, fixed: list[str], varied: list[str]) -> pd.DataFrame:
    """The runs at the values of the `fixed` columns with which most values of the `varied` ones were tried.

    A run that is in the table twice, as part of both sweeps, counts once.
    """
    unique = runs.drop_duplicates(["model", "optimizer", "run", *fixed, *varied])
    tried = unique.drop_duplicates([*fixed, *varied]).groupby(fixed, sort=False, as_index=False).size()
    best = tried.loc[[tried["size"].idxmax()], fixed]
    return unique.merge(best, on=fixed)
