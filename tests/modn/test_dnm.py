"""The DNM: its equations, and that it is a special case of MODN."""

import math

import numpy as np
import pytest

from modn import filters
from modn.dnm import DNM
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


def test_the_row_of_parameters_goes_there_and_back() -> None:
    dnm = small_dnm()
    again = DNM.from_parameters(dnm.parameters(), 3, 4.0, 2.0, 0.4)
    assert np.array_equal(again.w_s, dnm.w_s)
    assert np.array_equal(again.theta_s, dnm.theta_s)


def test_bad_parameters_are_named() -> None:
    with pytest.raises(ValueError, match=r"parameters has the shape \(5,\); allowed: a multiple of 2"):
        DNM.from_parameters(np.ones(5), 1, 1.0, 1.0, 0.5)
    with pytest.raises(ValueError, match=r"theta_s has the shape \(2, 3\); allowed: \(2, 2\)"):
        DNM(np.ones((2, 2)), np.ones((2, 3)), 1.0, 1.0, 0.5)
