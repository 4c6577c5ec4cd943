"""The loss of the perceptron (`modn.mlp`) and its gradient for whole populations, compiled."""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn.fast.compiling import compiled, part
from modn.fast.exponential import exp
from modn.fast.objective import population_rows
from modn.optimizers.core.space import Space
from modn.validation import class_indices, finite_array, positive_integer

Array = NDArray[np.float64]

TILE = 64  # samples; LLVM would unroll loops over fewer instead of making vectors of them


class MLPObjective:
    """The cross-entropy of the perceptron on one training set, as a function of a population's parameters.

    parameters  (S, DM + M + MC + C), rows [W_1 row-major | b_1 | W_2 row-major | b_2]; a single row is a
                population of one
    """

    def __init__(self, X: ArrayLike, y: ArrayLike, n_hidden: int, n_classes: int) -> None:
        self.X = finite_array("X", X, ("n_samples", "n_features"))
        self.n_hidden = positive_integer("n_hidden", n_hidden)
        self.n_classes = positive_integer("n_classes", n_classes)
        self.y = class_indices("y", y, len(self.X), self.n_classes)
        self._tiles = _tiles(self.X)
        self._truths = _tiles(np.eye(self.n_classes)[self.y])

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
        _sum_loss_and_gradient(self._tiles, self._truths, rows, self.n_hidden, with_gradient, loss, gradient)
        return loss / len(self.X), gradient / len(self.X)


def _tiles(samples: Array) -> Array:
    """The samples (N, K) as tiles (n_tiles, K, TILE); there are zeros behind the last sample."""
    padded = np.zeros((-(-len(samples) // TILE) * TILE, samples.shape[1]))
    padded[: len(samples)] = samples
    return np.ascontiguousarray(padded.reshape(-1, TILE, samples.shape[1]).transpose(0, 2, 1))


@partial(part, fastmath={"contract"})
def _add(total, factor, numbers):  # type: ignore[no-untyped-def]
    for n in range(TILE):
        total[n] += factor * numbers[n]


@partial(part, fastmath={"contract"})
def _sigmoid(numbers):  # type: ignore[no-untyped-def]
    for n in range(TILE):
        numbers[n] = 1.0 / (1.0 + exp(-numbers[n]))


@partial(part, fastmath={"contract", "reassoc"})
def _sum(numbers):  # type: ignore[no-untyped-def]
    total = 0.0
    for n in range(TILE):
        total += numbers[n]
    return total


@partial(part, fastmath={"contract", "reassoc"})
def _product(a, b):  # type: ignore[no-untyped-def]
    total = 0.0
    for n in range(TILE):
        total += a[n] * b[n]
    return total


@partial(part, fastmath={"contract"})
def _softmax_gradient(outputs, truth, largest, total):  # type: ignore[no-untyped-def]
    """Return the loss of a tile; the outputs (C, TILE) become its gradient by them.

    largest and total (TILE,) are working memory. A sample without a class, behind the last one, counts 0.
    """
    C = len(outputs)
    largest[:] = outputs[0]
    for c in range(1, C):
        for n in range(TILE):
            largest[n] = max(largest[n], outputs[c, n])
    total.fill(0.0)
    loss = 0.0
    for c in range(C):
        for n in range(TILE):
            outputs[c, n] -= largest[n]
        loss -= _product(truth[c], outputs[c])
        for n in range(TILE):
            outputs[c, n] = exp(outputs[c, n])
            total[n] += outputs[c, n]
    for n in range(TILE):
        weight = 0.0
        for c in range(C):
            weight += truth[c, n]
        loss += weight * np.log(total[n])
        total[n] = weight / total[n]
    for c in range(C):
        for n in range(TILE):
            outputs[c, n] = outputs[c, n] * total[n] - truth[c, n]
    return loss


@part
def _layers(row, D, M, C):  # type: ignore[no-untyped-def]
    """Return W_1, b_1, W_2 and b_2, which share the memory of the row."""
    W_1, b_1 = row[: D * M].reshape(D, M), row[D * M : (D + 1) * M]
    W_2, b_2 = row[(D + 1) * M : (D + 1 + C) * M].reshape(M, C), row[(D + 1 + C) * M :]
    return W_1, b_1, W_2, b_2


@partial(compiled, fastmath={"contract"})
def _sum_loss_and_gradient(tiles, truths, rows, M, with_gradient, loss, gradient):  # type: ignore[no-untyped-def]
    """Add the loss and the gradient of every sample.

    Plain loops, no BLAS: the same bytes whatever number of threads BLAS would have taken. The innermost ones
    are over the samples of a tile, which LLVM turns into vectors.
    """
    D, C = tiles.shape[1], truths.shape[1]
    hidden, outputs, slope = np.empty((M, TILE)), np.empty((C, TILE)), np.empty(TILE)
    largest, total = np.empty(TILE), np.empty(TILE)
    for s in range(len(rows)):
        W_1, b_1, W_2, b_2 = _layers(rows[s], D, M, C)
        dW_1, db_1, dW_2, db_2 = _layers(gradient[s], D, M, C)
        for tile in range(len(tiles)):
            x = tiles[tile]
            for c in range(C):
                outputs[c].fill(b_2[c])
            for j in range(M):
                hidden[j].fill(b_1[j])
                for i in range(D):
                    _add(hidden[j], W_1[i, j], x[i])
                _sigmoid(hidden[j])
                for c in range(C):
                    _add(outputs[c], W_2[j, c], hidden[j])
            loss[s] += _softmax_gradient(outputs, truths[tile], largest, total)
            if with_gradient:
                for c in range(C):
                    db_2[c] += _sum(outputs[c])
                for j in range(M):
                    slope.fill(0.0)
                    for c in range(C):
                        dW_2[j, c] += _product(outputs[c], hidden[j])
                        _add(slope, W_2[j, c], outputs[c])
                    for n in range(TILE):
                        slope[n] *= hidden[j, n] * (1.0 - hidden[j, n])
                    db_1[j] += _sum(slope)
                    for i in range(D):
                        dW_1[i, j] += _product(slope, x[i])
