"""The figures of the report: each function takes tidy tables or a trained neuron and returns a Figure."""

from modn.plots.accuracies import accuracy_bars
from modn.plots.convergence import loss_curves
from modn.plots.style import save

__all__ = ["accuracy_bars", "loss_curves", "save"]
