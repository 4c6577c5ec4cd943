"""The fast objective against the readable neuron."""

import numpy as np
import pytest

from modn.loss import cross_entropy
from modn.neuron import Neuron
from modn.objective import Objective


@pytest.mark.parametrize("filters", ["one for all", "one each"])
@pytest.mark.parametrize("S", [1, 7, 16, 37])
def test_loss_is_that_of_the_readable_neuron(S: int, filters: str) -> None:
    rng = np.random.default_rng(S)
    N, D, M, C = 50, 5, 12, 3
    X, y = rng.random((N, D)), rng.integers(C, size=N)
    objective = Objective(X, y, M, C, alpha_s=10.0, alpha_t=1.0)
    parameters = rng.uniform(-1, 1, (S, objective.n_parameters))
    P = rng.random((M, C) if filters == "one for all" else (S, M, C)) < 0.5

    loss = objective.loss(parameters, P)

    each = zip(parameters, np.broadcast_to(P, (S, M, C)), strict=True)
    neurons = [Neuron.from_parameters(row, P_row, D, 10.0, 1.0) for row, P_row in each]
    assert loss == pytest.approx([cross_entropy(neuron.predict_proba(X), y) for neuron in neurons], abs=1e-5)
