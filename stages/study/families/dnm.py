"""The dendritic neuron model of Eqs. 1-4: one output, for binary datasets."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from modn.constraints import Constraint, ListOf, Number
from modn.dnm import DNM as Neuron
from modn.fast.dnm import DNMObjective
from modn.methods import Method
from stages.study.families import Arrays, Block, Family, register, stored

if TYPE_CHECKING:
    from stages.study.cells import Cell


@register
class DNM(Family):
    """`theta_o`: thresholds of the soma to choose from; alpha_t is its alpha_o."""

    name = "dnm"
    allowed: ClassVar[Mapping[str, Constraint]] = {"theta_o": ListOf(Number())}

    def suits(self, n_classes: int) -> bool:
        """Two classes only."""
        return n_classes == 2

    def evaluations(self, model: Block, method: Method, budget: int) -> int:
        """Those of a training for each threshold."""
        return len(model["theta_o"]) * super().evaluations(model, method, budget)

    def train(
        self,
        cell: "Cell",
        method: Method,
        budget: int,
        X: np.ndarray,
        y: np.ndarray,
        rng: np.random.Generator,
    ) -> Arrays:
        """The parameters and the threshold that reach the lowest loss on the training part."""
        tried = []
        for theta_o in cell.settings["theta_o"]:
            objective = DNMObjective(X, y, cell.n_dendrites, cell.alpha_s, cell.alpha_t, theta_o)
            tried.append((method.train(objective, budget, rng), theta_o))
        found, theta_o = min(tried, key=lambda pair: pair[0].loss)
        return {"theta_o": np.array(theta_o), **stored(found)}

    def model(self, cell: "Cell", arrays: Arrays, n_features: int) -> Neuron:
        """The neuron by the readable equations."""
        theta_o = float(arrays["theta_o"])
        return Neuron.from_parameters(arrays["parameters"], n_features, cell.alpha_s, cell.alpha_t, theta_o)
