"""A training set in standard units, where one step size fits all features, and in batches."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from modn import filters
from modn.fast.objective import Objective
from modn.fast.prediction import potentials
from modn.methods.base import Array, Filter
from modn.missing import mean_and_deviation
from modn.neuron import Neuron
from modn.validation import finite_array

Rows = NDArray[np.int64]  # indices of samples

UNIT_ROWS = 100_000  # about so many samples are enough to know a feature's mean and deviation by
KEPT_BATCHES = 64  # of more, each is built when its turn comes: memory stays bounded

SLOPED = 20  # so many features share a dendrite's first slope
FIRST_W_T = 3.0  # a dendrite that opens changes the odds of its class by e^3


class StandardUnits:
    """The samples of an objective, with features of mean 0 and deviation 1, and alpha_s = alpha_t = 1.

    A point (V,) is a row of parameters in these units.
    """

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        X = objective.X
        self.mean, self.deviation = mean_and_deviation(X[:: max(1, len(X) // UNIT_ROWS)])

    @property
    def n_weights(self) -> int:
        """DM, the number of synapses."""
        return self.objective.X.shape[1] * self.objective.n_dendrites

    def problem(self, rows: Rows) -> Objective:
        """The loss on some of the samples."""
        o = self.objective
        weight = None if o.sample_weight is None else o.sample_weight[rows]
        return Objective(self._samples(rows), o.y[rows], o.n_dendrites, o.n_classes, 1.0, 1.0, weight)

    def draw(self, n: int, rows: Rows, slope: float, opening: float, rng: np.random.Generator) -> Array:
        """Points (n, V): each dendrite puts out `opening` at one of the samples of the class it begins with.

        The slopes of its synapses are normal with deviation `slope`, smaller if features are many: no
        dendrite begins steeper than with SLOPED features. A missing value counts as the mean.
        """
        o = self.objective
        D, M, C = o.X.shape[1], o.n_dendrites, o.n_classes
        centres = np.empty((n, M), dtype=np.int64)
        own = filters.shared_out(M, C).argmax(axis=1)
        for c in range(C):
            of_class = rows[o.y[rows] == c]
            centres[:, own == c] = rng.choice(of_class if of_class.size else rows, size=(n, (own == c).sum()))
        w = rng.normal(0.0, slope * min(1.0, np.sqrt(SLOPED / D)), (n, D, M))
        margin = -np.log(np.expm1(-np.log(opening) / D))  # sigmoid(margin) ** D = opening
        theta = w * np.nan_to_num(self._samples(centres)).transpose(0, 2, 1) - margin
        telodendra = np.tile(np.repeat([FIRST_W_T, 0.0], C), (n, 1))
        return np.concatenate([w.reshape(n, -1), theta.reshape(n, -1), telodendra], axis=1)

    def potentials(self, point: Array, P: Filter, rows: Rows | slice) -> Array:
        """U (n, C) of some of the samples."""
        o = self.objective
        parameters = self.to_objective(point)
        neuron = Neuron.from_parameters(parameters, P, o.X.shape[1], o.alpha_s, o.alpha_t)
        return potentials(neuron, o.X[rows])

    def to_objective(self, point: Array) -> Array:
        """The parameters of the same neuron for the objective's features and scaling factors."""
        w, theta, w_t, theta_t = self._layers(point)
        w = w / self.deviation[:, None]
        theta = theta + w * self.mean[:, None]
        o = self.objective
        synaptic = np.concatenate([w.ravel(), theta.ravel()]) / o.alpha_s
        return np.concatenate([synaptic, w_t / o.alpha_t, theta_t / o.alpha_t])

    def from_objective(self, parameters: Array) -> Array:
        """The point of the same neuron."""
        o = self.objective
        w, theta, w_t, theta_t = self._layers(finite_array("start", parameters, (o.n_parameters,)))
        theta = (theta - w * self.mean[:, None]) * o.alpha_s
        w = w * self.deviation[:, None] * o.alpha_s
        return np.concatenate([w.ravel(), theta.ravel(), w_t * o.alpha_t, theta_t * o.alpha_t])

    def _samples(self, rows: Rows) -> Array:
        return (self.objective.X[rows] - self.mean) / self.deviation

    def _layers(self, parameters: Array) -> tuple[Array, Array, Array, Array]:
        M, C = self.objective.n_dendrites, self.objective.n_classes
        w, theta, w_t, theta_t = np.split(parameters, np.cumsum([self.n_weights, self.n_weights, C]))
        return w.reshape(-1, M), theta.reshape(-1, M), w_t, theta_t


class Batches:
    """Samples dealt out at random into equal parts, of which each step of a descent sees one, in turn."""

    def __init__(
        self, problem: Callable[[Rows], Objective], rows: Rows, size: int, rng: np.random.Generator
    ) -> None:
        n = -(-len(rows) // size)
        parts = [rows] if n == 1 else np.array_split(rng.permutation(rows), n)
        self.count = n
        self._problem = lru_cache(KEPT_BATCHES)(lambda k: problem(parts[k]))

    def __getitem__(self, step: int) -> Objective:
        return self._problem(step % self.count)
