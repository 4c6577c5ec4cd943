"""The accuracy of circuits over their number of conditions."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from modn.explain.circuit import SizePath
from modn.plots import style

if TYPE_CHECKING:
    from modn.explain.learning.path import CircuitPath


@style.styled
def circuit_path(path: "CircuitPath | SizePath") -> Figure:
    """Draw the cross-validated accuracy of each size, with its standard error, the choice and the neuron.

    >>> import modn
    >>> from modn import plots
    >>> import numpy as np
    >>> from modn import MODNClassifier
    >>> X = np.linspace(0, 10, 40)[:, None]
    >>> y = np.where(X[:, 0] > 6, "long", "short")
    >>> model = MODNClassifier(n_dendrites=2, random_state=0).fit(X, y)
    >>> plots.circuit_path(modn.circuit_path(model, X, y)).axes[0].get_xlabel()
    'conditions'
    """
    points = path if isinstance(path, SizePath) else path.accuracy
    sizes, mean, error = points.sizes, points.accuracy, points.standard_error
    figure = style.new_figure(6.0, 3.2)
    panel = figure.add_subplot()
    panel.fill_between(
        sizes, mean - error, mean + error, color=style.BLUE, alpha=0.15, lw=0, label="± 1 standard error"
    )
    panel.plot(sizes, mean, color=style.BLUE, marker="o", ms=3, label="circuits")
    chosen = int(np.flatnonzero(sizes == points.chosen)[0])
    panel.plot(
        sizes[chosen],
        mean[chosen],
        "o",
        ms=8,
        mfc="none",
        mec=style.VERMILION,
        ls="none",
        label=f"chosen: {points.chosen}",
    )
    if np.isfinite(points.neuron):
        panel.axhline(points.neuron, color=style.GREY, ls="--", lw=1.0, label="neuron")
    panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    panel.set_xlabel("conditions")
    panel.set_ylabel("accuracy (cross-validated)")
    panel.legend(loc="lower right")
    return figure
