"""Pictures of trained neurons: `plots.save(plots.neuron(model), "neuron.png")`."""

from modn.extras import needs

with needs("plots"):
    from modn.plots.neuron_picture import neuron
    from modn.plots.style import save

__all__ = ["neuron", "save"]
