"""The readable neuron: its equations digit by digit, extreme inputs, states and errors."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modn.loss import cross_entropy
from modn.neuron import Neuron


def small_neuron() -> Neuron:
    rng = np.random.default_rng(3)
    D, M, C = 3, 4, 2
    P = np.array([[1, 0], [0, 1], [1, 1], [0, 0]], dtype=bool)
    return Neuron(
        rng.normal(size=(D, M)), rng.normal(size=(D, M)), P, rng.normal(size=C), rng.normal(size=C), 5.0, 2.0
    )


def test_the_layers_are_the_equations() -> None:
    """Eqs. 1, 2, 5, 8, 9 and 10, written out with scalars."""
    neuron, X = small_neuron(), np.random.default_rng(4).random((3, 3))
    D, M = neuron.w_s.shape
    for n, x in enumerate(X):
        Y = [
            [1 / (1 + math.exp(-5.0 * (neuron.w_s[i, j] * x[i] - neuron.theta_s[i, j]))) for j in range(M)]
            for i in range(D)
        ]
        Z = [Y[0][j] * Y[1][j] * Y[2][j] for j in range(M)]
        V = [Z[0] + Z[2], Z[1] + Z[2]]
        U = [2.0 * (neuron.w_t[c] * V[c] - neuron.theta_t[c]) for c in range(2)]
        R = [(math.exp(u) - math.exp(-u)) / (math.exp(u) + math.exp(-u)) for u in U]
        O = [math.exp(r) / (math.exp(R[0]) + math.exp(R[1])) for r in R]  # noqa: E741
        assert neuron.synapses(X)[n] == pytest.approx(np.array(Y))
        assert neuron.dendrites(X)[n] == pytest.approx(Z)
        assert neuron.soma(X)[n] == pytest.approx(V)
        assert neuron.telodendra(X)[n] == pytest.approx(R)
        assert neuron.predict_proba(X)[n] == pytest.approx(O)
        assert cross_entropy(neuron.predict_proba(X[[n]]), [1]) == pytest.approx(-math.log(O[1]))


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e4, 1e150, 1e300])
def test_any_finite_number_gives_probabilities(scale: float) -> None:
    """Warnings are errors here: nothing may overflow on the way."""
    rng = np.random.default_rng(5)
    parameters = scale * rng.uniform(-1, 1, 2 * 3 * 4 + 2 * 2)
    neuron = Neuron.from_parameters(parameters, small_neuron().P, 3, alpha_s=1e3, alpha_t=1e3)
    X = scale * rng.uniform(-1, 1, (20, 3))
    proba = neuron.predict_proba(X)
    assert np.isfinite(proba).all()
    assert proba.sum(axis=1) == pytest.approx(np.ones(20))
    assert ((neuron.synapses(X) >= 0) & (neuron.synapses(X) <= 1)).all()


def test_a_product_too_small_for_float64_keeps_its_logarithm() -> None:
    D = 60
    neuron = Neuron(np.zeros((D, 1)), np.full((D, 1), 10.0), np.ones((1, 1), bool), [1.0], [0.0], 10.0, 1.0)
    assert neuron.log_dendrites(np.zeros((1, D)))[0, 0] == pytest.approx(-100.0 * D)
    assert neuron.dendrites(np.zeros((1, D)))[0, 0] == 0.0


@pytest.mark.parametrize(
    ("w", "theta", "state"),
    [
        (0.8, 0.3, "excitatory"),
        (-0.8, -0.3, "inhibitory"),
        (0.3, 0.8, "constant-0"),
        (-0.3, 0.8, "constant-0"),
        (-0.3, -0.8, "constant-1"),
        (0.3, -0.8, "constant-1"),
        # the borders, of which the paper is silent
        (0.5, 0.5, "constant-0"),
        (-0.5, -0.5, "constant-1"),
        (0.5, 0.0, "constant-1"),
        (-0.5, 0.0, "constant-0"),
        (0.0, 0.5, "constant-0"),
        (0.0, -0.5, "constant-1"),
        (0.0, 0.0, "constant-1"),
    ],
)
def test_synapse_states(w: float, theta: float, state: str) -> None:
    assert one_synapse(w, theta).synapse_states().tolist() == [[state]]


number = st.floats(min_value=-2, max_value=2, allow_nan=False)


@given(w=number, theta=number)
def test_a_state_says_what_a_steep_synapse_does_on_the_unit_interval(w: float, theta: float) -> None:
    state = str(one_synapse(w, theta).synapse_states()[0, 0])
    at_0, at_1 = one_synapse(w, theta).synapses([[0.0], [1.0]])[:, 0, 0]
    if state == "excitatory":
        assert at_0 <= 0.5 <= at_1
        assert at_0 < at_1 or w < 1e-10
    elif state == "inhibitory":
        assert at_0 >= 0.5 >= at_1
    elif state == "constant-0":
        assert max(at_0, at_1) <= 0.5
    else:
        assert min(at_0, at_1) >= 0.5


def one_synapse(w: float, theta: float) -> Neuron:
    return Neuron([[w]], [[theta]], np.ones((1, 1), bool), [1.0], [0.0], 10.0, 1.0)


def test_dendrite_states_are_those_of_the_filter() -> None:
    assert small_neuron().dendrite_states().tolist() == ["exclusive", "exclusive", "communal", "inoperative"]


def test_the_row_of_parameters_goes_there_and_back() -> None:
    neuron = small_neuron()
    row = neuron.parameters()
    assert row.tolist() == [
        *neuron.w_s.ravel(),
        *neuron.theta_s.ravel(),
        *neuron.w_t,
        *neuron.theta_t,
    ]
    again = Neuron.from_parameters(row, neuron.P, 3, 5.0, 2.0)
    assert np.array_equal(again.w_s, neuron.w_s)
    assert np.array_equal(again.parameters(), row)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"w_s": [[np.inf] * 4] * 3}, r"w_s\[0, 0\] is inf; allowed: a finite number"),
        ({"w_s": np.ones(3)}, r"w_s has the shape \(3,\); allowed: \(n_features, n_dendrites\)"),
        ({"w_s": "text"}, "w_s is not an array of numbers .*; allowed: finite numbers"),
        ({"theta_s": np.ones((3, 5))}, r"theta_s has the shape \(3, 5\); allowed: \(3, 4\)"),
        ({"P": np.ones((4, 2))}, "P has the dtype float64; allowed: bool"),
        ({"P": np.ones((3, 2), bool)}, r"P has the shape .*; allowed: \(4, n_classes\)"),
        ({"P": np.ones((4, 0), bool)}, r"P has the shape .*; allowed: \(4, n_classes\)"),
        ({"w_t": [1.0]}, r"w_t has the shape \(1,\); allowed: \(2,\)"),
        ({"theta_t": [1.0, np.nan]}, r"theta_t\[1\] is nan; allowed: a finite number"),
        ({"alpha_s": 0.0}, "alpha_s is 0.0; allowed: a finite number > 0"),
        ({"alpha_s": "2"}, "alpha_s is '2'; allowed: a finite number > 0"),
        ({"alpha_t": -1.0}, "alpha_t is -1.0; allowed: a finite number > 0"),
        ({"alpha_t": np.inf}, "alpha_t is inf; allowed: a finite number > 0"),
    ],
)
def test_bad_arguments_are_named(changed: dict[str, Any], message: str) -> None:
    neuron = small_neuron()
    arguments = {
        name: getattr(neuron, name)
        for name in ("w_s", "theta_s", "P", "w_t", "theta_t", "alpha_s", "alpha_t")
    }
    with pytest.raises(ValueError, match=message):
        Neuron(**(arguments | changed))


@pytest.mark.parametrize(
    "X", [np.ones((2, 4)), np.ones(3), np.empty((0, 3)), [[np.inf, 1, 1]], [["a", "b", "c"]]]
)
def test_bad_samples_are_named(X: Any) -> None:
    with pytest.raises(ValueError, match=r"X.* (is|has the) .*; allowed: "):
        small_neuron().predict_proba(X)


def test_a_row_of_the_wrong_length_is_named() -> None:
    with pytest.raises(ValueError, match=r"parameters has the shape \(27,\); allowed: \(28,\)"):
        Neuron.from_parameters(np.ones(27), small_neuron().P, 3, 5.0, 2.0)
