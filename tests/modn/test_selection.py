"""Many features of which few matter: training selects them, and is repeated with these alone."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification

from modn import MODNClassifier, Neuron
from modn.estimators import modn as classifier
from modn.estimators.selection import selected_features, with_all_features
from modn.filters import partition


def neuron_of(w_s: np.ndarray) -> Neuron:
    D, M = w_s.shape
    theta_s = np.random.default_rng(0).normal(size=(D, M))
    return Neuron(w_s, theta_s, partition(M, 2), np.ones(2), np.zeros(2), alpha_s=10.0, alpha_t=1.0)


def test_features_are_judged_by_their_weights_in_standard_units() -> None:
    X = np.random.default_rng(0).normal(size=(50, 4)) * [1.0, 1.0, 1000.0, 0.0]
    w_s = np.array([[1.0, -1.0], [0.005, 0.005], [0.005, 0.005], [9.0, 9.0]])
    assert selected_features([neuron_of(w_s)], X).tolist() == [True, False, True, False]
    assert selected_features([neuron_of(w_s[:2])], X[:, :2]).tolist() == [True, False]


def test_a_feature_that_any_of_the_neurons_uses_is_selected() -> None:
    X = np.random.default_rng(0).normal(size=(50, 3))
    neurons = [neuron_of(np.eye(3)[[k]].T @ np.ones((1, 2))) for k in (0, 2)]
    assert selected_features(neurons, X).tolist() == [True, False, True]


def test_features_that_were_left_out_have_no_effect() -> None:
    rng = np.random.default_rng(1)
    few, X = neuron_of(rng.normal(size=(3, 4))), rng.uniform(size=(20, 6))
    selected = np.array([False, True, False, True, True, False])
    every = with_all_features(few, selected)
    np.testing.assert_array_equal(every.predict_proba(X), few.predict_proba(X[:, selected]))
    assert set(every.synapse_states()[~selected].ravel()) == {"constant-1"}


@pytest.fixture(scope="module")
def noisy() -> tuple[np.ndarray, np.ndarray]:
    """Five features that matter, and 115 that do not."""
    sizes: dict[str, Any] = {"n_samples": 800, "n_features": 120, "n_informative": 5, "n_redundant": 0}
    return make_classification(**sizes, shuffle=False, random_state=0)


@pytest.mark.slow
def test_a_few_of_many_features_are_selected_and_trained_alone(
    noisy: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = noisy
    seen, unseen = slice(0, None, 2), slice(1, None, 2)
    model = MODNClassifier(max_iter=100, random_state=0)
    selected = clone(model).fit(X[seen], y[seen])
    used = selected.neuron_.w_s.any(axis=1)
    assert used[:5].all() and used.sum() < 15
    monkeypatch.setattr(classifier, "WIDE", X.shape[1] + 1)
    plain = clone(model).fit(X[seen], y[seen])
    assert plain.neuron_.w_s.any(axis=1).all()
    assert selected.score(X[unseen], y[unseen]) > plain.score(X[unseen], y[unseen]) + 0.02


def test_where_most_features_matter_all_are_used(
    noisy: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = noisy[0][:, :5], noisy[1]
    model = MODNClassifier(n_dendrites=4, max_iter=20, random_state=0)
    plain = clone(model).fit(X, y)
    monkeypatch.setattr(classifier, "WIDE", 1)
    assert_same_neuron(clone(model).fit(X, y), plain)


@pytest.mark.parametrize(
    "parameters", [{"solver_options": {"decays": (0.01,)}}, {"solver": "bbo"}], ids=["rates", "heuristic"]
)
def test_rates_of_the_user_and_heuristics_select_nothing(
    parameters: dict[str, Any], noisy: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = MODNClassifier(n_dendrites=4, max_iter=5, random_state=0, **parameters)
    X, y = noisy[0][:, :5], noisy[1]
    plain = clone(model).fit(X, y)
    monkeypatch.setattr(classifier, "WIDE", 1)
    assert_same_neuron(clone(model).fit(X, y), plain)


def assert_same_neuron(one: MODNClassifier, other: MODNClassifier) -> None:
    np.testing.assert_array_equal(one.neuron_.parameters(), other.neuron_.parameters())
