"""The fast objective of the perceptron against the readable model."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modn.fast.mlp import MLPObjective
from modn.loss import cross_entropy
from modn.mlp import MLP


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


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"y": [0, 1, 2, 0]}, r"y\[2\] is 2; allowed: an integer from 0 to 1"),
        ({"X": [[np.inf]] * 4}, r"X\[0, 0\] is inf; allowed: a finite number"),
        ({"n_hidden": 0}, "n_hidden is 0; allowed: an integer >= 1"),
        ({"n_classes": 1.5}, "n_classes is 1.5; allowed: an integer >= 1"),
    ],
)
def test_bad_training_sets_are_named(changed: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"X": np.ones((4, 1)), "y": [0, 1, 1, 0], "n_hidden": 2, "n_classes": 2}
    MLPObjective(**good)
    with pytest.raises(ValueError, match=message):
        MLPObjective(**(good | changed))


def test_bad_parameters_are_named() -> None:
    objective = MLPObjective(np.ones((4, 1)), [0, 1, 1, 0], 2, 2)
    message = r"parameters has the shape \(1, 5\); allowed: \(n_individuals, 10\)"
    with pytest.raises(ValueError, match=message):
        objective.gradient(np.ones(5))
