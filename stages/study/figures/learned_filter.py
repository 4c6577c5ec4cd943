"""Does the learned P help? The accuracy of MODN minus that of MODNP and MODNF, dataset by dataset."""

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.figure import Figure

from modn.plots import style
from stages.study import names
from stages.study.figures import StudyFigure, _looks
from stages.study.learned_filter import LEARNED

_SPREAD = 0.62  # of a row, shared by the settings in it


def draw(differences: pd.DataFrame, means: pd.DataFrame) -> Figure:
    """Draw a panel per rival: a row per dataset and one for their mean, a point with interval per setting."""
    means = means[means["optimizer"].isin(differences["optimizer"])]
    everything = means.assign(dataset="", title="mean of the datasets")
    cells = pd.concat([differences, everything], ignore_index=True)
    rows = list(_looks.datasets_of(cells).items())
    settings = list(dict.fromkeys(zip(means["protocol"], means["optimizer"], strict=True)))
    colours, markers = _looks.optimizers_of(cells), _looks.markers_of(cells)
    protocols = list(dict.fromkeys(means["protocol"]))
    rivals = list(dict.fromkeys(means["rival"]))
    height = 0.9 + len(rows) * max(0.3, 0.075 * len(settings))
    figure, axes = _looks.new_panels(len(rivals), width=4.4, height=height)
    handles: dict[str, Artist] = {}
    for panel, rival in zip(axes, rivals, strict=True):
        panel.axvline(0, color=style.GREY, linewidth=0.8)
        for place, (protocol, optimizer) in enumerate(settings):
            own = cells[
                (cells["rival"] == rival)
                & (cells["protocol"] == protocol)
                & (cells["optimizer"] == optimizer)
            ].set_index("dataset")
            present = [name for name, _ in rows if name in own.index]
            own = own.loc[present]
            offset = _SPREAD * ((place + 0.5) / len(settings) - 0.5)
            y = [[name for name, _ in rows].index(name) + offset for name in present]
            x, low, high = (100 * own[column].to_numpy() for column in ("difference", "low", "high"))
            name = f"{names.optimizer_name(optimizer)}, {protocol}"
            panel.hlines(y, low, high, color=colours[optimizer], linewidth=1)
            (handles[name],) = panel.plot(
                x,
                y,
                markers[optimizer],
                color=colours[optimizer],
                fillstyle="full" if protocol == protocols[0] else "none",
                markersize=4.5,
                label=name,
            )
        panel.axhline(len(rows) - 1.5, color=style.GREY, linewidth=0.8)
        panel.set_ylim(len(rows) - 0.5, -0.5)
        panel.set_yticks(range(len(rows)), [_looks.text(title, 24) for _, title in rows])
        panel.set_title(f"{names.model_name(LEARNED)} - {names.model_name(rival)}")
        panel.set_xlabel("difference of accuracy (points)")
    for panel in axes[1:]:
        panel.tick_params(labelleft=False)
    style.legend_below(figure, handles.values(), width=1.6)
    return figure


FIGURE = StudyFigure(
    name="learned_filter",
    caption="MODN, whose P is learned, minus the models with a fixed P; lines: 95 % intervals, "
    "over runs for each dataset, over datasets and runs for their mean",
    section="learned_filter",
    order=1,
    needs=("learned_filter", "learned_filter_means"),
    draw=draw,
)
