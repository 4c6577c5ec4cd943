"""Figs. 1 and 2 from a trained neuron: the state of each synapse, and which dendrite feeds which output.

Features enter from the left and touch every dendrite (a vertical line) with a synapse; the dendrites run down
to the soma, where a dot joins them to the outputs that P lets them feed; the outputs leave to the right.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from modn.explain import named
from modn.neuron import Neuron
from modn.plots import style

# Marker, edge, face and relative size of each synapse state.
_SYNAPSES = {
    "excitatory": ("^", style.GREEN, style.GREEN, 1.0),
    "inhibitory": ("v", style.VERMILION, style.VERMILION, 1.0),
    "constant-0": ("X", style.BLACK, style.BLACK, 0.9),
    "constant-1": ("o", style.GREY, "white", 0.6),
}
_OPEN, _SILENT = style.BLUE, "#C9C9C9"
_ROW = 0.27  # inches


@style.styled
def neuron(
    model: Any, feature_names: Sequence[str] | None = None, class_names: Sequence[str] | None = None
) -> Figure:
    """Draw a trained neuron; a dendrite is pale when it has no effect: it is shut, or feeds no output.

    `model`: a Neuron, or a fitted classifier, which has names of its own. A constant-0 synapse shuts its
    dendrite, because it makes the product of Eq. 2 nearly 0 (the larger alpha_s, the nearer); a constant-1
    synapse has no effect.

    >>> import modn
    >>> from modn import plots
    >>> neuron = modn.Neuron([[1.0]], [[0.5]], [[True]], [1.0], [0.0], alpha_s=10, alpha_t=1)
    >>> figure = plots.neuron(neuron, feature_names=["length"], class_names=["long"])
    >>> figure.axes[0].get_xlabel()
    'dendrite'
    """
    neuron, inputs, outputs = named(model, feature_names, class_names)
    D, M, C = neuron.n_features, neuron.n_dendrites, neuron.n_classes
    states = neuron.synapse_states()
    silent = (states == "constant-0").any(axis=0) | (neuron.dendrite_states() == "inoperative")
    soma = D + 0.7 + np.arange(C)
    column = float(np.clip(8.5 / M, 0.12, 0.34))

    figure = style.new_figure(max(6.2, 3.8 + column * M), 0.7 + _ROW * (D + C + 1.5))
    panel = figure.add_subplot()
    _draw_lines(panel, D, silent, soma)
    _draw_junctions(panel, neuron, states, silent, soma, area=32 * min(1.0, column / 0.2) ** 2)
    panel.set_ylim(soma[-1] + 0.6, -0.8)
    panel.set_xlim(-0.8, M + 0.2)
    dendrites = sorted({1, M} | set(range(10, M - 2, 10)))
    panel.set_xticks([j - 1 for j in dendrites], [str(j) for j in dendrites])
    panel.set_xlabel("dendrite")
    inputs = [style.line(name, 30) for name in inputs]
    panel.set_yticks([*range(D), soma.mean()], [*inputs, "soma, joined\nby the filter P"])
    telodendra = [
        f"→ {style.line(name, 30)}  " + rf"($w_t$ = {w:.2f}, $\theta_t$ = {theta:.2f})"
        for name, w, theta in zip(outputs, neuron.w_t, neuron.theta_t, strict=True)
    ]
    right = panel.secondary_yaxis("right")
    right.set_yticks(soma, telodendra)
    for axis in (panel, right):
        axis.tick_params(length=0)
        axis.spines[:].set_visible(False)
    panel.grid(visible=False)
    style.legend_below(figure, _legend(states, silent), width=1.9)
    return figure


def _draw_lines(panel: Axes, n_features: int, silent: np.ndarray, soma: np.ndarray) -> None:
    M = len(silent)
    panel.hlines(range(n_features), -0.6, M - 0.4, color="#E0E0E0", linewidth=0.8, zorder=1)
    panel.hlines(soma, -0.6, M + 0.2, color=style.BLACK, linewidth=0.8, zorder=1)
    panel.vlines(range(M), -0.6, soma[-1] + 0.4, color=_dendrite_colours(silent), linewidth=1.2, zorder=2)


def _draw_junctions(
    panel: Axes, neuron: Neuron, states: np.ndarray, silent: np.ndarray, soma: np.ndarray, area: float
) -> None:
    for state, (marker, edge, face, size) in _SYNAPSES.items():
        i, j = np.nonzero(states == state)
        panel.scatter(j, i, size * area, marker=marker, ec=edge, fc=face, lw=0.8, zorder=3, label=state)
    j, c = np.nonzero(neuron.P)
    colours = np.array(_dendrite_colours(silent))[j]
    panel.scatter(j, soma[c], 0.8 * area, color=colours, ec="white", lw=0.4, zorder=3, label="P")


def _dendrite_colours(silent: np.ndarray) -> list[str]:
    return [_SILENT if mute else _OPEN for mute in silent]


def _legend(states: np.ndarray, silent: np.ndarray) -> list[Line2D]:
    synapses = [
        Line2D([], [], ls="none", marker=marker, mec=edge, mfc=face, label=f"{state} synapse ({count})")
        for state, (marker, edge, face, _) in _SYNAPSES.items()
        if (count := np.sum(states == state))
    ]
    dendrites = [
        Line2D([], [], color=colour, linewidth=1.2, label=f"{name} dendrite ({count})")
        for colour, name, count in ((_OPEN, "open", np.sum(~silent)), (_SILENT, "silent", np.sum(silent)))
        if count
    ]
    return synapses + dendrites
