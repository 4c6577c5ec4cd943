"""The multi-in and multi-out dendritic neuron (MODN): Eqs. 1, 2, 5, 8 and 9 of the paper, one method each.

This is the readable truth in float64; `modn.fast.objective` computes the same loss for whole populations.
Shapes: N samples, D features, M dendrites, C outputs. A NaN in X is a missing value: it says nothing, and its
synapses are 1.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from modn.filters import dendrite_states
from modn.validation import boolean_filter, finite_array, positive_integer, positive_number

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Neuron:
    """One neuron: its synapses, the filter that wires dendrites to outputs, and its telodendra."""

    w_s: Array  # (D, M) weight of each synapse
    theta_s: Array  # (D, M) threshold of each synapse
    P: NDArray[np.bool_]  # (M, C) preference filter
    w_t: Array  # (C,) weight of each telodendron
    theta_t: Array  # (C,) threshold of each telodendron
    alpha_s: float  # synaptic scaling factor
    alpha_t: float  # telodendron scaling factor

    def __post_init__(self) -> None:
        w_s = finite_array("w_s", self.w_s, ("n_features", "n_dendrites"))
        P = boolean_filter("P", self.P, (w_s.shape[1], "n_classes"))
        checked = {
            "w_s": w_s,
            "theta_s": finite_array("theta_s", self.theta_s, w_s.shape),
            "P": P,
            "w_t": finite_array("w_t", self.w_t, (P.shape[1],)),
            "theta_t": finite_array("theta_t", self.theta_t, (P.shape[1],)),
            "alpha_s": positive_number("alpha_s", self.alpha_s),
            "alpha_t": positive_number("alpha_t", self.alpha_t),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def n_features(self) -> int:
        """D, the number of inputs."""
        return self.w_s.shape[0]

    @property
    def n_dendrites(self) -> int:
        """M, the number of dendrites."""
        return self.w_s.shape[1]

    @property
    def n_classes(self) -> int:
        """C, the number of outputs."""
        return self.P.shape[1]

    # The layers

    def synapses(self, X: ArrayLike) -> Array:
        """Y (N, D, M): each synapse is a sigmoid of one input (Eq. 1)."""
        X = self._inputs(X)
        return expit(np.stack([self._synapse_potentials(X, i) for i in range(self.n_features)], axis=1))

    def dendrites(self, X: ArrayLike) -> Array:
        """Z (N, M): each dendrite is the product of its synapses (Eq. 2), taken as a sum of logarithms.

        log Y = -log(1 + exp(-a)) keeps every digit where the product itself would underflow to 0.
        """
        return np.exp(self.log_dendrites(X))

    def log_dendrites(self, X: ArrayLike) -> Array:
        """log Z (N, M): minus infinity only where a potential has overflowed."""
        X = self._inputs(X)
        log_Z = np.zeros((len(X), self.n_dendrites))
        for i in range(self.n_features):
            log_Z -= np.logaddexp(0.0, -self._synapse_potentials(X, i))
        return log_Z

    def soma(self, X: ArrayLike) -> Array:
        """V (N, C): each output sums the dendrites its column of P chooses (Eq. 5)."""
        return self.dendrites(X) @ self.P

    def telodendra(self, X: ArrayLike) -> Array:
        """R (N, C): tanh of the weighted soma signal (Eq. 8)."""
        with np.errstate(over="ignore"):  # tanh(inf) = 1 is the right limit
            return np.tanh(self.alpha_t * (self.w_t * self.soma(X) - self.theta_t))

    def predict_proba(self, X: ArrayLike) -> Array:
        """O (N, C): the softmax of the telodendra (Eq. 9); |R| <= 1, so that nothing can overflow."""
        exp_R = np.exp(self.telodendra(X))
        return exp_R / exp_R.sum(axis=1, keepdims=True)

    # What has been learnt

    def synapse_states(self) -> NDArray[np.str_]:
        """Name the state of each synapse (D, M), for inputs within [0, 1].

        excitatory 0 < theta < w, inhibitory w < theta < 0; every other synapse is constant: 1 where its
        output at the middle of the range, x = 1/2, is at least 1/2 (w / 2 >= theta), else 0. Off the borders
        w = theta, w = 0 and theta = 0 these are the paper's definitions; on them the paper is silent and the
        rule decides (a synapse with w = theta = 0, whose output is always 1/2, counts as constant-1).
        """
        w, theta = self.w_s, self.theta_s
        excitatory = (theta > 0) & (w > theta)
        inhibitory = (theta < 0) & (w < theta)
        return np.select(
            [excitatory, inhibitory, 0.5 * w >= theta],
            ["excitatory", "inhibitory", "constant-1"],
            default="constant-0",
        )

    def dendrite_states(self) -> NDArray[np.str_]:
        """Name the state of each dendrite (M,): inoperative, exclusive or communal."""
        return dendrite_states(self.P)

    # The flat row of parameters that optimizers work on

    def parameters(self) -> Array:
        """Return the row [w_s row-major | theta_s | w_t | theta_t] of 2DM + 2C numbers."""
        return np.concatenate([self.w_s.ravel(), self.theta_s.ravel(), self.w_t, self.theta_t])

    @classmethod
    def from_parameters(
        cls, parameters: ArrayLike, P: ArrayLike, n_features: int, alpha_s: float, alpha_t: float
    ) -> "Neuron":
        """Build the neuron from its filter P and its row of parameters."""
        P = boolean_filter("P", P)
        D = positive_integer("n_features", n_features)
        M, C = P.shape
        row = finite_array("parameters", parameters, (2 * D * M + 2 * C,))
        w_s, theta_s, w_t, theta_t = np.split(row, np.cumsum([D * M, D * M, C]))
        return cls(w_s.reshape(D, M), theta_s.reshape(D, M), P, w_t, theta_t, alpha_s, alpha_t)

    def _inputs(self, X: ArrayLike) -> Array:
        return finite_array("X", X, ("n_samples", self.n_features), missing=True)

    def _synapse_potentials(self, X: Array, i: int) -> Array:
        """alpha_s (w_s x - theta_s) of the synapses on feature i (N, M): the exponent of Eq. 1.

        That of a missing value is infinite, so that its synapses are 1.
        """
        with np.errstate(over="ignore"):  # an infinite potential saturates the sigmoid
            potentials = self.alpha_s * (np.outer(X[:, i], self.w_s[i]) - self.theta_s[i])
        potentials[np.isnan(X[:, i])] = np.inf
        return potentials
