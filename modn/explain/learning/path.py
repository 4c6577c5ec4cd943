"""A path of circuits from no condition to as good as the neuron, and the choice of a size.

The size is chosen by cross-validation: everything that is learned, the neuron included, is learned again in
the training part of each fold.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from modn.constraints import Integer, OneOf, check
from modn.explain.circuit import Circuit, SizePath
from modn.explain.learning import boxes, narrowing, small
from modn.explain.learning.coding import Coding
from modn.explain.learning.integers import integer_weights
from modn.explain.learning.table import Boxes, Starts, Table
from modn.explain.learning.teacher import Rows, Teacher
from modn.folds import stratified_folds

FOLDS = 5
ONE_STANDARD_ERROR = "one_standard_error"
MAX_SIZE = 60  # conditions: larger circuits are no longer read
MOST_SAMPLES = 5000  # that boxes are learned from: more change little

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Size:
    """A number of conditions, or a rule that chooses one; None: the default rule."""

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        return value is None or Integer(1).accepts(value) or OneOf((ONE_STANDARD_ERROR,)).accepts(value)

    def __str__(self) -> str:
        return f"{Integer(1)}, {ONE_STANDARD_ERROR!r}, or None"


@dataclass(frozen=True, eq=False)
class CircuitPath:
    """Circuits of increasing size, with the cross-validated accuracy of each size."""

    circuits: tuple[Circuit, ...]
    accuracy: SizePath

    def circuit(self, size: int | str | None = None) -> Circuit:
        """The best circuit with at most `size` conditions.

        By default the size that was chosen; with "one_standard_error" the smallest whose accuracy is within
        one standard error of the highest.
        """
        check("size", size, Size())
        if size is None:
            limit = self.accuracy.chosen
        else:
            limit = self.accuracy.one_standard_error if isinstance(size, str) else int(size)
        found = [circuit for circuit in self.circuits if circuit.n_conditions <= limit]
        return replace(found[-1], path=self.accuracy)

    def __str__(self) -> str:
        sizes, accuracy, errors, chosen, _ = self.accuracy
        lines = [
            f"{size:10d}  {mean:.4f} +- {error:.4f}" + "  (chosen)" * bool(size == chosen)
            for size, mean, error in zip(sizes, accuracy, errors, strict=True)
        ]
        return "\n".join(["conditions  accuracy", *lines])


@dataclass(frozen=True, eq=False)
class Problem:
    """Samples to learn circuits from."""

    coding: Coding
    values: Array  # (N, D) the columns of the coding
    codes: NDArray[np.int64]  # (N,) positions among the classes
    classes: NDArray[Any]
    teacher: Teacher | None  # None: learn from nothing
    monotone: Mapping[str, int] | None = None

    def path(self, max_size: int, rng: np.random.Generator) -> CircuitPath:
        """Learn circuits of all sizes up to `max_size`, and cross-validate them."""
        circuits = self.circuits(max_size, rng)
        sizes = np.arange(1, max(circuits[-1].n_conditions, 1) + 1)
        folds = stratified_folds(self.codes, FOLDS, rng)
        held_out = [self._held_out(folds != k, folds == k, sizes, rng) for k in np.unique(folds[folds >= 0])]
        accuracies = np.array([accuracy for accuracy, _ in held_out]).reshape(-1, len(sizes))
        neuron = float(np.mean([accuracy for _, accuracy in held_out])) if held_out else np.nan
        return CircuitPath(circuits, size_path(sizes, accuracies, neuron))

    def circuits(self, max_size: int, rng: np.random.Generator) -> tuple[Circuit, ...]:
        """Learn circuits of increasing size."""
        everything = np.arange(len(self.codes))
        coding, found = self._learn(everything, self.teacher, max_size, rng)
        return tuple(self._circuit(coding, one) for one in found)

    def _learn(
        self, rows: Rows, teacher: Teacher | None, max_size: int, rng: np.random.Generator
    ) -> tuple[Coding, list[Boxes]]:
        """The circuits of increasing size, with integer weights, learned from some of the samples."""
        if len(rows) > MOST_SAMPLES:
            rows = rng.choice(rows, MOST_SAMPLES, replace=False)
        coding = self.coding.refitted(self.values[rows])
        C, labels = len(self.classes), self.codes[rows]
        D = len(coding.columns)
        if teacher is None:
            targets, starts = np.eye(C)[labels], Starts.none(D, C)
        else:
            targets, starts = teacher.targets(rows, labels), teacher.starts(coding)
        table = Table(
            coding.codes(self.values[rows]), coding.n_codes, targets, *coding.allowed_sides(self.monotone)
        )
        use = narrowing.told_by_conditions(table) if teacher is None else teacher.use(D)
        columns = narrowing.most_used(use)
        own, starts = narrowing.narrowed(table, starts, columns)
        found = [_with_integers(one, own) for one in boxes.learn(own, starts, max_size)]
        circuits = small.improved(found, own, max_size)
        return coding, [narrowing.widened(one, columns, table.n_codes) for one in circuits]

    def _circuit(self, coding: Coding, found: Boxes) -> Circuit:
        """The circuit in the features' own units; its rules are sorted by the class that they raise most."""
        order = np.argsort(found.weights.argmax(axis=1), kind="stable")
        return Circuit(
            features=coding.features,
            classes=self.classes,
            dendrites=tuple(coding.conditions(*found.boxes[j]) for j in order),
            weights=found.weights[order].astype(np.int64),
            theta_t=found.theta_t.astype(np.int64),
        )

    def _held_out(
        self, train: NDArray[np.bool_], test: NDArray[np.bool_], sizes: Rows, rng: np.random.Generator
    ) -> tuple[Array, float]:
        """The accuracy at each size, and of the neuron, on samples that nothing was learned from."""
        train_rows, test_rows = np.flatnonzero(train), np.flatnonzero(test)
        teacher = None if self.teacher is None else self.teacher.retrained(train_rows)
        coding, found = self._learn(train_rows, teacher, int(sizes[-1]), rng)
        codes, labels = coding.codes(self.values[test_rows]), self.codes[test_rows]
        own = [one.size(coding.n_codes) for one in found]
        right = [np.mean(one.scores(codes).argmax(axis=1) == labels) for one in found]
        accuracy = np.array(right)[np.searchsorted(own, sizes, side="right") - 1]
        neuron = np.nan
        if teacher is not None:
            neuron = float(np.mean(teacher.potentials(test_rows).argmax(axis=1) == labels))
        return accuracy, neuron


def size_path(sizes: Rows, accuracies: Array, neuron: float) -> SizePath:
    """Mean and standard error over the folds (F, K), and the choice of a size.

    What is learned from a neuron does not get worse as it grows, so an increasing curve is fitted to the
    means, which evens out their noise; the smallest size at its top is chosen.
    """
    n_folds = len(accuracies)
    if n_folds < 2:
        unknown = np.full(len(sizes), np.nan)
        return SizePath(sizes, unknown, unknown, int(sizes[-1]), neuron)
    mean = accuracies.mean(axis=0)
    error = accuracies.std(axis=0, ddof=1) / np.sqrt(n_folds)
    increasing = isotonic_regression(mean)
    chosen = int(np.flatnonzero(increasing >= increasing[-1] - 1e-9)[0])
    return SizePath(sizes, mean, error, int(sizes[chosen]), neuron)


def _with_integers(found: Boxes, table: Table) -> Boxes:
    start = found.weights, found.theta_t
    weights, theta_t = integer_weights(found.held(table.codes), table.targets, start)
    return found._replace(weights=weights.astype(np.float64), theta_t=theta_t.astype(np.float64))
