"""The loss of the perceptron (`modn.mlp`) and its gradient for whole populations, compiled."""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn.fast.compiling import compiled
from modn.fast.objective import population_rows
from modn.optimizers.core.space import Space
from modn.validation import class_indices, finite_array, positive_integer

Array = NDArray[np.float64]


class MLPObjective:
    """The cross-entropy of the perceptron on one training set, as a function of a population's parameters.

    parameters  (S, DM + M + MC + C), rows [W_1 row-major | b_1 | W_2 row-major | b_2]; a single row is a
                population of one
    """

    def __init__(self, X: ArrayLike, y: ArrayLike, n_hidden: int, n_classes: int) -> None:
        self.X = np.require(finite_array("X", X, ("n_samples", "n_features")), requirements=["C", "W", "A"])
        self.n_hidden = positive_integer("n_hidden", n_hidden)
        self.n_classes = positive_integer("n_classes", n_classes)
        self.y = class_indices("y", y, len(self.X), self.n_classes)

    @property
    def n_parameters(self) -> int:
        """DM + M + MC + C, the length of a row of parameters."""
        return (self.X.shape[1] + 1) * self.n_hidden + (self.n_hidden + 1) * self.n_classes

    @property
    def space(self) -> Space:
        """Where an initial population is drawn: [-1, 1] for every parameter."""
        return Space.box(np.full(self.n_parameters, -1.0), np.ones(self.n_parameters))

    def loss(self, parameters: ArrayLike) -> Array:
        """Return the loss (S,) of each individual."""
        return self._loss_and_gradient(parameters, with_gradient=False)[0]

    def gradient(self, parameters: ArrayLike) -> Array:
        """Return the exact gradient of each individual's loss, as parameters."""
        return self.loss_and_gradient(parameters)[1]

    def loss_and_gradient(self, parameters: ArrayLike) -> tuple[Array, Array]:
        """Return the loss (S,) and its exact gradient, computed together."""
        return self._loss_and_gradient(parameters, with_gradient=True)

    def _loss_and_gradient(self, parameters: ArrayLike, with_gradient: bool) -> tuple[Array, Array]:
        rows = population_rows(parameters, self.n_parameters)
        loss, gradient = np.zeros(len(rows)), np.zeros(rows.shape)
        _sum_loss_and_gradient(
            self.X, self.y, rows, self.n_hidden, self.n_classes, with_gradient, loss, gradient
        )
        return loss / len(self.X), gradient / len(self.X)


@partial(compiled, fastmath={"contract"})
def _sum_loss_and_gradient(X, y, rows, M, C, with_gradient, loss, gradient):  # type: ignore[no-untyped-def]
    """Add the loss and the gradient of every sample.

    Plain loops, no BLAS: the same bytes whatever number of threads BLAS would have taken.
    """
    N, D = X.shape
    hidden, d_hidden, output = np.empty(M), np.empty(M), np.empty(C)
    first_b_1, first_W_2, first_b_2 = D * M, D * M + M, D * M + M + M * C
    for s in range(len(rows)):
        row, d_row = rows[s], gradient[s]
        for n in range(N):
            for j in range(M):
                hidden[j] = row[first_b_1 + j]
            for i in range(D):
                for j in range(M):
                    hidden[j] += X[n, i] * row[i * M + j]
            for c in range(C):
                output[c] = row[first_b_2 + c]
            for j in range(M):
                hidden[j] = 1.0 / (1.0 + np.exp(-hidden[j]))
                for c in range(C):
                    output[c] += hidden[j] * row[first_W_2 + j * C + c]
            largest = output.max()
            true_output = output[y[n]] - largest
            total = 0.0
            for c in range(C):
                output[c] = np.exp(output[c] - largest)
                total += output[c]
            loss[s] += np.log(total) - true_output
            if with_gradient:
                for c in range(C):
                    output[c] = output[c] / total - (1.0 if c == y[n] else 0.0)
                    d_row[first_b_2 + c] += output[c]
                for j in range(M):
                    back = 0.0
                    for c in range(C):
                        d_row[first_W_2 + j * C + c] += output[c] * hidden[j]
                        back += output[c] * row[first_W_2 + j * C + c]
                    d_hidden[j] = back * hidden[j] * (1.0 - hidden[j])
                    d_row[first_b_1 + j] += d_hidden[j]
                for i in range(D):
                    for j in range(M):
                        d_row[i * M + j] += X[n, i] * d_hidden[j]
