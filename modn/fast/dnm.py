"""The loss of the DNM (`modn.dnm`) and its gradient for whole populations, by the kernels of MODN."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn import filters
from modn.fast import heads, kernels
from modn.fast.objective import feature_scaling, mean_loss, population_rows, scaled_blocks, sum_gradients
from modn.missing import mean_and_deviation
from modn.optimizers.core.space import Space
from modn.targets import SIGMOID
from modn.validation import (
    class_indices,
    finite_array,
    finite_number,
    positive_integer,
    positive_number,
    sample_weights,
)

Array = NDArray[np.float64]


class DNMObjective:
    """The binary cross-entropy of the DNM on one training set, as a function of a population's parameters.

    parameters  (S, 2DM), rows [w_s row-major | theta_s]; a single row is a population of one

    `sample_weight` (N,) is how much each sample counts; by default, 1.
    """

    def __init__(
        self,
        X: ArrayLike,
        y: ArrayLike,
        n_dendrites: int,
        alpha_s: float,
        alpha_o: float,
        theta_o: float,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        self.X = finite_array("X", X, ("n_samples", "n_features"), missing=True)
        self.y = class_indices("y", y, len(self.X), 2)
        self.n_dendrites = positive_integer("n_dendrites", n_dendrites)
        self.alpha_s = positive_number("alpha_s", alpha_s)
        self.alpha_o = positive_number("alpha_o", alpha_o)
        self.theta_o = finite_number("theta_o", theta_o)
        self._scaling = feature_scaling(self.X, self.alpha_s, self.alpha_o)
        weights = sample_weights("sample_weight", sample_weight, len(self.X))
        labels = self.y[:, None].astype(np.float64)
        self._blocks = scaled_blocks(self.X, labels, 1, weights, self._scaling, SIGMOID)
        self._P = filters.full(self.n_dendrites, 1)[None]

    @property
    def n_parameters(self) -> int:
        """2DM, the length of a row of parameters."""
        return 2 * self.X.shape[1] * self.n_dendrites

    @property
    def space(self) -> Space:
        """Where an initial population is drawn: [-1, 1] for every parameter."""
        return Space.box(np.full(self.n_parameters, -1.0), np.ones(self.n_parameters))

    def loss(self, parameters: ArrayLike) -> Array:
        """Return the loss (S,) of each individual."""
        rows = self._modn_rows(parameters)
        loss = np.zeros(len(rows))
        for block in self._blocks:
            loss += kernels.population_loss(block, rows, self._P, self._scaling, heads.SIGMOID)
        return mean_loss(loss, self._blocks)

    def gradient(self, parameters: ArrayLike) -> Array:
        """Return the exact gradient (S, 2DM) of each individual's loss."""
        return self.loss_and_gradient(parameters)[1]

    def loss_and_gradient(self, parameters: ArrayLike) -> tuple[Array, Array]:
        """Return the loss (S,) and its exact gradient (S, 2DM), computed together."""
        rows = self._modn_rows(parameters)
        loss, gradient = sum_gradients(self._blocks, rows, self._P, self._scaling, heads.SIGMOID)
        return loss, gradient[:, : self.n_parameters]

    def draw_open(self, rng: np.random.Generator) -> Array:
        """Draw a row to begin a descent at: each dendrite is half open at some sample of class 1.

        A row drawn uniformly would leave nearly every dendrite shut, and its gradient 0, where features are
        many: Z is their product. The slopes are normal for features in units of their standard deviation.
        """
        D, M = self.X.shape[1], self.n_dendrites
        mean, deviation = mean_and_deviation(self.X)
        slope = rng.normal(size=(D, M)) / deviation[:, None]
        centres = self.X[rng.choice(np.flatnonzero(self.y == 1), size=M)].T
        centres = np.where(np.isnan(centres), mean[:, None], centres)
        margin = -np.log(np.expm1(np.log(2.0) / D))  # sigmoid(margin) ** D = 1/2
        return np.concatenate([slope.ravel(), (slope * centres - margin).ravel()]) / self.alpha_s

    def _modn_rows(self, parameters: ArrayLike) -> Array:
        """Append w_t = 1 and theta_t = theta_o: the rows of the MODN with the same potentials."""
        rows = population_rows(parameters, self.n_parameters)
        telodendron = np.tile([1.0, self.theta_o], (len(rows), 1))
        return np.concatenate([rows, telodendron], axis=1)
