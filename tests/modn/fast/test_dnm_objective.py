"""The fast objective of the DNM against the readable model."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modn.dnm import DNM
from modn.fast.dnm import DNMObjective


def loss_of(row: np.ndarray, objective: DNMObjective) -> float:
    dnm = DNM.from_parameters(
        row, objective.X.shape[1], objective.alpha_s, objective.alpha_o, objective.theta_o
    )
    u = dnm.potential(objective.X)  # not the output, which rounds to 1 where log(1 - O) is still finite
    return float(np.mean(np.logaddexp(0.0, u) - objective.y * u))


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    N=st.integers(1, 40),
    D=st.integers(1, 6),
    M=st.integers(1, 20),
    S=st.integers(1, 20),
    distinct=st.sampled_from([3, 1000]),
)
def test_the_objective_is_the_loss_of_the_readable_model(
    seed: int, N: int, D: int, M: int, S: int, distinct: int
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(distinct, size=(N, D)) / distinct
    objective = DNMObjective(X, rng.integers(2, size=N), M, alpha_s=5.0, alpha_o=3.0, theta_o=0.5)
    parameters = rng.uniform(-1, 1, (S, objective.n_parameters))
    expected = [loss_of(row, objective) for row in parameters]
    loss, gradient = objective.loss_and_gradient(parameters)
    assert objective.loss(parameters) == pytest.approx(expected, abs=1e-5)
    assert loss == pytest.approx(expected, abs=1e-5)
    assert gradient.shape == parameters.shape
    assert np.array_equal(objective.gradient(parameters), gradient)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_the_gradient_is_the_slope_of_the_loss(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.random((25, 4))
    objective = DNMObjective(X, rng.integers(2, size=25), 5, alpha_s=5.0, alpha_o=3.0, theta_o=0.5)
    row = rng.uniform(-1, 1, objective.n_parameters)
    step = 1e-5
    slopes = [
        (loss_of(row + e, objective) - loss_of(row - e, objective)) / (2 * step)
        for e in step * np.eye(len(row))
    ]
    assert objective.gradient(row)[0] == pytest.approx(slopes, abs=1e-6)


def test_a_certain_error_has_a_finite_loss() -> None:
    objective = DNMObjective(np.zeros((2, 1)), [0, 1], 20, alpha_s=10.0, alpha_o=30.0, theta_o=0.5)
    row = np.repeat([0.0, -10.0], 20)  # every dendrite open: V = 20
    assert objective.loss(row)[0] == pytest.approx(loss_of(row, objective), rel=1e-6)
    assert objective.loss(row)[0] > 200


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"y": [0, 1, 2, 0]}, r"y\[2\] is 2; allowed: an integer from 0 to 1"),
        ({"X": [[np.inf]] * 4}, r"X\[0, 0\] is inf; allowed: a finite number, or NaN where"),
        ({"n_dendrites": 0}, "n_dendrites is 0; allowed: an integer >= 1"),
        ({"alpha_s": 0.0}, "alpha_s is 0.0; allowed: a finite number > 0"),
        ({"alpha_o": -1.0}, "alpha_o is -1.0; allowed: a finite number > 0"),
        ({"theta_o": np.inf}, "theta_o is inf; allowed: a finite number"),
    ],
)
def test_bad_training_sets_are_named(changed: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {
        "X": np.ones((4, 1)), "y": [0, 1, 1, 0], "n_dendrites": 2, "alpha_s": 1.0, "alpha_o": 1.0, "theta_o":
        0.5
    }  # fmt: skip
    DNMObjective(**good)
    with pytest.raises(ValueError, match=message):
        DNMObjective(**(good | changed))


def test_bad_parameters_are_named() -> None:
    objective = DNMObjective(np.ones((4, 1)), [0, 1, 1, 0], 2, 1.0, 1.0, 0.5)
    message = r"parameters has the shape \(1, 5\); allowed: \(n_individuals, 4\)"
    with pytest.raises(ValueError, match=message):
        objective.loss(np.ones(5))


def test_a_drawn_row_has_every_dendrite_half_open_at_a_sample_of_class_1() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((50, 30)) * np.arange(30), np.arange(50) % 2  # the first feature is constant
    objective = DNMObjective(X, y, n_dendrites=8, alpha_s=3.0, alpha_o=1.0, theta_o=0.5)
    row = objective.draw_open(rng)
    Z = DNM.from_parameters(row, 30, 3.0, 1.0, 0.5).neuron.dendrites(X[y == 1])
    assert np.allclose(np.abs(Z - 0.5).min(axis=0), 0)
    # so that there is a slope to follow, which a uniform draw has not
    assert np.abs(objective.gradient(row)).max() > 1e-3
    assert np.abs(objective.gradient(rng.uniform(-1, 1, len(row)))).max() < 1e-3
