"""The two-layer perceptron: its equations."""

import math

import numpy as np
import pytest

from modn.mlp import MLP


def test_the_layers_are_sigmoid_and_softmax() -> None:
    rng = np.random.default_rng(0)
    mlp = MLP(rng.normal(size=(3, 4)), rng.normal(size=4), rng.normal(size=(4, 2)), rng.normal(size=2))
    x = rng.random(3)
    hidden = [1 / (1 + math.exp(-sum(x[i] * mlp.W_1[i, j] for i in range(3)) - mlp.b_1[j])) for j in range(4)]
    output = [sum(hidden[j] * mlp.W_2[j, c] for j in range(4)) + mlp.b_2[c] for c in range(2)]
    expected = [math.exp(o) / sum(math.exp(q) for q in output) for o in output]
    assert mlp.predict_proba([x])[0] == pytest.approx(expected)


def test_the_row_of_parameters_goes_there_and_back() -> None:
    row = np.arange(3 * 4 + 4 + 4 * 2 + 2, dtype=float)
    mlp = MLP.from_parameters(row, 3, 4, 2)
    assert mlp.W_2[1].tolist() == [18.0, 19.0]
    assert np.array_equal(mlp.parameters(), row)


def test_bad_parameters_are_named() -> None:
    with pytest.raises(ValueError, match=r"b_1 has the shape \(3,\); allowed: \(2,\)"):
        MLP(np.ones((1, 2)), np.ones(3), np.ones((2, 2)), np.ones(2))
