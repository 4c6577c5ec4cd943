"""A circuit drawn: conditions, AND gates, and the counters of the classes; the highest score wins."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.path import Path

from modn.explain.circuit import Circuit
from modn.explain.circuit_text import condition_text
from modn.plots import style

_ROW = 0.3  # inches for each condition
_COMPARATOR, _GATE, _COUNTER, _DECISION = 0.0, 4.6, 6.6, 9.9  # where each column begins
_COLOURS = (style.BLUE, style.VERMILION, style.GREEN, style.PURPLE, style.ORANGE, style.SKY, style.BLACK)


@style.styled
def circuit(circuit: Circuit) -> Figure:
    """Draw a circuit; each row on the left is a condition, each gate a rule, by its number in the text.

    A line from a rule to a class is what the rule adds to the score, and has the colour of the class.

    >>> import modn
    >>> from modn import plots
    >>> import numpy as np
    >>> from modn import MODNClassifier
    >>> X = np.linspace(0, 10, 40)[:, None]
    >>> y = np.where(X[:, 0] > 6, "long", "short")
    >>> model = MODNClassifier(n_dendrites=2, random_state=0).fit(X, y)
    >>> len(plots.circuit(model.to_circuit(X, y, size=1)).axes)
    1
    """
    M, C = len(circuit.dendrites), len(circuit.classes)
    rows = [len(conditions) or 1 for conditions in circuit.dendrites]
    ends = np.cumsum([0, *(n + 0.5 for n in rows)])
    height = max(float(ends[-1]), 1.6 * C, 2.0)
    figure = style.new_figure(9.0, 0.5 + _ROW * height)
    panel = figure.add_subplot()
    panel.set_axis_off()
    panel.set_xticks([])
    panel.set_yticks([])
    panel.set_xlim(-0.1, 11.6)
    panel.set_ylim(height, -0.6)
    gates = [float(ends[j] + rows[j] / 2) + (height - float(ends[-1])) / 2 for j in range(M)]
    counters = (np.arange(C) + 0.5) * height / C
    for j, y in enumerate(gates):
        _draw_rule(panel, circuit, j, y, rows[j])
        for k, c in enumerate(np.flatnonzero(circuit.weights[j]).tolist()):
            weight, colour = circuit.weights[j, c], _COLOURS[c % len(_COLOURS)]
            ends_of = [y, counters[c]]
            panel.plot(
                [_GATE + 0.75, _COUNTER], ends_of, "-" if weight > 0 else ":", color=colour, lw=1.0, zorder=1
            )
            panel.text(_GATE + 0.85 + 0.36 * k, y - 0.3, f"{weight:+d}", color=colour, fontsize=7)
    for c, y in enumerate(counters.tolist()):
        _draw_counter(panel, circuit, c, y)
        panel.plot([_COUNTER + 2.6, _DECISION], [y, height / 2], color=style.GREY, lw=0.9, zorder=1)
    _box(panel, _DECISION, height / 2, 1.5, 1.3, "highest\nscore", style.BLACK)
    for x, title in ((_COMPARATOR, "conditions"), (_GATE, "rules (AND)"), (_COUNTER, "scores")):
        panel.text(x, -0.35, title, color=style.GREY, fontsize=8)
    return figure


def _draw_rule(panel: Axes, circuit: Circuit, j: int, y: float, n_rows: int) -> None:
    """The comparators of a dendrite, the wires from them, and the gate with the rule's number."""
    lines = [condition_text(circuit.features[c.feature], c) for c in circuit.dendrites[j]] or ["always"]
    for k, line in enumerate(lines):
        at = y + k - (n_rows - 1) / 2
        _box(panel, _COMPARATOR, at, 4.0, 0.8, style.line(line, 42), style.GREY)
        panel.plot(
            [_COMPARATOR + 4.0, _GATE], [at, y + 0.5 * (at - y) / n_rows], color=style.GREY, lw=0.9, zorder=1
        )
    _gate(panel, _GATE, y, 0.75, 0.9 if n_rows == 1 else 1.1)
    panel.text(_GATE + 0.32, y, str(j + 1), ha="center", va="center", fontsize=8)


def _draw_counter(panel: Axes, circuit: Circuit, c: int, y: float) -> None:
    text = f"{style.line(circuit.classes[c], 22)}\nstarts at {-circuit.theta_t[c]:d}"
    _box(panel, _COUNTER, y, 2.6, 1.4, text, _COLOURS[c % len(_COLOURS)])


def _box(panel: Axes, x: float, y: float, width: float, height: float, text: str, edge: str) -> None:
    panel.add_patch(
        FancyBboxPatch(
            (x, y - height / 2),
            width,
            height,
            boxstyle="round,pad=0,rounding_size=0.12",
            fc="white",
            ec=edge,
            lw=0.9,
        )
    )
    panel.text(x + width / 2, y, text, ha="center", va="center", fontsize=7.5)


def _gate(panel: Axes, x: float, y: float, width: float, height: float) -> None:
    """The sign of an AND gate: a flat left side, a round right one."""
    top, bottom, middle = y - height / 2, y + height / 2, x + width / 2
    points = [
        (x, top),
        (middle, top),
        (x + width * 1.17, top),
        (x + width * 1.17, bottom),
        (middle, bottom),
        (x, bottom),
        (x, top),
    ]
    codes = [Path.MOVETO, Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4, Path.LINETO, Path.CLOSEPOLY]
    panel.add_patch(PathPatch(Path(points, codes), fc="white", ec=style.BLACK, lw=1.0, zorder=2))
