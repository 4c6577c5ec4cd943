"""The two-layer perceptron of the paper's comparison; M is the number of its hidden units."""

from typing import TYPE_CHECKING

import numpy as np

from modn.fast.mlp import MLPObjective
from modn.methods import Method
from modn.mlp import MLP as Perceptron
from stages.study.families import Arrays, Family, register, stored

if TYPE_CHECKING:
    from stages.study.cells import Cell


@register
class MLP(Family):
    """Without parameters of its own."""

    name = "mlp"
    tuned = ("dendrites",)

    def train(
        self,
        cell: "Cell",
        method: Method,
        budget: int,
        X: np.ndarray,
        y: np.ndarray,
        rng: np.random.Generator,
    ) -> Arrays:
        """The parameters."""
        return stored(method.train(MLPObjective(X, y, cell.n_dendrites, cell.n_classes), budget, rng))

    def model(self, cell: "Cell", arrays: Arrays, n_features: int) -> Perceptron:
        """The perceptron in NumPy."""
        return Perceptron.from_parameters(arrays["parameters"], n_features, cell.n_dendrites, cell.n_classes)
