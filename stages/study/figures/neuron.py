"""Figs. 1 and 2 from a trained neuron: its synapses, dendrites and outputs."""

from matplotlib.figure import Figure

from modn import plots
from stages.study.figures import StudyFigure, _looks
from stages.study.figures._material import EXAMPLES, Example


def draw(examples: list[Example]) -> Figure:
    """Draw the neuron with the fewest synapses of the first model."""
    of_first_model = [example for example in examples if example.model == examples[0].model]
    example = min(of_first_model, key=lambda example: example.neuron.w_s.size)
    figure = plots.neuron(example.neuron, example.features, example.classes)
    title = f"{example.title}: {_looks.model_name(example.model)}, ACC {example.acc:.4f}"
    figure.suptitle(title, fontsize=12)
    return figure


FIGURE = StudyFigure(
    name="neuron",
    caption="Figs. 1 and 2: a trained neuron",
    section="figures",
    order=5,
    needs=(EXAMPLES,),
    draw=draw,
)
