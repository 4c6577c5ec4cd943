"""What each dendrite of a neuron adds to the potential of each class."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from modn.neuron import Neuron
from modn.scaling import from_unit, to_unit

Array = NDArray[np.float64]


def contributions(model: Any, X: ArrayLike) -> Array:
    """What each dendrite adds to the potential of each class (N, M, C), for a fitted MODNClassifier.

    The potential of a class, which the tanh of Eq. 8 is taken of, is the sum over the dendrites minus
    alpha_t theta_t.
    """
    neuron: Neuron = model.neuron_
    return neuron.dendrites(scaled(model, X))[:, :, None] * (neuron.alpha_t * neuron.w_t * neuron.P)


def potentials(model: Any, X: ArrayLike) -> Array:
    """The potential of each class (N, C): alpha_t (w_t V - theta_t)."""
    neuron: Neuron = model.neuron_
    return neuron.alpha_t * (neuron.w_t * neuron.soma(scaled(model, X)) - neuron.theta_t)


def scaled(model: Any, X: ArrayLike) -> Array:
    """The inputs of the model's neuron (N, D)."""
    check_is_fitted(model)
    samples = validate_data(model, X, dtype=np.float64, reset=False)
    return to_unit(samples, model.data_min_, model.data_max_)


def input_columns(model: Any) -> list[tuple[int, str | None]]:
    """What each input of the model's neuron is: a feature, and the category that it stands for."""
    return [(i, None) for i in range(model.n_features_in_)]


def own_units(model: Any, column: int, values: Array) -> Array:
    """Values of one input of the neuron in the units of its feature."""
    return from_unit(values, model.data_min_[column], model.data_max_[column])
