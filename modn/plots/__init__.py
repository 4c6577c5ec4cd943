"""The figures of the report: each function takes tidy tables or a trained neuron and returns a Figure."""

from modn.plots.neuron_picture import neuron
from modn.plots.style import save
from stages.study.figures.accuracies import accuracy_bars
from stages.study.figures.against_paper import paper_scatter
from stages.study.figures.convergence import loss_curves
from stages.study.figures.critical_difference import classifier_ranks
from stages.study.figures.filter_matrices import FilterExample, filters
from stages.study.figures.ranking import optimizer_ranks
from stages.study.figures.roc_curves import roc
from stages.study.figures.sensitivity import sensitivity_alphas, sensitivity_dendrites

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
