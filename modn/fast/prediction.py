"""The potentials of a trained neuron, compiled: what predictions are made of.

The lanes of a vector are samples, each computed by itself: the result for a sample does not depend on those
beside it.
"""

# numba infers the types of compiled functions itself
# mypy: allow-untyped-defs

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn.fast.compiling import compiled
from modn.fast.dendrites import CLOSED
from modn.fast.lanes import LANES, exp2, load, minimum, multiply_add, reciprocal, splat, store
from modn.fast.packing import LARGEST, LOG2_E, clear, f32, new_vectors
from modn.neuron import Neuron


def potentials(neuron: Neuron, X: ArrayLike) -> NDArray[np.float64]:
    """Return U (N, C) = alpha_t (w_t V - theta_t), which Eq. 8 takes the tanh of; NaN in X: missing.

    Computed in float32; it needs no memory but that of the result.
    """
    X = np.require(neuron._inputs(X), requirements=["C", "W", "A"])
    w, theta = neuron.w_s, neuron.theta_s
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        # Where a feature's synapses are least decided: counted from there, float32 keeps the digits needed.
        centre = (w * theta).sum(axis=1) / (w**2).sum(axis=1)
        centre = np.where(np.isfinite(centre), centre, 0.0)
        slope, offset = -w, theta - w * centre[:, None]
        size = np.maximum(np.abs(slope), np.abs(offset)) * (neuron.alpha_s * LOG2_E)
        unit = neuron.alpha_s * LOG2_E * np.minimum(1.0, LARGEST / size)  # a saturated synapse stays so
        telodendra = neuron.alpha_t * np.stack([neuron.w_t, neuron.theta_t])
    U = np.empty((len(X), neuron.n_classes))
    coefficients = np.ascontiguousarray(np.stack([unit * slope, unit * offset]).transpose(0, 2, 1), f32)
    feeds = np.ascontiguousarray(neuron.feeds, f32)
    _potentials(X, centre, coefficients, feeds, telodendra, U)
    return U


@compiled
def _potentials(X, centre, coefficients, feeds, telodendra, U):
    """Eqs. 1, 2 and 5 of LANES samples after another.

    `exp2` takes what is no number as its lower bound: the exp(-a) of a missing value is 0, its synapse 1.
    """
    N, D = X.shape
    M, C = feeds.shape
    one = splat(1.0)
    x, V = new_vectors(D), new_vectors(C)
    for first in range(0, N, LANES):
        for i in range(D):
            for lane in range(LANES):
                distance = X[min(first + lane, N - 1), i] - centre[i]
                x[i, lane] = distance if not abs(distance) > LARGEST else np.sign(distance) * LARGEST
        clear(V, C)
        for j in range(M):
            product = one
            for i in range(D):
                slope, offset = splat(coefficients[0, j, i]), splat(coefficients[1, j, i])
                product = product * (one + exp2(multiply_add(slope, load(x, i), offset)))
            Z = reciprocal(minimum(product, splat(CLOSED)))
            for c in range(C):
                if feeds[j, c] != 0:
                    store(V, c, multiply_add(splat(feeds[j, c]), Z, load(V, c)))
        for lane in range(min(LANES, N - first)):
            for c in range(C):
                U[first + lane, c] = telodendra[0, c] * V[c, lane] - telodendra[1, c]
