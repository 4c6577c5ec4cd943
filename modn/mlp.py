"""The two-layer perceptron of the paper's comparison: sigmoid hidden units, softmax output, Eq. 10's loss.

The paper's text gives the layers, the softmax and the cross-entropy; the sigmoid is our choice, the
activation of its reference for the perceptron (Rumelhart et al. 1986).

Parameters: [W_1 row-major | b_1 | W_2 row-major | b_2].
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax

from modn.validation import finite_array

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MLP:
    """One trained perceptron."""

    W_1: Array  # (D, M) weights of the hidden units
    b_1: Array  # (M,)
    W_2: Array  # (M, C) weights of the outputs
    b_2: Array  # (C,)

    def __post_init__(self) -> None:
        W_1 = finite_array("W_1", self.W_1, ("n_features", "n_hidden"))
        W_2 = finite_array("W_2", self.W_2, (W_1.shape[1], "n_classes"))
        checked = {
            "W_1": W_1,
            "b_1": finite_array("b_1", self.b_1, W_1.shape[1:]),
            "W_2": W_2,
            "b_2": finite_array("b_2", self.b_2, W_2.shape[1:]),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def predict_proba(self, X: ArrayLike) -> Array:
        """O (N, C): the probability of each class."""
        X = finite_array("X", X, ("n_samples", len(self.W_1)))
        return softmax(expit(X @ self.W_1 + self.b_1) @ self.W_2 + self.b_2, axis=1)

    def parameters(self) -> Array:
        """Return the row [W_1 row-major | b_1 | W_2 row-major | b_2]."""
        return np.concatenate([self.W_1.ravel(), self.b_1, self.W_2.ravel(), self.b_2])

    @classmethod
    def from_parameters(cls, parameters: ArrayLike, n_features: int, n_hidden: int, n_classes: int) -> "MLP":
        """Build the perceptron from its row of parameters."""
        D, M, C = n_features, n_hidden, n_classes
        row = finite_array("parameters", parameters, (D * M + M + M * C + C,))
        W_1, b_1, W_2, b_2 = np.split(row, np.cumsum([D * M, M, M * C]))
        return cls(W_1.reshape(D, M), b_1, W_2.reshape(M, C), b_2)
