"""The training loss (Eq. 10) and its gradients for whole populations of neurons, fast.

The same mathematics as `modn.neuron` and `modn.gradients`, which are the readable truth, computed in float32 by
`modn.kernels`. Single-threaded and without state: the same input gives the same bytes in any thread or process.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn import gradients, kernels
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
        # float32 keeps 7 digits: features are centred and scaled to [-1, 1] so that none are lost to their offset
        self._middle = (self.X.max(axis=0) + self.X.min(axis=0)) / 2
        self._half = (self.X.max(axis=0) - self.X.min(axis=0)) / 2
        self._half[self._half == 0] = 1.0
        self._x = np.ascontiguousarray(((self.X - self._middle) / self._half).T, dtype=np.float32)
        self._counts = np.eye(self.n_classes, dtype=np.float32)[self.y]

    @property
    def n_parameters(self) -> int:
        """2DM + 2C, the length of a row of parameters."""
        return 2 * self.X.shape[1] * self.n_dendrites + 2 * self.n_classes

    def loss(self, parameters: ArrayLike, P: ArrayLike) -> Array:
        """Return the loss (S,) of each individual."""
        parameters, P = self._population(parameters, P)
        slope, offset, w_t, theta_t = self._coefficients(parameters)
        return kernels.population_loss(self._x, self._counts, slope, offset, P, w_t, theta_t) / len(self.X)

    def gradient(self, parameters: ArrayLike, P: ArrayLike) -> Array:
        """Return the exact gradient (S, 2DM + 2C) of each individual's loss."""
        return self.loss_and_gradient(parameters, P)[1]

    def loss_and_gradient(self, parameters: ArrayLike, P: ArrayLike) -> tuple[Array, Array]:
        """Return the loss (S,) and its exact gradient (S, 2DM + 2C), computed together."""
        parameters, P = self._population(parameters, P)
        rows = [gradients.exact(neuron, self.X, self.y) for neuron in self._neurons(parameters, P)]
        return self.loss(parameters, P), np.array(rows)

    def published_gradient(self, parameters: ArrayLike, P: ArrayLike, filter: str) -> Array:
        """Return Eqs. 15-22 to the letter, as a gradient (S, 2DM + 2C) to descend (see `modn.gradients`).

        `filter` says whose equations: "partition" (MODNP: 15-18) or "full" (MODNF: 15, 16, 19-22).
        """
        parameters, P = self._population(parameters, P)
        neurons = self._neurons(parameters, P)
        return np.array([gradients.published(neuron, self.X, self.y, filter) for neuron in neurons])

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
        P = boolean_filter("P", P, (S, self.n_dendrites, self.n_classes))
        if len(P) > len(parameters):
            parameters = np.repeat(parameters, len(P), axis=0)
        return parameters, P

    def _neurons(self, parameters: Array, P: NDArray[np.bool_]) -> list[Neuron]:
        P = np.broadcast_to(P, (len(parameters), *P.shape[1:]))
        D = self.X.shape[1]
        return [
            Neuron.from_parameters(row, P_row, D, self.alpha_s, self.alpha_t)
            for row, P_row in zip(parameters, P, strict=True)
        ]

    def _coefficients(self, parameters: Array) -> tuple[NDArray[np.float32], ...]:
        """Return slope, offset (S, D, M), w_t, theta_t (S, C) as the kernel wants them."""
        S, D, M, C = len(parameters), self.X.shape[1], self.n_dendrites, self.n_classes
        w_s, theta_s, w_t, theta_t = np.split(parameters, np.cumsum([D * M, D * M, C]), axis=1)
        w_s, theta_s = w_s.reshape(S, D, M), theta_s.reshape(S, D, M)
        unit = self.alpha_s / np.log(2.0)
        slope = unit * w_s * self._half[:, None]
        offset = unit * (theta_s - w_s * self._middle[:, None])
        return (
            _to_float32(slope),
            _to_float32(offset),
            _to_float32(self.alpha_t * w_t),
            _to_float32(self.alpha_t * theta_t),
        )


def _to_float32(values: Array) -> NDArray[np.float32]:
    """Clip to a finite range on the way: beyond 1e30 everything is saturated already."""
    return np.clip(values, -1e30, 1e30).astype(np.float32)
