"""The dendritic neuron model (DNM, Eqs. 1-4), which MODN generalises: one output, for two classes.

Its synapses and dendrites are those of a MODN whose filter lets the only output listen to every dendrite;
then comes a sigmoid with fixed alpha_o and theta_o instead of telodendra and softmax.

Parameters: [w_s | theta_s].
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from modn import filters
from modn.neuron import Neuron
from modn.validation import finite_array, finite_number, positive_integer, positive_number

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DNM:
    """One dendritic neuron with a single output, the probability of class 1."""

    w_s: Array  # (D, M) weight of each synapse
    theta_s: Array  # (D, M) threshold of each synapse
    alpha_s: float  # synaptic scaling factor
    alpha_o: float  # scaling factor of the soma
    theta_o: float  # threshold of the soma

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha_o", positive_number("alpha_o", self.alpha_o))
        object.__setattr__(self, "theta_o", finite_number("theta_o", self.theta_o))
        for name in ("w_s", "theta_s", "alpha_s"):
            object.__setattr__(self, name, getattr(self.neuron, name))

    @property
    def neuron(self) -> Neuron:
        """The MODN with the same synapses and dendrites, whose only telodendron has the same potential."""
        w_s = finite_array("w_s", self.w_s, ("n_features", "n_dendrites"))
        P = filters.full(w_s.shape[1], 1)
        return Neuron(w_s, self.theta_s, P, np.ones(1), np.full(1, self.theta_o), self.alpha_s, self.alpha_o)

    def membrane(self, X: ArrayLike) -> Array:
        """V (N,): the sum of all dendrites (Eq. 3)."""
        return self.neuron.soma(X)[:, 0]

    def potential(self, X: ArrayLike) -> Array:
        """alpha_o (V - theta_o) (N,): the exponent of Eq. 4."""
        with np.errstate(over="ignore"):
            return self.alpha_o * (self.membrane(X) - self.theta_o)

    def soma(self, X: ArrayLike) -> Array:
        """O (N,): the probability of class 1 (Eq. 4)."""
        return expit(self.potential(X))

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the probabilities of classes 0 and 1 (N, 2)."""
        potential = self.potential(X)
        return np.stack([expit(-potential), expit(potential)], axis=1)

    def parameters(self) -> Array:
        """Return the row [w_s row-major | theta_s] of 2DM numbers."""
        return np.concatenate([self.w_s.ravel(), self.theta_s.ravel()])

    @classmethod
    def from_parameters(
        cls, parameters: ArrayLike, n_features: int, alpha_s: float, alpha_o: float, theta_o: float
    ) -> "DNM":
        """Build the neuron from its row of parameters."""
        D = positive_integer("n_features", n_features)
        row = finite_array("parameters", parameters, ("2 * n_features * n_dendrites",))
        if len(row) % (2 * D):
            raise ValueError(f"parameters has the shape ({len(row)},); allowed: a multiple of {2 * D}")
        w_s, theta_s = row.reshape(2, D, -1)
        return cls(w_s, theta_s, alpha_s, alpha_o, theta_o)
