"""The figures of the report: each function takes tidy tables or a trained neuron and returns a Figure."""

from modn.plots.accuracies import accuracy_bars
from modn.plots.against_paper import paper_scatter
from modn.plots.convergence import loss_curves
from modn.plots.critical_difference import classifier_ranks
from modn.plots.filter_matrices import FilterExample, filters
from modn.plots.ranking import optimizer_ranks
from modn.plots.roc_curves import roc
from modn.plots.sensitivity import sensitivity_alphas, sensitivity_dendrites
from modn.plots.structure import neuron
from modn.plots.style import save

__all__ = [
    "FilterExample",
    "accuracy_bars",
    "classifier_ranks",
    "filters",
    "loss_curves",
    "neuron",
    "optimizer_ranks",
    "paper_scatter",
    "roc",
    "save",
    "sensitivity_alphas",
    "sensitivity_dendrites",
]
