"""What each dendrite of a neuron adds to the potential of each output."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from modn.neuron import Neuron

Array = NDArray[np.float64]


def contributions(model: Any, X: ArrayLike) -> Array:
    """What each dendrite adds to the potential of each output (N, M, C).

    `model` is a fitted MODNClassifier or MODNRegressor. The potential of an output, which the tanh of Eq. 8
    is taken of, is the sum over the dendrites minus alpha_t theta_t.
    """
    neuron: Neuron = model.neuron_
    return neuron.dendrites(scaled(model, X))[:, :, None] * (neuron.alpha_t * neuron.w_t * neuron.feeds)


def potentials(model: Any, X: ArrayLike) -> Array:
    """The potential of each class (N, C)."""
    neuron: Neuron = model.neuron_
    return neuron.potentials(scaled(model, X))


def scaled(model: Any, X: ArrayLike) -> Array:
    """The inputs of the model's neuron (N, D)."""
    from modn.estimators.samples import read_samples  # estimators import this module

    check_is_fitted(model)
    return model.inputs_.transform(read_samples(model, X))


def input_columns(model: Any) -> list[tuple[int, str | None]]:
    """What each input of the model's neuron is: a feature, and the category that it stands for."""
    return [tuple(column) for column in model.inputs_.columns]


def own_units(model: Any, column: int, values: Array) -> Array:
    """Values of one input of the neuron in the units of its feature."""
    return model.inputs_.unscaled(column, values)
