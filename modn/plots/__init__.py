"""Pictures of neurons and circuits: `plots.save(plots.neuron(model), "neuron.png")`.

>>> import modn
>>> from modn import plots
>>> neuron = modn.Neuron([[1.0]], [[0.5]], [[True]], [1.0], [0.0], alpha_s=10, alpha_t=1)
>>> type(plots.neuron(neuron, ["length"], ["long"])).__name__
'Figure'
"""

from modn.extras import needs

with needs("plots"):
    from modn.plots.circuit import circuit
    from modn.plots.circuit_path import circuit_path
    from modn.plots.neuron_picture import neuron
    from modn.plots.style import save

__all__ = ["circuit", "circuit_path", "neuron", "save"]
