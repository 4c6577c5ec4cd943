"""The training loss (Eq. 10) and its gradients for whole populations of neurons, fast.

The same mathematics as `modn.neuron` and `modn.gradients`, which are the readable truth, computed in float32 by
`modn.kernels`. Single-threaded and without state: the same input gives the same bytes in any thread or process.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn import gradients, kernels
from modn.distinct import blocks_of
from modn.neuron import Neuron
from modn.validation import boolean_filter, class_indices, finite_array, positive_integer, positive_number

Array = NDArray[np.float64]


class Objective:
    """The loss of MODN on one training set, as a function of a population's parameters and filters."""

    def __init__(
        self, X: ArrayLike, y: ArrayLike, n_dendrites: int, n_classes: int, alpha_s: float, alpha_t: float
    ) -> None:
        self.X = finite_array("X", X, ("n_samples", "n_features"))
        self.n_dendrites = positive_integer("n_dendrites", n_dendrites)
        self.n_classes = positive_integer("n_classes", n_classes)
        self.y = class_indices("y", y, len(self.X), self.n_classes)
        self.alpha_s = positive_number("alpha_s", alpha_s)
        self.alpha_t = positive_number("alpha_t", alpha_t)
        # float32 keeps 7 digits: features are centred and scaled to [-1, 1] so that none is lost to an offset
        low, high = self.X.min(axis=0), self.X.max(axis=0)
        middle, half = low / 2 + high / 2, np.where(high > low, high / 2 - low / 2, 1.0)
        self._scaling = kernels.Scaling(self.alpha_s, self.alpha_t, middle, half)
        self._blocks = blocks_of((self.X - middle) / half, self.y, self.n_classes)

    @property
    def n_parameters(self) -> int:
        """2DM + 2C, the length of a row of parameters."""
        return 2 * self.X.shape[1] * self.n_dendrites + 2 * self.n_classes

    def loss(self, parameters: ArrayLike, P: ArrayLike) -> Array:
        """Return the loss (S,) of each individual."""
        parameters, P = self._population(parameters, P)
        kernel = kernels.filters_loss if len(P) > len(parameters) else kernels.population_loss
        total = sum(kernel(block, parameters, P, self._scaling) for block in self._blocks)
        return total / len(self.X)

    def gradient(self, parameters: ArrayLike, P: ArrayLike) -> Array:
        """Return the exact gradient (S, 2DM + 2C) of each individual's loss."""
        return self.loss_and_gradient(parameters, P)[1]

    def loss_and_gradient(self, parameters: ArrayLike, P: ArrayLike) -> tuple[Array, Array]:
        """Return the loss (S,) and its exact gradient (S, 2DM + 2C), computed together."""
        return self._loss_and_gradient(parameters, P, kernels.EXACT)

    def published_gradient(self, parameters: ArrayLike, P: ArrayLike, filter: str) -> Array:
        """Return Eqs. 15-22 to the letter, as a gradient (S, 2DM + 2C) to descend (see `modn.gradients`).

        `filter` says whose equations: "partition" (MODNP: 15-18) or "full" (MODNF: 15, 16, 19-22).
        """
        gradients.check_published_filter(filter, np.asarray(P))
        rule = kernels.PUBLISHED_PARTITION if filter == "partition" else kernels.PUBLISHED_FULL
        return self._loss_and_gradient(parameters, P, rule)[1]

    def _loss_and_gradient(self, parameters: ArrayLike, P: ArrayLike, rule: int) -> tuple[Array, Array]:
        parameters, P = self._population(parameters, P)
        if len(P) > len(parameters):
            parameters = np.repeat(parameters, len(P), axis=0)
        loss, gradient = np.zeros(len(parameters)), np.zeros(parameters.shape)
        for block in self._blocks:
            kernels.population_gradient(block, parameters, P, self._scaling, rule, loss, gradient)
        return loss / len(self.X), gradient / len(self.X)

    def _population(self, parameters: ArrayLike, P: ArrayLike) -> tuple[Array, NDArray[np.bool_]]:
        """Check and return parameters (S, 2DM + 2C) and P (S or 1, M, C)."""
        parameters = np.asarray(parameters)
        if parameters.ndim == 1:
            parameters = parameters[None]
        parameters = finite_array("parameters", parameters, ("n_individuals", self.n_parameters))
        P = np.asarray(P)
        if P.ndim == 2:
            return parameters, boolean_filter("P", P, (self.n_dendrites, self.n_classes))[None]
        S: int | str = "n_individuals" if len(parameters) == 1 else len(parameters)
        return parameters, boolean_filter("P", P, (S, self.n_dendrites, self.n_classes))
