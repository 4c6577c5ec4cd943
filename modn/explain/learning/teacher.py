"""What a trained neuron teaches a circuit: probabilities to learn from, and boxes to begin at."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.base import clone

from modn.explain.contributions import input_columns, own_units, potentials
from modn.explain.learning.coding import Coding
from modn.explain.learning.table import Starts

# How much a circuit learns from the neuron's probabilities; the rest is the labels'.
TRUST = 0.7

Array = NDArray[np.float64]
Rows = NDArray[np.int64]  # positions of samples


class Teacher(NamedTuple):
    """A fitted MODNClassifier and the samples that it teaches by."""

    model: Any
    X: ArrayLike  # (N, features of the model)
    y: NDArray[Any]  # (N,)
    columns: list[int | None]  # of the coding, for each input of the neuron; None: there is no such column

    @classmethod
    def of(cls, model: Any, X: ArrayLike, y: NDArray[Any], coding: Coding) -> "Teacher":
        """A teacher that was trained on the features of the coding."""
        known = {(column.feature, column.category): k for k, column in enumerate(coding.columns)}
        return cls(model, X, y, [known.get(key) for key in input_columns(model)])

    def retrained(self, rows: Rows) -> "Teacher":
        """A teacher that has seen no other samples than these."""
        return self._replace(model=clone(self.model).fit(rows_of(self.X, rows), self.y[rows]))

    def potentials(self, rows: Rows) -> Array:
        """The potentials of the classes (N, C) for some of the samples."""
        return potentials(self.model, rows_of(self.X, rows))

    def targets(self, rows: Rows, codes: NDArray[np.int64]) -> Array:
        """The probabilities of the classes (N, C): the labels, mixed with what the neuron says."""
        U = self.potentials(rows)
        labels = np.eye(U.shape[1])[codes]
        return (1 - TRUST) * labels + TRUST * softmax(_temperature(U, codes) * U, axis=1)

    def use(self, n_columns: int) -> Array:
        """How steep the synapses of each column of the coding are (D,): 0 where the neuron ignores it."""
        steepness = np.sqrt((self.model.neuron_.w_s**2).mean(axis=1))
        use = np.zeros(n_columns)
        for size, column in zip(steepness, self.columns, strict=True):
            if column is not None:
                use[column] = max(use[column], size)
        return use

    def starts(self, coding: Coding) -> Starts:
        """The neuron's dendrites as boxes; shut dendrites and those that feed no class are left out."""
        neuron = self.model.neuron_
        states = neuron.synapse_states()
        D, M = len(coding.columns), neuron.n_dendrites
        boxes = np.stack([np.zeros((M, D)), np.tile(coding.n_codes - 1, (M, 1))], axis=1).astype(np.int32)
        for i, column in enumerate(self.columns):
            active = np.flatnonzero(np.isin(states[i], ["excitatory", "inhibitory"]))
            if column is None or not len(active):
                continue
            values = own_units(self.model, i, neuron.theta_s[i, active] / neuron.w_s[i, active])
            # A threshold of the neuron becomes the next one of the coding.
            own = coding.columns[column].thresholds
            reached = np.searchsorted(own, values)
            excites = states[i, active] == "excitatory"
            boxes[active, 0, column] = np.where(excites, np.minimum(reached + 1, len(own)), 0)
            boxes[active, 1, column] = np.where(excites, len(own), np.minimum(reached, len(own) - 1))
        boxes[:, 1] = np.maximum(boxes[:, 1], 0)
        kept = ~(states == "constant-0").any(axis=0) & neuron.P.any(axis=1)
        return Starts(np.ascontiguousarray(boxes[kept]), neuron.P[kept])


def _temperature(U: Array, codes: NDArray[np.int64]) -> float:
    """The factor on the potentials that makes the labels most probable."""
    rows = np.arange(len(codes))

    def loss(log_factor: float) -> float:
        return float(-log_softmax(np.exp(log_factor) * U, axis=1)[rows, codes].mean())

    return float(np.exp(minimize_scalar(loss, bounds=(-3.0, 4.0), method="bounded").x))


def rows_of(X: Any, rows: Rows) -> Any:
    """Some rows of a data frame or an array."""
    return X.iloc[rows] if hasattr(X, "iloc") else np.asarray(X)[rows]
