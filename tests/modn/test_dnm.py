"""The DNM: its equations, that it is a special case of MODN, and its fast objective."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modn import filters
from modn.dnm import DNM, DNMObjective
from modn.loss import binary_cross_entropy
from modn.neuron import Neuron


def small_dnm() -> DNM:
    rng = np.random.default_rng(1)
    return DNM(rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), alpha_s=4.0, alpha_o=2.0, theta_o=0.4)


def test_the_layers_are_the_equations() -> None:
    """Eqs. 1-4, written out with scalars."""
    dnm, X = small_dnm(), np.random.default_rng(2).random((3, 3))
    for n, x in enumerate(X):
        Y = [
            [1 / (1 + math.exp(-4.0 * (dnm.w_s[i, j] * x[i] - dnm.theta_s[i, j]))) for j in range(4)]
            for i in range(3)
        ]
        V = sum(Y[0][j] * Y[1][j] * Y[2][j] for j in range(4))
        output = 1 / (1 + math.exp(-2.0 * (V - 0.4)))
        assert dnm.membrane(X)[n] == pytest.approx(V)
        assert dnm.soma(X)[n] == pytest.approx(output)
        assert dnm.predict_proba(X)[n] == pytest.approx([1 - output, output])


def test_it_is_modn_with_one_output_a_full_filter_and_a_sigmoid_soma() -> None:
    dnm, X = small_dnm(), np.random.default_rng(3).random((20, 3))
    neuron = Neuron(dnm.w_s, dnm.theta_s, filters.full(4, 1), [1.0], [dnm.theta_o], dnm.alpha_s, dnm.alpha_o)
    V = neuron.soma(X)[:, 0]
    assert np.array_equal(dnm.membrane(X), V)
    assert dnm.soma(X) == pytest.approx(1 / (1 + np.exp(-2.0 * (V - 0.4))))
    # tanh is a sigmoid too: R = 2 sigmoid(2 u) - 1 of the same potential u
    twice = DNM(dnm.w_s, dnm.theta_s, dnm.alpha_s, 2 * dnm.alpha_o, dnm.theta_o)
    assert 2 * twice.soma(X) - 1 == pytest.approx(neuron.telodendra(X)[:, 0])


def loss_of(row: np.ndarray, objective: DNMObjective) -> float:
    dnm = DNM.from_parameters(
        row, objective.X.shape[1], objective.alpha_s, objective.alpha_o, objective.theta_o
    )
    return binary_cross_entropy(dnm.potential(objective.X), objective.y)


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


def test_the_row_of_parameters_goes_there_and_back() -> None:
    dnm = small_dnm()
    again = DNM.from_parameters(dnm.parameters(), 3, 4.0, 2.0, 0.4)
    assert np.array_equal(again.w_s, dnm.w_s)
    assert np.array_equal(again.theta_s, dnm.theta_s)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"y": [0, 1, 2, 0]}, r"y must lie within 0\.\.1; it holds 2"),
        ({"X": [[np.nan]] * 4}, "X must be finite"),
        ({"n_dendrites": 0}, "n_dendrites must be a positive integer"),
        ({"alpha_s": 0.0}, "alpha_s must be greater than 0"),
        ({"alpha_o": -1.0}, "alpha_o must be greater than 0"),
        ({"theta_o": np.inf}, "theta_o must be a finite number"),
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
    with pytest.raises(
        ValueError, match=r"parameters must have the shape \(n_individuals, 4\); got \(1, 5\)"
    ):
        objective.loss(np.ones(5))
    with pytest.raises(
        ValueError, match=r"parameters must hold 2 \* n_features \* n_dendrites numbers; got 5"
    ):
        DNM.from_parameters(np.ones(5), 1, 1.0, 1.0, 0.5)
    with pytest.raises(ValueError, match="theta_s must have the shape"):
        DNM(np.ones((2, 2)), np.ones((2, 3)), 1.0, 1.0, 0.5)


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
