"""Fig. 6: the preference filters P of trained neurons, and how many dendrites are in which state."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from modn.filters import DENDRITE_STATES, dendrite_states
from modn.plots import style
from stages.study import names
from stages.study.figures import StudyFigure
from stages.study.figures._material import EXAMPLES, Example

_STATE_COLOURS = dict(zip(DENDRITE_STATES, (style.GREY, style.SKY, style.ORANGE), strict=True))
_BOX: dict[str, Any] = {"edgecolors": "#9A9A9A", "linewidth": 0.4}

# Where the strip of states lies, in rows of P below its last one.
_STRIP = np.array([0.35, 0.85])


def draw(examples: list[Example]) -> Figure:
    """Draw a row per dataset, a column per model: P transposed, blue where a dendrite feeds an output.

    The strip below each filter shows the dendrites' states, and the line under it counts them.
    """
    datasets = list(dict.fromkeys(example.dataset for example in examples))
    models = list(dict.fromkeys(example.model for example in examples))
    outputs = [max(e.neuron.n_classes for e in examples if e.dataset == dataset) for dataset in datasets]
    heights = [1.0 + 0.17 * (C + 1) for C in outputs]
    figure = style.new_figure(max(4.8, 3.7 * len(models)), sum(heights))
    axes = figure.subplots(
        len(datasets), len(models), squeeze=False, height_ratios=[C + 2.5 for C in outputs]
    )
    for panel in axes.flat:
        panel.set_axis_off()
    for example in examples:
        _draw_filter(axes[datasets.index(example.dataset), models.index(example.model)], example)
    handles = [
        Patch(facecolor=style.BLUE, edgecolor=style.GREY, label="P = 1: feeds the output"),
        Patch(facecolor="white", edgecolor=style.GREY, label="P = 0"),
        *(Patch(color=colour, label=f"{state} dendrite") for state, colour in _STATE_COLOURS.items()),
    ]
    style.legend_below(figure, handles, width=2.1)
    return figure


def _draw_filter(panel: Axes, example: Example) -> None:
    P = example.neuron.P
    M, C = P.shape
    dendrite, output = np.arange(M + 1) + 0.5, np.arange(C + 1) + 0.5
    states = dendrite_states(P)
    codes = np.array([[DENDRITE_STATES.index(state) for state in states]])
    boxes, strip = ListedColormap(["white", style.BLUE]), ListedColormap(list(_STATE_COLOURS.values()))
    panel.set_axis_on()
    panel.pcolormesh(dendrite, output, P.T, cmap=boxes, vmin=0, vmax=1, **_BOX)
    panel.pcolormesh(
        dendrite, output[-1] + _STRIP, codes, cmap=strip, vmin=0, vmax=len(DENDRITE_STATES) - 1, **_BOX
    )
    panel.set_ylim(output[-1] + _STRIP[-1], output[0])
    panel.set_yticks(range(1, C + 1))
    panel.set_xticks(sorted({1, M} | set(range(10, M - 2, 10))))
    panel.tick_params(length=0)
    panel.grid(visible=False)
    panel.spines[:].set_visible(False)
    panel.set_ylabel("output")
    present = [f"{np.sum(states == state)} {state}" for state in DENDRITE_STATES if state in states]
    panel.set_xlabel(f"dendrites: {', '.join(present)}")
    name = f"{style.line(example.title, 24)}: {names.model_name(example.model)}"
    panel.set_title(f"{name}\n{example.chosen}", fontsize=9)


FIGURE = StudyFigure(
    name="filters",
    caption="Fig. 6: filters P, with the dendrites' states; of each cell the run with the best test accuracy",
    section="figures",
    order=4,
    needs=(EXAMPLES,),
    draw=draw,
)
