"""Contributions: what each dendrite adds to the potentials of the neuron."""

import numpy as np
from sklearn.datasets import load_iris

from modn import MODNClassifier
from modn.explain.contributions import potentials


def test_contributions_and_offsets_sum_to_the_potentials() -> None:
    X, y = load_iris(return_X_y=True)
    model = MODNClassifier(alpha_t=0.7, max_iter=5, random_state=0).fit(X, y)
    neuron = model.neuron_
    added = model.contributions(X)
    assert added.shape == (150, neuron.n_dendrites, 3)
    U = added.sum(axis=1) - neuron.alpha_t * neuron.theta_t
    np.testing.assert_allclose(U, potentials(model, X), atol=1e-12)
    unit = model.inputs_.transform(X)
    np.testing.assert_allclose(np.tanh(U), neuron.telodendra(unit), atol=1e-12)
    Z = neuron.dendrites(unit)
    assert added[7, 3, 1] == 0.7 * neuron.w_t[1] * neuron.P[3, 1] * Z[7, 3]
