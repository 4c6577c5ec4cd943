"""The multi-in and multi-out dendritic neuron (MODN): Eqs. 1, 2, 5, 8 and 9 of the paper, one method each.

This is the readable truth in float64; `modn.fast.objective` computes the same loss for whole populations.
Shapes: N samples, D features, M dendrites, C outputs. A NaN in X is a missing value: it says nothing, and its
synapses are 1.

The paper's neuron ends in a softmax, for classes. Other target cells serve labels and numbers
(`modn.targets`), and a neuron may have strengths: how much, and with what sign, each dendrite feeds each
output that its row of P chooses.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from modn.filters import dendrite_states
from modn.targets import IDENTITY, SOFTMAX, target_cell
from modn.validation import boolean_filter, finite_array, positive_integer, positive_number

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Neuron:
    """One neuron: its synapses, the filter that wires dendrites to outputs, and its telodendra.

    >>> from modn import Neuron
    >>> neuron = Neuron(  # one feature; the first class wants x > 0.5, the second x < 0.5
    ...     w_s=[[1.0, -1.0]],
    ...     theta_s=[[0.5, -0.5]],
    ...     P=[[True, False], [False, True]],
    ...     w_t=[2.0, 2.0],
    ...     theta_t=[1.0, 1.0],
    ...     alpha_s=10.0,
    ...     alpha_t=1.0,
    ... )
    >>> neuron.synapse_states().tolist()
    [['excitatory', 'inhibitory']]
    >>> neuron.predict_proba([[0.9], [0.2]]).argmax(axis=1).tolist()
    [0, 1]
    """

    w_s: Array  # (D, M) weight of each synapse
    theta_s: Array  # (D, M) threshold of each synapse
    P: NDArray[np.bool_]  # (M, C) preference filter
    w_t: Array  # (C,) weight of each telodendron
    theta_t: Array  # (C,) threshold of each telodendron
    alpha_s: float  # synaptic scaling factor
    alpha_t: float  # telodendron scaling factor
    target: str = SOFTMAX.name  # the target cell
    strength: Array | None = None  # (M, C) of each dendrite for each output; None: all are 1

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
            "target": target_cell(self.target).name,
        }
        if self.strength is not None:
            checked["strength"] = finite_array("strength", self.strength, P.shape)
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

    @property
    def feeds(self) -> Array | NDArray[np.bool_]:
        """What each dendrite feeds each output (M, C): P, times the strengths if there are any."""
        return self.P if self.strength is None else self.P * self.strength

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
        # einsum, not @: BLAS sums in another order on another processor
        return np.einsum("nm,mc->nc", self.dendrites(X), self.feeds)

    def potentials(self, X: ArrayLike) -> Array:
        """U (N, C): the weighted soma signal, which Eq. 8 takes the tanh of."""
        with np.errstate(over="ignore"):  # tanh(inf) = 1 is the right limit
            return self.alpha_t * (self.w_t * self.soma(X) - self.theta_t)

    def telodendra(self, X: ArrayLike) -> Array:
        """R (N, C): tanh of the potentials (Eq. 8)."""
        return np.tanh(self.potentials(X))

    def outputs(self, X: ArrayLike) -> Array:
        """O (N, C): what the target cell makes of the potentials; probabilities or numbers."""
        return target_cell(self.target).outputs(self.potentials(X))

    def predict_proba(self, X: ArrayLike) -> Array:
        """O (N, C) as probabilities: of classes, the softmax of the telodendra (Eq. 9), or of labels."""
        if self.target == IDENTITY.name:
            raise ValueError(f"target is {self.target!r}: numbers have no probabilities; use `outputs`")
        return self.outputs(X)

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
        """Return the row [w_s row-major | theta_s | w_t | theta_t] of 2DM + 2C numbers, and M C strengths."""
        strength = np.empty(0) if self.strength is None else self.strength.ravel()
        return np.concatenate([self.w_s.ravel(), self.theta_s.ravel(), self.w_t, self.theta_t, strength])

    @classmethod
    def from_parameters(
        cls,
        parameters: ArrayLike,
        P: ArrayLike,
        n_features: int,
        alpha_s: float,
        alpha_t: float,
        target: str = SOFTMAX.name,
        strengths: bool = False,
    ) -> "Neuron":
        """Build the neuron from its filter P and its row of parameters, which may end in strengths."""
        P = boolean_filter("P", P)
        D = positive_integer("n_features", n_features)
        M, C = P.shape
        row = finite_array("parameters", parameters, (2 * D * M + 2 * C + (M * C if strengths else 0),))
        w_s, theta_s, w_t, theta_t, rest = np.split(row, np.cumsum([D * M, D * M, C, C]))
        strength = rest.reshape(M, C) if strengths else None
        shape = (D, M)
        return cls(
            w_s.reshape(shape), theta_s.reshape(shape), P, w_t, theta_t, alpha_s, alpha_t, target, strength
        )

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
