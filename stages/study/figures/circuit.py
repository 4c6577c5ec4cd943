"""One circuit, drawn: conditions, the rules that they make up, and the classes that count these."""

from matplotlib.figure import Figure

from modn import plots
from modn.plots import style
from stages.study.figures import StudyFigure
from stages.study.figures._material import CIRCUIT, DrawnCircuit


def draw(circuits: list[DrawnCircuit]) -> Figure:
    """Draw the circuit of the first resplit."""
    title, circuit, seed = circuits[0]
    figure = plots.circuit(circuit)
    first = f"{style.line(title, 40)}: {circuit.n_conditions} conditions, {circuit.n_gates} gates"
    figure.suptitle(f"{first} (first resplit, seed {seed})", fontsize=11)
    return figure


FIGURE = StudyFigure(
    name="circuit",
    caption="A circuit at its default size: that of the first resplit, whatever its accuracy",
    section="circuits",
    order=2,
    needs=(CIRCUIT,),
    draw=draw,
)
