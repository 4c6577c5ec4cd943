"""Target cells: what follows the telodendra, one for each kind of task.

The potentials of the telodendra are U = alpha_t (w_t V - theta_t). A target cell turns them into the outputs
O of the neuron, and says what they cost on a sample:

    softmax    classes: O = softmax(tanh U) (Eqs. 8 and 9), cross-entropy (Eq. 10)
    sigmoid    labels, several at once: O = sigmoid(U), the sum of the labels' cross-entropies
    identity   numbers: O = U, half of the sum of the squared errors

This is the readable truth in float64; `modn.fast.heads` computes the same for whole populations. What a
sample asks of the kernels is a row of numbers; the rows of equal samples are added up.

>>> target_cell("sigmoid").outputs(np.array([[0.0, 100.0]]))
array([[0.5, 1. ]])
>>> target_cell("ordinal")
Traceback (most recent call last):
    ...
ValueError: target is 'ordinal'; allowed: identity, sigmoid, softmax
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from modn.constraints import OneOf, check
from modn.validation import class_indices, finite_array, label_indicators

Array = NDArray[np.float64]

TEMPERATURES = 2.0 ** (np.arange(9) / -2)  # 1 to 1/16


class Asked(NamedTuple):
    """What R distinct samples ask of the kernels."""

    rows: Array  # (R, K)
    weight: float  # of all samples
    unavoidable: float  # loss, where equal samples have different targets and one number is kept for them


class Target(ABC):
    """A target cell. Shapes: N samples, C outputs; y (N,) or (N, C) is what the samples should have."""

    name: ClassVar[str]
    head: ClassVar[str]  # its loss and gradient in `modn.fast.heads`
    descent_head: ClassVar[str]  # that of `descent_losses`
    tempered: ClassVar[bool] = True  # the scale of the potentials changes no decision
    first_w_t: ClassVar[float] = 3.0  # of a descent: a dendrite that opens changes the odds by e^3

    @abstractmethod
    def check_y(self, y: ArrayLike, n_samples: int, n_outputs: int) -> NDArray[Any]:
        """Return y as an array, or raise a ValueError that says what is allowed."""

    @abstractmethod
    def outputs(self, U: Array) -> Array:
        """O (N, C)."""

    @abstractmethod
    def losses(self, U: Array, y: NDArray[Any]) -> Array:
        """The loss (N,) of each sample."""

    @abstractmethod
    def gradient(self, U: Array, y: NDArray[Any]) -> Array:
        """The derivative (N, C) of each sample's loss by U."""

    def descent_losses(self, U: Array, y: NDArray[Any]) -> Array:
        """The losses (N,) that a descent minimises: those of the outputs, unless they are flat."""
        return self.losses(U, y)

    def held_out_loss(self, U: Array, y: NDArray[Any], weight: Array | None = None) -> float:
        """How good potentials are for samples that took no part in training.

        Overconfidence, which changes no decision, does not count: the loss is that at the best temperature.
        """
        scales = TEMPERATURES if self.tempered else [1.0]
        return min(float(np.average(self.descent_losses(t * U, y), weights=weight)) for t in scales)

    @abstractmethod
    def examples(self, y: NDArray[Any], output: int) -> NDArray[np.bool_]:
        """The samples (N,) that a dendrite of this output may start around."""

    @abstractmethod
    def ask(self, y: NDArray[Any], n_outputs: int, weight: Array | None) -> Array:
        """What each sample asks of the kernels (N, K); the rows of equal samples are added up."""

    def merged(self, sums: Array) -> Asked:
        """What the distinct samples ask, given the sums (R, K) over equal ones; the last is the weight."""
        return Asked(sums, float(sums[:, -1].sum()), 0.0)


