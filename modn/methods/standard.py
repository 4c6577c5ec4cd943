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

MANY_FEATURES = 20  # from here on, features share a dendrite's first slope, and may be selected
FIRST_STRENGTH = 0.2  # a dendrite that has strengths changes a potential by this, or by minus this


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
        X, y, M, C = self._samples(rows), o.y[rows], o.n_dendrites, o.n_classes
        return Objective(X, y, M, C, 1.0, 1.0, weight, o.target.name, o.strengths)

    def draw(self, n: int, rows: Rows, slope: float, opening: float, rng: np.random.Generator) -> Array:
        """Points (n, V): each dendrite puts out `opening` at one of the samples of the output it begins with.

        The slopes of its synapses are normal with deviation `slope`, smaller if features are many: no
        dendrite begins steeper than with MANY_FEATURES. A missing value counts as the mean.
        """
        o = self.objective
        D, M, C = o.X.shape[1], o.n_dendrites, o.n_classes
        centres = np.empty((n, M), dtype=np.int64)
        own = filters.shared_out(M, C).argmax(axis=1)
        for c in range(C):
            examples = rows[o.target.examples(o.y[rows], c)]
            centres[:, own == c] = rng.choice(examples if examples.size else rows, size=(n, (own == c).sum()))
        w = rng.normal(0.0, slope * min(1.0, np.sqrt(MANY_FEATURES / D)), (n, D, M))
        margin = -np.log(np.expm1(-np.log(opening) / D))  # sigmoid(margin) ** D = opening
        theta = w * np.nan_to_num(self._samples(centres)).transpose(0, 2, 1) - margin
        first_w_t, n_strengths = (1.0, M * C) if o.strengths else (o.target.first_w_t, 0)
        telodendra = np.tile(np.repeat([first_w_t, 0.0], C), (n, 1))
        strength = rng.choice([-FIRST_STRENGTH, FIRST_STRENGTH], (n, n_strengths))
        return np.concatenate([w.reshape(n, -1), theta.reshape(n, -1), telodendra, strength], axis=1)

    def potentials(self, point: Array, P: Filter, rows: Rows | slice) -> Array:
        """U (n, C) of some of the samples."""
        o = self.objective
        parameters = self.to_objective(point)
        D = o.X.shape[1]
        neuron = Neuron.from_parameters(parameters, P, D, o.alpha_s, o.alpha_t, strengths=o.strengths)
        return potentials(neuron, o.X[rows])

    def squashed(self, point: Array, border: float, scale: float) -> Array:
        """The point whose potentials are scale (U - border)."""
        w, theta, w_t, theta_t, strength = self._layers(point)
        return _joined(w, theta, scale * w_t, scale * (theta_t + border), strength)

    def to_objective(self, point: Array) -> Array:
        """The parameters of the same neuron for the objective's features and scaling factors."""
        o = self.objective
        w, theta, w_t, theta_t, strength = self._layers(point)
        w = w / self.deviation[:, None]
        theta = theta + w * self.mean[:, None]
        return _joined(w / o.alpha_s, theta / o.alpha_s, w_t / o.alpha_t, theta_t / o.alpha_t, strength)

    def from_objective(self, parameters: Array) -> Array:
        """The point of the same neuron."""
        o = self.objective
        row = finite_array("start", parameters, (o.n_parameters,))
        w, theta, w_t, theta_t, strength = self._layers(row)
        theta = (theta - w * self.mean[:, None]) * o.alpha_s
        w = w * self.deviation[:, None] * o.alpha_s
        return _joined(w, theta, w_t * o.alpha_t, theta_t * o.alpha_t, strength)

    def _samples(self, rows: Rows) -> Array:
        return (self.objective.X[rows] - self.mean) / self.deviation

    def _layers(self, parameters: Array) -> tuple[Array, ...]:
        """w_s and theta_s (D, M), w_t and theta_t (C,), and the strengths, if there are any."""
        M, C = self.objective.n_dendrites, self.objective.n_classes
        w, theta, *rest = np.split(parameters, np.cumsum([self.n_weights, self.n_weights, C, C]))
        return w.reshape(-1, M), theta.reshape(-1, M), *rest


def _joined(*layers: Array) -> Array:
    """Layers as a row of parameters."""
    return np.concatenate([layer.ravel() for layer in layers])


class Batches:
    """Samples dealt out at random into equal parts, of which each update of a descent sees one, in turn."""

    def __init__(
        self, problem: Callable[[Rows], Objective], rows: Rows, size: int, rng: np.random.Generator
    ) -> None:
        n = -(-len(rows) // size)
        parts = [rows] if n == 1 else np.array_split(rng.permutation(rows), n)
        self.count, self.n_samples = n, len(rows)
        self._problem = lru_cache(KEPT_BATCHES)(lambda k: problem(parts[k]))

    def __getitem__(self, update: int) -> Objective:
        return self._problem(update % self.count)
