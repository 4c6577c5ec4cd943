"""Gradients of the loss with respect to the flat row of parameters, in readable float64.

`exact` is the true gradient of the loss: Eq. 10, or that of another target cell. `published` is Eqs. 15-22 to
the letter, which is another thing:

- only the telodendron of a sample's true class gets a gradient (Eqs. 15, 16), and in MODNP only the dendrites
  of that class (Eqs. 17, 18); the softmax's coupling of the outputs is left out;
- Eqs. 17 and 18 have the sign of the synapses' gradient flipped, so that MODNP's synapses move away from the
  optimum (compare Eqs. 21 and 22, which are right);
- while training, a synapse with Y < 1e-6 counts as Y = 1, in every layer behind it too.

Both are returned as gradients to *descend*: `parameters -= learning_rate * gradient` is the update of
Eqs. 11-14, which are written as an ascent on the log-likelihood.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn.constraints import OneOf, check
from modn.neuron import Neuron
from modn.targets import SOFTMAX, target_cell
from modn.validation import class_indices

# The paper's footnote: while training with BP, a synapse with a smaller output counts as 1.
DYING_THRESHOLD = 1e-6

Array = NDArray[np.float64]


def exact(neuron: Neuron, X: ArrayLike, y: ArrayLike) -> Array:
    """Return the gradient of the loss (of classes: Eq. 10), laid out as `neuron.parameters()`."""
    X = neuron._inputs(X)
    cell = target_cell(neuron.target)
    y = cell.check_y(y, len(X), neuron.n_classes)
    Y, Z, feeds = neuron.synapses(X), neuron.dendrites(X), neuron.feeds
    dU = neuron.alpha_t * cell.gradient(neuron.potentials(X), y) / len(X)  # by w_t V - theta_t
    dV = dU * neuron.w_t
    # dZ_j / da_ij = Z_j (1 - Y_ij): no synapse can die, because nothing is divided by Y
    da = (dV @ feeds.T * Z)[:, None, :] * (1 - Y)
    row = _row(neuron, X, da, dU * (Z @ feeds), dU)
    return row if neuron.strength is None else np.concatenate([row, (neuron.P * (Z.T @ dV)).ravel()])


def published(neuron: Neuron, X: ArrayLike, y: ArrayLike, filter: str, revive: bool = True) -> Array:
    """Return minus the mean over samples of Eqs. 15-18 (`filter="partition"`) or 15, 16, 19-22 (`"full"`).

    `revive=False` leaves out the rule for Y < 1e-6: it shows the dying dendrites of Proposition 1.
    """
    if neuron.target != SOFTMAX.name or neuron.strength is not None:
        raise ValueError("Eqs. 15-22 are for a neuron whose target is 'softmax', without strengths")
    X = neuron._inputs(X)
    y = class_indices("y", y, len(X), neuron.n_classes)
    check_published_filter(filter, neuron.P)

    Y = neuron.synapses(X)
    if revive:
        Y = np.where(Y < DYING_THRESHOLD, 1.0, Y)
    Z = Y.prod(axis=1)
    V = Z @ neuron.P
    with np.errstate(over="ignore"):
        R = np.tanh(neuron.alpha_t * (neuron.w_t * V - neuron.theta_t))
    O = np.exp(R) / np.exp(R).sum(axis=1, keepdims=True)  # noqa: E741
    O_hat = np.eye(neuron.n_classes)[y]

    slope = neuron.alpha_t * (1 - R**2)
    dl_dU = O_hat * (1 - O) * slope  # Eqs. 15 and 16: V times it, and minus it
    # Eqs. 17 and 18 have the other sign; Eqs. 19-22 are sum_c O_hat_c (dR_c - sum_s O_s dR_s)
    dl_dR = -O_hat * (1 - O) if filter == "partition" else O_hat - O
    dl_dV = dl_dR * slope * neuron.w_t
    dl_da = (dl_dV @ neuron.P.T * Z)[:, None, :] * (1 - Y)
    N = len(X)
    return _row(neuron, X, -dl_da / N, -dl_dU * V / N, -dl_dU / N)


def check_published_filter(filter: str, P: NDArray[np.bool_]) -> None:
    """Refuse a filter that Eqs. 15-22 are not written for."""
    check("filter", filter, OneOf(("partition", "full")))  # Eqs. 17 and 18, Eqs. 19-22
    if filter == "full" and not P.all():
        raise ValueError("P has a False; allowed: for filter='full' (Eqs. 19-22, MODNF), only True")
    if filter == "partition" and not (P.sum(axis=-1) == 1).all():
        raise ValueError(
            "P has a dendrite with no or several outputs; "
            "allowed: for filter='partition' (Eqs. 17 and 18, MODNP), one True per dendrite"
        )


def _row(neuron: Neuron, X: Array, da: Array, dw_t: Array, dU: Array) -> Array:
    """Sum over the samples and lay out as a row of parameters; a = alpha_s (w_s x - theta_s).

    The synapses of a missing value are 1, where `da` is 0.
    """
    dw_s = neuron.alpha_s * np.einsum("nd,ndm->dm", np.nan_to_num(X), da)
    dtheta_s = -neuron.alpha_s * da.sum(axis=0)
    return np.concatenate([dw_s.ravel(), dtheta_s.ravel(), dw_t.sum(axis=0), -dU.sum(axis=0)])
