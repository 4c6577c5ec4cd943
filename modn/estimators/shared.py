"""What the classifiers share: classes, their weights, and calibrated probabilities."""

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from modn.calibration import best_temperature, probabilities
from modn.constraints import Constraint, OrNone
from modn.estimators.base import Array, DendriticEstimator, Solution
from modn.estimators.parameters import ClassWeight
from modn.estimators.samples import as_labels, read_training_set, weights_of
from modn.methods import HeldOut

DENDRITES_PER_CLASS = 10  # M = 10 C, as in the paper's comparison of optimizers


class DendriticClassifier(ClassifierMixin, DendriticEstimator):
    """A classifier around neurons; a subclass adds the problem to solve and the neuron of its solution."""

    classes_: NDArray[Any]

    allowed: ClassVar[dict[str, Constraint]] = DendriticEstimator.allowed | {
        "class_weight": OrNone(ClassWeight()),
    }

    def decision_function(self, X: ArrayLike) -> Array:
        """The mean potentials of the neurons (N, C); for two classes, their difference (N,)."""
        U = self._potentials(X)
        return U[:, 1] - U[:, 0] if len(self.classes_) == 2 else U

    def predict_proba(self, X: ArrayLike) -> Array:
        """The probability of each class (N, C), in the order of `classes_`.

        These are calibrated: the softmax of the potentials at the temperature that `fit` found.
        `neuron_.predict_proba(inputs_.transform(X))` is the paper's Eq. 9.
        """
        return probabilities(self._potentials(X), self.temperature_)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The most probable class (N,) of each sample."""
        proba = self.predict_proba(X)
        return self.classes_[proba.argmax(axis=1)]

    @abstractmethod
    def _rescaled(self, neuron: Any, factor: float) -> Any:
        """The neuron with all potentials multiplied by a factor."""

    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        self._check_parameters()
        samples, labels, weights = read_training_set(self, X, y, sample_weight, as_labels)
        check_classification_targets(labels)
        counted = weights > 0
        classes, codes = np.unique(labels[counted], return_inverse=True)
        self._check_classes(classes, labels)
        own = weights[counted] * weights_of(self.class_weight, classes, codes, weights[counted])
        if self._continues:
            self._check_continuity(len(classes), {"classes": (self.classes_.tolist(), classes.tolist())})
        solution = self._solve(samples, weights, codes, own, len(classes), self._starts())
        self._keep(solution, self._calibrated(solution))
        self.classes_ = classes
        return self

    def _calibrated(self, solution: Solution) -> list[Any]:
        """The neurons at one temperature: the others are brought to the scale of the first."""
        temperatures = [
            self._temperature(
                trained.held_out
                or HeldOut(self._potentials_of(neuron, solution.rows), solution.wanted, solution.weights)
            )
            for trained, neuron in zip(solution.trainings, solution.neurons, strict=True)
        ]
        self.temperature_ = temperatures[0]
        first, *others = solution.neurons
        factors = [t / self.temperature_ for t in temperatures[1:]]
        return [first, *(self._rescaled(n, factor) for n, factor in zip(others, factors, strict=True))]

    def _temperature(self, held_out: HeldOut) -> float:
        return best_temperature(*held_out)

    def _check_classes(self, classes: NDArray[Any], labels: NDArray[Any]) -> None:
        if len(classes) < 2:
            name, only = type(self).__name__, classes.tolist()[0]
            raise ValueError(f"{name} needs samples of at least 2 classes; y has 1 class, {only!r}")

    def _n_dendrites(self, n_outputs: int, target: str) -> int:
        return DENDRITES_PER_CLASS * n_outputs if self.n_dendrites is None else int(self.n_dendrites)
