"""Probabilities one can rely on: the softmax of a neuron's potentials at the right temperature.

Eq. 9 is the softmax of values in [-1, 1]: no probability can exceed e^2 / (e^2 + C - 1). The potentials
U = alpha_t (w_t V - theta_t), which Eq. 8 takes the tanh of, have no such limit, but their scale is
arbitrary. One number sets it: the t that minimises the loss of softmax(t U) on samples that the neuron was
not trained on. It changes no decision.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

Array = NDArray[np.float64]

LOWEST, HIGHEST = 1e-3, 1e3  # temperatures


def best_temperature(U: Array, y: NDArray[np.int64], weight: Array | None = None) -> float:
    """The t > 0 with the lowest loss of softmax(t U), for potentials U (N, C) of samples of the classes y.

    As if one sample more had been seen of each class, where nothing is known of it: a neuron that is right
    about all of a few samples is not certain of the next.
    """
    from scipy.optimize import minimize_scalar

    weights = np.ones(len(y)) if weight is None else weight
    C = U.shape[1]
    spread = C / (weights.sum() + C)
    gap = (1 - spread) * U[np.arange(len(y)), y] + spread * U.mean(axis=1)

    def loss(log_t: float) -> float:
        t = np.exp(log_t)
        return float(np.average(np.logaddexp.reduce(t * U, axis=1) - t * gap, weights=weights))

    found = minimize_scalar(loss, bounds=np.log([LOWEST, HIGHEST]), method="bounded")
    return float(np.exp(found.x))


def probabilities(U: Array, temperature: float | None) -> Array:
    """softmax(t U) of potentials (N, C); Eq. 9 if there is no temperature."""
    return softmax(np.tanh(U) if temperature is None else temperature * U, axis=1)
