"""Circuits from many columns: those that the neuron uses most."""

import numpy as np
import pytest

from modn import CircuitClassifier, MODNClassifier
from modn.explain.learning import narrowing
from modn.explain.learning.table import Boxes, Starts, Table


def test_few_columns_all_count() -> None:
    assert narrowing.most_used(np.zeros(narrowing.MOST_COLUMNS)).tolist() == list(
        range(narrowing.MOST_COLUMNS)
    )


def test_of_many_columns_those_with_the_highest_use_count() -> None:
    use = np.zeros(100)
    use[[7, 70, 3]] = [0.1, 2.0, 1.0]
    assert narrowing.most_used(use).tolist() == [3, 7, 70]
    assert len(narrowing.most_used(np.arange(100.0))) == narrowing.MOST_COLUMNS
    assert narrowing.most_used(np.arange(100.0))[0] == 100 - narrowing.MOST_COLUMNS
    assert len(narrowing.most_used(np.zeros(100))) == narrowing.MOST_COLUMNS  # a neuron that uses none


def test_a_circuit_decides_alike_in_all_columns() -> None:
    rng = np.random.default_rng(0)
    n_codes = np.array([3, 4, 2, 5], np.int32)
    codes = np.stack([rng.integers(-1, n, 50) for n in n_codes]).astype(np.int32)
    flags = np.array([True, False, True, True])
    table = Table(codes, n_codes, np.full((50, 2), 0.5), flags, ~flags)
    starts = Starts(np.arange(8, dtype=np.int32).reshape(1, 2, 4), np.ones((1, 2), bool))
    columns = np.array([1, 3])
    own, own_starts = narrowing.narrowed(table, starts, columns)
    assert own.n_codes.tolist() == [4, 5] and own.excitatory.tolist() == [False, True]
    assert own_starts.boxes.tolist() == [[[1, 3], [5, 7]]]
    found = Boxes(np.array([[[1, 0], [3, 2]]], np.int32), np.array([[1.0, -1.0]]), np.zeros(2), 0.0)
    wide = narrowing.widened(found, columns, n_codes)
    assert wide.size(n_codes) == found.size(own.n_codes) == 2
    assert np.array_equal(wide.scores(codes), found.scores(own.codes))


def test_a_circuit_of_a_wide_dataset_speaks_of_what_the_neuron_uses() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 60))
    y = X[:, 5] + X[:, 50] > 0
    model = MODNClassifier(n_dendrites=4, max_iter=60, random_state=0).fit(X, y)
    circuit = model.to_circuit(X, y, size=6)
    use = np.sqrt((model.neuron_.w_s**2).mean(axis=1))
    least = np.sort(use)[-narrowing.MOST_COLUMNS]
    asked = {condition.feature for dendrite in circuit.dendrites for condition in dendrite}
    assert {5, 50} <= asked and all(use[feature] >= least for feature in asked)
    assert (circuit.predict(X) == y).mean() > 0.8


def test_without_a_neuron_the_columns_whose_conditions_tell_most_count() -> None:
    X = np.random.default_rng(0).normal(size=(60, 45))
    y = X[:, 44] > 0
    model = CircuitClassifier(size=1, start="nothing", random_state=0).fit(X, y)
    assert model.score(X, y) == 1.0 and "x44" in str(model.circuit_)


def test_what_a_condition_tells_is_the_entropy_that_it_removes() -> None:
    codes = np.array([[0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]], np.int32)
    everywhere = np.ones(3, bool)
    table = Table(codes, np.full(3, 2, np.int32), np.eye(2)[[0, 0, 1, 1]], everywhere, everywhere)
    expected = [4 * np.log(2), 0.0, 4 * np.log(2) - (3 * np.log(3) - 2 * np.log(2))]
    assert narrowing.told_by_conditions(table) == pytest.approx(expected)