class Softmax(Target):
    """One of C classes: y (N,) holds their indices."""

    name = "softmax"
    head = "MODN"
    descent_head = "POTENTIALS"

    def check_y(self, y: ArrayLike, n_samples: int, n_outputs: int) -> NDArray[np.int64]:
        """Class indices (N,)."""
        return class_indices("y", y, n_samples, n_outputs)

    def outputs(self, U: Array) -> Array:
        """The probability of each class (Eqs. 8 and 9); |R| <= 1, so that nothing can overflow."""
        exp_R = np.exp(np.tanh(U))
        return exp_R / exp_R.sum(axis=1, keepdims=True)

    def losses(self, U: Array, y: NDArray[np.int64]) -> Array:
        """Eq. 10."""
        return self.descent_losses(np.tanh(U), y)

    def gradient(self, U: Array, y: NDArray[np.int64]) -> Array:
        """(O - O_hat) dR/dU."""
        return (self.outputs(U) - np.eye(U.shape[1])[y]) * (1 - np.tanh(U) ** 2)

    def descent_losses(self, U: Array, y: NDArray[np.int64]) -> Array:
        """Those of softmax(U): it has the same arg max, and a slope where tanh has none."""
        return np.logaddexp.reduce(U, axis=1) - U[np.arange(len(y)), y]

    def examples(self, y: NDArray[np.int64], output: int) -> NDArray[np.bool_]:
        """Those of the class."""
        return y == output

    def ask(self, y: NDArray[np.int64], n_outputs: int, weight: Array | None) -> Array:
        """The weight in the column of the class (N, C)."""
        rows = np.zeros((len(y), n_outputs))
        rows[np.arange(len(y)), y] = 1.0 if weight is None else weight
        return rows

    def merged(self, sums: Array) -> Asked:
        """The weight of each class."""
        return Asked(sums, float(sums.sum()), 0.0)


class Sigmoid(Target):
    """Any of C labels: y (N, C) is 1 where a sample has the label, else 0."""

    name = "sigmoid"
    head = descent_head = "SIGMOID"

    def check_y(self, y: ArrayLike, n_samples: int, n_outputs: int) -> Array:
        """Indicators (N, C)."""
        return label_indicators("y", y, n_samples, n_outputs)

    def outputs(self, U: Array) -> Array:
        """The probability of each label."""
        return expit(U)

    def losses(self, U: Array, y: Array) -> Array:
        """-log of the probability of what is the case, summed over the labels."""
        return (np.logaddexp(0.0, U) - y * U).sum(axis=1)

    def gradient(self, U: Array, y: Array) -> Array:
        """O - y."""
        return self.outputs(U) - y

    def examples(self, y: Array, output: int) -> NDArray[np.bool_]:
        """Those with the label."""
        return y[:, output] == 1

    def ask(self, y: Array, n_outputs: int, weight: Array | None) -> Array:
        """The weight for each label that a sample has, and the weight (N, C + 1)."""
        weights = np.ones((len(y), 1)) if weight is None else weight[:, None]
        return np.concatenate([weights * y, weights], axis=1)


class Identity(Target):
    """C numbers: y (N, C)."""

    name = "identity"
    head = descent_head = "IDENTITY"
    tempered = False
    first_w_t = 0.2  # a dendrite that opens adds a fifth of a standard deviation

    def check_y(self, y: ArrayLike, n_samples: int, n_outputs: int) -> Array:
        """Finite numbers (N, C)."""
        return finite_array("y", y, (n_samples, n_outputs))

    def outputs(self, U: Array) -> Array:
        """The potentials themselves."""
        return U

    def losses(self, U: Array, y: Array) -> Array:
        """Half of the squared errors, summed over the outputs."""
        return ((U - y) ** 2).sum(axis=1) / 2

    def gradient(self, U: Array, y: Array) -> Array:
        """O - y."""
        return U - y

    def examples(self, y: Array, output: int) -> NDArray[np.bool_]:
        """All."""
        return np.ones(len(y), dtype=bool)

    def ask(self, y: Array, n_outputs: int, weight: Array | None) -> Array:
        """The numbers and their squares, times the weight, and the weight (N, 2C + 1)."""
        weights = np.ones((len(y), 1)) if weight is None else weight[:, None]
        return np.concatenate([weights * y, weights * y**2, weights], axis=1)

    def merged(self, sums: Array) -> Asked:
        """The mean of each number, and the weight (R, C + 1).

        The squared error to the mean is all that a neuron can change; the spread around it is unavoidable.
        """
        n_outputs = sums.shape[1] // 2
        weight = sums[:, -1:]
        mean = np.divide(sums[:, :n_outputs], weight, out=np.zeros((len(sums), n_outputs)), where=weight > 0)
        spread = sums[:, n_outputs:-1] - weight * mean**2
        rows = np.concatenate([mean, weight], axis=1)
        return Asked(rows, float(weight.sum()), float(np.maximum(spread, 0.0).sum()) / 2)


SOFTMAX, SIGMOID, IDENTITY = Softmax(), Sigmoid(), Identity()
TARGETS: dict[str, Target] = {cell.name: cell for cell in (SOFTMAX, SIGMOID, IDENTITY)}


def target_cell(name: str) -> Target:
    """The target cell with this name."""
    check("target", name, OneOf(TARGETS))
    return TARGETS[name]
