"""Pictures of neurons and circuits: `plots.save(plots.neuron(model), "neuron.png")`."""

from modn.extras import needs

with needs("plots"):
    from modn.plots.circuit import circuit
    from modn.plots.circuit_path import circuit_path
    from modn.plots.neuron_picture import neuron
    from modn.plots.style import save

__all__ = ["circuit", "circuit_path", "neuron", "save"]
