"""CircuitClassifier: rules that are learned from samples, and small enough to be read."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y, check_consistent_length, check_is_fitted, validate_data

from modn.constraints import Constraint, OneOf, check_all
from modn.estimators.modn import MODNClassifier
from modn.estimators.parameters import RandomState
from modn.explain import making
from modn.explain.learning.coding import Coding
from modn.explain.learning.path import Problem
from modn.explain.learning.teacher import Teacher


class CircuitClassifier(ClassifierMixin, BaseEstimator):
    """A circuit of conditions as a classifier.

    Each dendrite is a conjunction of conditions on features; each class counts its dendrites that hold. A
    neuron is trained first and teaches the circuit: its probabilities are learned from, and its dendrites are
    where the search begins.

    Features are numbers, or categories: columns of a data frame, or of an array of objects, that hold texts
    or Booleans. A condition on a missing value (NaN, None) holds.

    Parameters
    ----------
    size : int or "one_standard_error", optional
        The largest number of conditions; by default it is chosen by cross-validation within the training
        data: the smallest from which on the accuracy no longer rises. "one_standard_error" chooses the
        smallest whose accuracy is within one standard error of the highest.
    start : {"neuron", "nothing"}
        Learn from a neuron that is trained first, or from the samples alone.
    monotone : mapping, optional
        By feature name (x0, x1, ... for arrays): 1 allows only conditions "at least" (excitatory), -1 only
        "below" (inhibitory). For categories: only "is", only "is not".
    random_state : int, RandomState or None
        Pass an int for reproducible results.

    Attributes
    ----------
    circuit_ : modn.Circuit
        The circuit: `print(circuit_)`, `circuit_.rules`, `circuit_.explain(x)`; `circuit_.path` has the
        cross-validated accuracy of each size if `size` is None.
    neuron_ : MODNClassifier
        The neuron that it was learned from; None with start="nothing".
    classes_ : ndarray (C,)
        The labels, sorted.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from modn import CircuitClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CircuitClassifier(size=4, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9, model.circuit_.n_conditions <= 4
    (True, True)
    """

    allowed: ClassVar[dict[str, Constraint]] = making.ALLOWED | {
        "start": OneOf(("neuron", "nothing")),
        "random_state": RandomState(),
    }

    def __init__(
        self,
        size: int | str | None = None,
        start: str = "neuron",
        monotone: Mapping[str, int] | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.size = size
        self.start = start
        self.monotone = monotone
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from samples X (N, D) with labels y (N,)."""
        check_all(self.get_params(deep=False), self.allowed, "CircuitClassifier: ")
        samples = self._validated(X, reset=True)
        labels = _check_y(y, multi_output=False, y_numeric=False)
        check_classification_targets(labels)
        check_consistent_length(samples, labels)
        classes, codes = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(
                "CircuitClassifier needs samples of at least 2 classes; "
                f"y has 1 class, {classes.tolist()[0]!r}"
            )
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        coding = Coding.of(samples)
        values = coding.values(samples)
        neuron, teacher = None, None
        if self.start == "neuron":
            filled = _filled(values)
            neuron = MODNClassifier(random_state=seed).fit(filled, labels)
            teacher = Teacher(neuron, filled, labels, list(range(values.shape[1])))
        problem = Problem(coding, values, codes, classes, teacher, self.monotone)
        self.circuit_ = making.fitted_circuit(problem, samples, labels, self.size, seed)
        self.classes_, self.neuron_ = classes, neuron
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class (N,) of each sample."""
        check_is_fitted(self)
        return self.circuit_.predict(self._validated(X, reset=False))

    def decision_function(self, X: ArrayLike) -> NDArray[Any]:
        """The scores of the classes (N, C); of two classes (N,), the second less the first."""
        check_is_fitted(self)
        scores = self.circuit_.scores(self._validated(X, reset=False))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def _validated(self, X: Any, reset: bool) -> Any:
        """The samples: a data frame as it is, anything else as an array of numbers or of objects."""
        if hasattr(X, "iloc"):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        array = np.asarray(X) if isinstance(X, list | tuple) else X
        texts = getattr(array, "dtype", None) is not None and array.dtype.kind in "OU"
        return validate_data(
            self, array, dtype=object if texts else np.float64, ensure_all_finite="allow-nan", reset=reset
        )


def _filled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The columns for the neuron: a missing value becomes the column's mean."""
    known = ~np.isnan(values)
    mean = np.where(known, values, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.where(known, values, mean)
