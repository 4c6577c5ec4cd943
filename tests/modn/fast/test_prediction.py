"""Compiled potentials against the readable neuron, missing values included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modn.fast.prediction import potentials
from modn.neuron import Neuron


def readable(neuron: Neuron, X: np.ndarray) -> np.ndarray:
    return neuron.alpha_t * (neuron.w_t * neuron.soma(X) - neuron.theta_t)


def open_neuron(
    seed: int, D: int = 4, M: int = 6, C: int = 3, steepness: float = 3.0
) -> tuple[Neuron, np.ndarray]:
    """Dendrites that are open around some of the samples, a fifth of whose values are missing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(37, D))
    w = steepness * rng.normal(size=(D, M))
    theta = w * X[rng.integers(len(X), size=M)].T - np.log(2 * D)
    X[rng.random(X.shape) < 0.2] = np.nan
    neuron = Neuron(w, theta, rng.random((M, C)) < 0.5, rng.normal(size=C), rng.normal(size=C), 1.0, 2.0)
    return neuron, X


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    D=st.integers(1, 60),
    M=st.integers(1, 40),
    C=st.integers(1, 7),
    steepness=st.sampled_from([0.1, 1.0, 10.0]),
)
def test_the_potentials_are_those_of_the_readable_neuron(
    seed: int, D: int, M: int, C: int, steepness: float
) -> None:
    neuron, X = open_neuron(seed, D, M, C, steepness)
    assert potentials(neuron, X) == pytest.approx(readable(neuron, X), abs=1e-4)


def test_a_sample_gets_the_same_in_any_company() -> None:
    neuron, X = open_neuron(0)
    together = potentials(neuron, X)
    for n in range(len(X)):
        assert np.array_equal(potentials(neuron, X[n : n + 1]), together[n : n + 1])
    assert np.array_equal(potentials(neuron, X[::-1]), together[::-1])


def test_features_far_from_zero_keep_their_digits() -> None:
    neuron, X = open_neuron(1)
    moved = Neuron(
        neuron.w_s, neuron.theta_s + 1e4 * neuron.w_s, neuron.P, neuron.w_t, neuron.theta_t, 1.0, 2.0
    )
    assert potentials(moved, X + 1e4) == pytest.approx(readable(neuron, X), abs=1e-4)


def test_a_sample_without_any_value_opens_every_dendrite() -> None:
    neuron, _ = open_neuron(2)
    nothing = np.full((1, 4), np.nan)
    expected = 2.0 * (neuron.w_t * neuron.P.sum(axis=0) - neuron.theta_t)
    assert potentials(neuron, nothing)[0] == pytest.approx(expected)
    assert readable(neuron, nothing)[0] == pytest.approx(expected)


@pytest.mark.parametrize("scale", [1e-300, 1e150, 1e300])
def test_any_finite_number_gives_a_number(scale: float) -> None:
    neuron, X = open_neuron(3)
    row = scale * neuron.parameters()
    row[-6:] = neuron.parameters()[-6:]
    extreme = Neuron.from_parameters(row, neuron.P, 4, 1e3, 1.0)
    X = scale * np.nan_to_num(X)
    assert potentials(extreme, X) == pytest.approx(readable(extreme, X), abs=1e-4)


def test_bad_samples_are_named() -> None:
    neuron, X = open_neuron(4)
    X[2, 1] = np.inf
    message = r"X\[2, 1\] is inf; allowed: a finite number, or NaN where a value is missing"
    with pytest.raises(ValueError, match=message):
        potentials(neuron, X)
    with pytest.raises(ValueError, match=r"X has the shape \(37, 3\); allowed: \(n_samples, 4\)"):
        potentials(neuron, X[:, :3])
