"""Pictures of trained neurons: `plots.save(plots.neuron(model), "neuron.png")`."""

from modn.plots.neuron_picture import neuron
from modn.plots.style import save

__all__ = ["neuron", "save"]
