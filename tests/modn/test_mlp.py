"""The two-layer perceptron: its equations and its objective."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modn.loss import cross_entropy
from modn.mlp import MLP, MLPObjective


def test_the_layers_are_sigmoid_and_softmax() -> None:
    rng = np.random.default_rng(0)
    mlp = MLP(rng.normal(size=(3, 4)), rng.normal(size=4), rng.normal(size=(4, 2)), rng.normal(size=2))
    x = rng.random(3)
    hidden = [1 / (1 + math.exp(-sum(x[i] * mlp.W_1[i, j] for i in range(3)) - mlp.b_1[j])) for j in range(4)]
    output = [sum(hidden[j] * mlp.W_2[j, c] for j in range(4)) + mlp.b_2[c] for c in range(2)]
    expected = [math.exp(o) / sum(math.exp(q) for q in output) for o in output]
    assert mlp.predict_proba([x])[0] == pytest.approx(expected)


def loss_of(row: np.ndarray, objective: MLPObjective) -> float:
    mlp = MLP.from_parameters(row, objective.X.shape[1], objective.n_hidden, objective.n_classes)
    return cross_entropy(mlp.predict_proba(objective.X), objective.y)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    N=st.integers(1, 8),
    D=st.integers(1, 4),
    M=st.integers(1, 5),
    C=st.integers(1, 4),
    S=st.integers(1, 3),
)
def test_loss_and_gradient_are_those_of_the_readable_model(
    seed: int, N: int, D: int, M: int, C: int, S: int
) -> None:
    rng = np.random.default_rng(seed)
    objective = MLPObjective(rng.random((N, D)), rng.integers(C, size=N), M, C)
    parameters = rng.uniform(-2, 2, (S, objective.n_parameters))
    loss, gradient = objective.loss_and_gradient(parameters)
    assert loss == pytest.approx([loss_of(row, objective) for row in parameters], rel=1e-12, abs=1e-14)
    assert np.array_equal(objective.loss(parameters), loss)
    assert np.array_equal(objective.gradient(parameters), gradient)
    step = 1e-5
    for row, slopes in zip(parameters, gradient, strict=True):
        steps = step * np.eye(len(row))
        differences = [
            (loss_of(row + e, objective) - loss_of(row - e, objective)) / (2 * step) for e in steps
        ]
        assert slopes == pytest.approx(differences, abs=1e-8)


def test_large_weights_do_not_overflow() -> None:
    rng = np.random.default_rng(1)
    objective = MLPObjective(rng.random((10, 3)), rng.integers(2, size=10), 4, 2)
    loss, gradient = objective.loss_and_gradient(1e6 * rng.uniform(-1, 1, objective.n_parameters))
    assert np.isfinite(loss).all()
    assert np.isfinite(gradient).all()


def test_the_row_of_parameters_goes_there_and_back() -> None:
    row = np.arange(3 * 4 + 4 + 4 * 2 + 2, dtype=float)
    mlp = MLP.from_parameters(row, 3, 4, 2)
    assert mlp.W_2[1].tolist() == [18.0, 19.0]
    assert np.array_equal(mlp.parameters(), row)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"y": [0, 1, 2, 0]}, r"y must lie within 0\.\.1; it holds 2"),
        ({"X": [[np.inf]] * 4}, "X must be finite"),
        ({"n_hidden": 0}, "n_hidden must be a positive integer"),
        ({"n_classes": 1.5}, "n_classes must be a positive integer"),
    ],
)
def test_bad_training_sets_are_named(changed: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"X": np.ones((4, 1)), "y": [0, 1, 1, 0], "n_hidden": 2, "n_classes": 2}
    MLPObjective(**good)
    with pytest.raises(ValueError, match=message):
        MLPObjective(**(good | changed))


def test_bad_parameters_are_named() -> None:
    objective = MLPObjective(np.ones((4, 1)), [0, 1, 1, 0], 2, 2)
    with pytest.raises(
        ValueError, match=r"parameters must have the shape \(n_individuals, 10\); got \(1, 5\)"
    ):
        objective.gradient(np.ones(5))
    with pytest.raises(ValueError, match=r"b_1 must have the shape \(2,\)"):
        MLP(np.ones((1, 2)), np.ones(3), np.ones((2, 2)), np.ones(2))
