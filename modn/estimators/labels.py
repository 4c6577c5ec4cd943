"""Labels: several for one sample. MODNClassifier takes them as scikit-learn's multi-label classifiers do.

y is then an indicator matrix (N, L) of 0 and 1. Each label is an output with a sigmoid (`modn.targets`), and
the communal dendrites are what labels share.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import Tags, check_array
from sklearn.utils.multiclass import type_of_target

from modn.calibration import best_temperature, probabilities
from modn.estimators.base import Array
from modn.estimators.samples import read_training_set
from modn.estimators.shared import DendriticClassifier
from modn.methods import HeldOut
from modn.targets import SIGMOID


class LabelsClassifier(DendriticClassifier):
    """A classifier that takes one label for each sample or, as an indicator matrix, any number of them."""

    def decision_function(self, X: ArrayLike) -> Array:
        """The mean potentials of the neurons: (N, C), or (N, L) for labels; for two classes (N,)."""
        return self._potentials(X) if self._has_labels else super().decision_function(X)

    def predict_proba(self, X: ArrayLike) -> Array:
        """The probability of each class (N, C), in the order of `classes_`, or of each label (N, L).

        These are calibrated: the softmax, or for labels the sigmoid, of the potentials at the temperature
        that `fit` found. `neuron_.predict_proba(inputs_.transform(X))` is the paper's Eq. 9.
        """
        if not self._has_labels:
            return super().predict_proba(X)
        U = self._potentials(X)
        return probabilities(_as_pairs(U), self.temperature_)[:, 1].reshape(U.shape)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The most probable class (N,) of each sample, or 1 for each label (N, L) it is likely to have."""
        if not self._has_labels:
            return super().predict(X)
        return (self._potentials(X) > 0).astype(np.int64)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    @property
    def _has_labels(self) -> bool:
        """Whether the model was fitted to an indicator matrix."""
        return hasattr(self, "neuron_") and self.neuron_.target == SIGMOID.name

    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        if not _is_matrix(y) or type_of_target(y) != "multilabel-indicator":
            return super()._fit(X, y, sample_weight)
        self._check_parameters()
        if self.class_weight is not None:
            raise ValueError(
                f"class_weight is {self.class_weight!r}; allowed: None, since y is a matrix of labels"
            )
        samples, labels, weights = read_training_set(self, X, y, sample_weight, _as_indicators)
        n_labels = labels.shape[1]
        names = np.array(y.columns, dtype=object) if hasattr(y, "columns") else np.arange(n_labels)
        if self._continues:
            self._check_continuity(n_labels, {"labels": (self.classes_.tolist(), names.tolist())})
        counted = weights > 0
        solution = self._solve(samples, weights, labels[counted], weights[counted], n_labels, self._starts())
        self._keep(solution, self._calibrated(solution))
        self.classes_ = names
        return self

    def _temperature(self, held_out: HeldOut) -> float:
        U, y, weight = held_out
        if y.ndim == 1:
            return super()._temperature(held_out)
        weights = None if weight is None else np.repeat(weight, y.shape[1])
        return best_temperature(_as_pairs(U), y.ravel().astype(np.int64), weights)


def _is_matrix(y: Any) -> bool:
    """Whether y has several columns."""
    shape = y.shape if issparse(y) else np.asarray(y).shape
    return len(shape) == 2 and shape[1] > 1


def _as_indicators(y: Any) -> Array:
    """Labels (N, L) as 0 and 1; sparse matrices are read as well."""
    dense = y.toarray() if issparse(y) else y
    return check_array(dense, dtype=np.float64, input_name="y")


def _as_pairs(U: Array) -> Array:
    """Potentials (N, L) of labels as those of two classes each (N L, 2): sigmoid(U) is softmax(0, U)."""
    return np.stack([np.zeros(U.size), U.ravel()], axis=1)
