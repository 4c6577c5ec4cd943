"""Missing values: a NaN says nothing, its synapses are 1, in every layer and in the compiled objectives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modn import gradients
from modn.dnm import DNM
from modn.fast.dnm import DNMObjective
from modn.fast.objective import Objective
from modn.loss import cross_entropy
from modn.missing import mean_and_deviation
from modn.neuron import Neuron


def holes(rng: np.random.Generator, N: int, D: int, distinct: int | None, share: float) -> np.ndarray:
    X = rng.random((N, D)) if distinct is None else rng.integers(distinct, size=(N, D)) / distinct
    X[rng.random((N, D)) < share] = np.nan
    return X


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    N=st.integers(1, 100),
    D=st.one_of(st.integers(1, 6), st.integers(1, 40)),
    M=st.integers(1, 20),
    S=st.integers(1, 20),
    distinct=st.sampled_from([None, 1, 3, 50]),
    share=st.sampled_from([0.01, 0.3, 0.9, 1.0]),
)
def test_the_objective_is_that_of_the_readable_neuron(
    seed: int, N: int, D: int, M: int, S: int, distinct: int | None, share: float
) -> None:
    rng = np.random.default_rng(seed)
    X, y = holes(rng, N, D, distinct, share), rng.integers(3, size=N)
    objective = Objective(X, y, M, 3, 3.0, 1.0)
    rows, P = rng.uniform(-1, 1, (S, objective.n_parameters)), rng.random((S, M, 3)) < 0.5
    neurons = [Neuron.from_parameters(row, own, D, 3.0, 1.0) for row, own in zip(rows, P, strict=True)]
    loss, gradient = objective.loss_and_gradient(rows, P)
    expected = [cross_entropy(neuron.predict_proba(X), y) for neuron in neurons]
    assert loss == pytest.approx(expected, abs=1e-5)
    assert objective.loss(rows, P) == pytest.approx(expected, abs=1e-5)
    exact = np.array([gradients.exact(neuron, X, y) for neuron in neurons])
    assert gradient == pytest.approx(exact, abs=3e-5)


def test_a_missing_feature_is_as_if_it_were_not_there() -> None:
    rng = np.random.default_rng(0)
    w, theta = rng.normal(size=(2, 3, 4))
    P, w_t, theta_t = rng.random((4, 2)) < 0.5, rng.normal(size=2), rng.normal(size=2)
    X = rng.random((9, 3))
    X[:, 1] = np.nan
    whole, rest = Neuron(w, theta, P, w_t, theta_t, 2.0, 1.0), np.array([0, 2])
    part = Neuron(w[rest], theta[rest], P, w_t, theta_t, 2.0, 1.0)
    assert (whole.synapses(X)[:, 1] == 1).all()
    assert whole.predict_proba(X) == pytest.approx(part.predict_proba(X[:, rest]))
    y = np.arange(9) % 2
    gradient = gradients.exact(whole, X, y)
    assert (gradient[4:8] == 0).all() and (gradient[16:20] == 0).all()  # w_s and theta_s of the feature
    others = np.r_[0:4, 8:16, 20:28]
    assert gradient[others] == pytest.approx(gradients.exact(part, X[:, rest], y))


def test_the_published_gradient_knows_them_too() -> None:
    rng = np.random.default_rng(1)
    X, y = holes(rng, 30, 3, None, 0.3), rng.integers(2, size=30)
    objective = Objective(X, y, 4, 2, 3.0, 1.0)
    row, P = rng.uniform(-1, 1, objective.n_parameters), np.ones((4, 2), bool)
    neuron = Neuron.from_parameters(row, P, 3, 3.0, 1.0)
    expected = gradients.published(neuron, X, y, "full")
    assert objective.published_gradient(row, P, "full")[0] == pytest.approx(expected, abs=1e-5)


def test_the_dnm_knows_them_too() -> None:
    rng = np.random.default_rng(2)
    X, y = holes(rng, 40, 3, None, 0.3), rng.integers(2, size=40)
    objective = DNMObjective(X, y, 4, 5.0, 3.0, 0.5)
    row = objective.draw_open(rng)
    u = DNM.from_parameters(row, 3, 5.0, 3.0, 0.5).potential(X)
    assert objective.loss(row)[0] == pytest.approx(np.mean(np.logaddexp(0.0, u) - y * u), abs=1e-5)


def test_means_skip_them() -> None:
    X = np.array([[1.0, np.nan, 7.0, 1.0], [3.0, np.nan, 7.0, np.nan], [5.0, np.nan, 7.0, 2.0]])
    mean, deviation = mean_and_deviation(X)
    assert mean == pytest.approx([3.0, 0.0, 7.0, 1.5])
    assert deviation == pytest.approx([np.sqrt(8 / 3), 1.0, 1.0, 0.5])
