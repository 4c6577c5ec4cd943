"""Figs. 1 and 2 from a trained neuron: its synapses, dendrites and outputs."""

from matplotlib.figure import Figure

from modn import plots
from modn.plots import style
from stages.study import names
from stages.study.figures import StudyFigure
from stages.study.figures._material import EXAMPLES, Example


def draw(examples: list[Example]) -> Figure:
    """Draw the neuron with the fewest synapses of the first model."""
    of_first_model = [example for example in examples if example.model == examples[0].model]
    example = min(of_first_model, key=lambda example: example.neuron.w_s.size)
    figure = plots.neuron(example.neuron, example.features, example.classes)
    title = f"{style.line(example.title, 40)}: {names.model_name(example.model)}, {example.chosen}"
    figure.suptitle(title, fontsize=11)
    return figure


FIGURE = StudyFigure(
    name="neuron",
    caption="Figs. 1 and 2: a trained neuron, the run with the best test accuracy",
    section="figures",
    order=5,
    needs=(EXAMPLES,),
    draw=draw,
)
