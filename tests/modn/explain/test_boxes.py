"""Boxes: the compiled search against slow searches, and what the learner promises."""

import itertools

import numpy as np
import pytest

from modn.explain.learning import boxes, fast_boxes
from modn.explain.learning.integers import LARGEST_WEIGHT, integer_telodendra
from modn.explain.learning.table import Starts, Table
from modn.explain.learning.telodendra import fit_telodendra
from modn.explain.learning.thinning import thinned


def make_table(N: int = 60, D: int = 3, C: int = 3, seed: int = 0, missing: float = 0.1) -> Table:
    rng = np.random.default_rng(seed)
    n_codes = np.array([5, 2, 7], dtype=np.int32)[:D]
    codes = np.stack([rng.integers(0, n, N) for n in n_codes]).astype(np.int32)
    y = np.where(codes[0] >= 3, 0, np.where(codes[2] % C == 1, 1, C - 1))
    codes[rng.random(codes.shape) < missing] = -1
    everywhere = np.ones(D, dtype=bool)
    return Table(codes, n_codes, np.eye(C)[y], rng.uniform(0.5, 1.5, N), everywhere, everywhere)


def in_box(codes: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    inside = (codes >= low[:, None]) & (codes <= high[:, None])
    return (inside | (codes < 0)).all(axis=0)


def slow_loss(counts: np.ndarray, table: Table, w_t: np.ndarray, theta_t: np.ndarray) -> np.ndarray:
    scores = w_t * counts - theta_t
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return -table.weights * (table.targets * np.log(p)).sum(axis=1)


@pytest.mark.parametrize("excitatory", [True, False])
@pytest.mark.parametrize("inhibitory", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_the_best_interval_is_that_of_a_search_over_all(
    excitatory: bool, inhibitory: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    histogram, K, penalty = rng.normal(size=6), 6, 0.3
    values = {}
    for low, high in itertools.combinations_with_replacement(range(K), 2):
        if (low > 0 and not excitatory) or (high < K - 1 and not inhibitory):
            continue
        values[low, high] = histogram[low : high + 1].sum() - penalty * ((low > 0) + (high < K - 1))
    value, low, high = fast_boxes.best_interval(histogram, K, penalty, excitatory, inhibitory)
    assert value == pytest.approx(max(values.values()))
    assert values[low, high] == pytest.approx(value)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.slow
def test_a_climb_ends_where_no_interval_of_one_column_is_better(seed: int) -> None:
    table, penalty = make_table(seed=seed), 0.2
    gains = np.random.default_rng(seed).normal(size=table.codes.shape[1])
    low, high = np.zeros(3, np.int32), table.n_codes - 1

    def value(low: np.ndarray, high: np.ndarray) -> float:
        sides = (low > 0).sum() + (high < table.n_codes - 1).sum()
        return float(gains[in_box(table.codes, low, high)].sum() - penalty * sides)

    reached = fast_boxes.climb(
        table.codes, table.n_codes, gains, low, high, penalty, table.excitatory, table.inhibitory
    )
    assert reached == pytest.approx(value(low, high))
    for i in range(3):
        for a, b in itertools.combinations_with_replacement(range(table.n_codes[i]), 2):
            other_low, other_high = low.copy(), high.copy()
            other_low[i], other_high[i] = a, b
            assert value(other_low, other_high) <= reached + 1e-9


def test_gains_are_differences_of_the_loss() -> None:
    table = make_table()
    rng = np.random.default_rng(1)
    counts, w_t, theta_t = rng.integers(0, 3, (60, 3)).astype(float), rng.normal(size=3), rng.normal(size=3)
    pattern = np.array([True, False, True])
    gains = fast_boxes.gains_of(w_t * counts - theta_t, table.targets, table.weights, w_t, pattern)
    expected = slow_loss(counts, table, w_t, theta_t) - slow_loss(counts + pattern, table, w_t, theta_t)
    np.testing.assert_allclose(gains, expected, atol=1e-12)


def test_the_telodendra_are_at_the_minimum() -> None:
    table = make_table()
    counts = np.random.default_rng(2).integers(0, 3, (60, 3)).astype(float)
    w_t, theta_t = np.ones(3), np.zeros(3)
    reached = fit_telodendra(counts, table.targets, table.weights, w_t, theta_t, 50)

    def penalised(w: np.ndarray, theta: np.ndarray) -> float:
        prior = fast_boxes.W_PRECISION * ((w - fast_boxes.W_PRIOR) ** 2).sum()
        return slow_loss(counts, table, w, theta).sum() + 0.5 * (
            prior + fast_boxes.THETA_PRECISION * (theta**2).sum()
        )

    assert reached == pytest.approx(penalised(w_t, theta_t))
    for k, step in itertools.product(range(3), (-0.01, 0.01)):
        assert penalised(w_t + step * np.eye(3)[k], theta_t) > reached
        assert penalised(w_t, theta_t + step * np.eye(3)[k]) > reached


@pytest.mark.slow
def test_larger_circuits_have_a_lower_loss_and_no_more_conditions_than_allowed() -> None:
    table = make_table(N=200)
    found = boxes.learn(table, Starts.none(3, 3), max_size=8)
    sizes, losses = [one.size(table.n_codes) for one in found], [one.loss for one in found]
    assert sizes[0] == 0
    assert sizes == sorted(set(sizes)) and sizes[-1] <= 8
    assert losses == sorted(losses, reverse=True)
    last = found[-1]
    right = (last.w_t * last.counts(table.codes) - last.theta_t).argmax(1) == table.targets.argmax(1)
    assert right.mean() > 0.85  # a tenth of the values is missing
    held = np.stack([in_box(table.codes, *box) for box in last.boxes])
    np.testing.assert_array_equal(last.counts(table.codes), held.T.astype(float) @ last.P)


def test_thinning_takes_the_condition_that_is_worth_least() -> None:
    table = make_table(N=200)
    circuit = boxes.learn(table, Starts.none(3, 3), max_size=6)[-1]
    thinner = thinned(circuit, table)
    assert thinner.size(table.n_codes) == circuit.size(table.n_codes) - 1
    losses = []
    for j, side, column in np.argwhere(circuit.boxes != np.stack([0 * table.n_codes, table.n_codes - 1])):
        wider = circuit.boxes.copy()
        wider[j, side, column] = [0, table.n_codes[column] - 1][side]
        w_t, theta_t = circuit.w_t.copy(), circuit.theta_t.copy()
        counts = circuit._replace(boxes=wider).counts(table.codes)
        losses.append(fit_telodendra(counts, table.targets, table.weights, w_t, theta_t, 50))
    # A dendrite without conditions always holds, as an offset does: nothing is lost when it is removed.
    assert thinner.loss == pytest.approx(min(losses), rel=0.05)
    while thinner.size(table.n_codes) > 0:
        thinner = thinned(thinner, table)
    assert len(thinner.boxes) == len(thinner.P) == 0


@pytest.mark.slow
def test_a_start_with_several_classes_is_used() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (2, 400)).astype(np.int32)
    targets = np.where(codes[0][:, None] == 1, [0.5, 0.5, 0.0], [0.0, 0.0, 1.0])
    everywhere = np.ones(2, dtype=bool)
    table = Table(codes, np.array([2, 2], np.int32), targets, np.ones(400), everywhere, everywhere)
    both = Starts(np.array([[[1, 0], [1, 1]]], np.int32), np.array([[True, True, False]]))
    # A rule for the third class says the same with one condition; without it, the start is the better one.
    table = table._replace(inhibitory=np.zeros(2, dtype=bool))
    found = boxes.learn(table, both, max_size=1)[-1]
    assert found.P.tolist() == [[True, True, False]]


def test_the_smallest_penalty_is_reached_for_any_number_of_samples() -> None:
    for total in (1.0, 50.0, 1e6):
        penalties = boxes.penalties(total)
        assert (np.diff(penalties) < 0).all()
        assert penalties[-1] <= boxes.SMALLEST_PENALTY * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_integers_decide_nearly_as_the_best_real_numbers(seed: int) -> None:
    table = make_table(N=300, seed=seed)
    found = boxes.learn(table, Starts.none(3, 3), max_size=6)[-1]
    counts = found.counts(table.codes)
    w_t, theta_t = integer_telodendra(counts, table.targets, table.weights)
    assert w_t.dtype == theta_t.dtype == np.int64
    assert np.abs(w_t).max() <= LARGEST_WEIGHT + 1 and theta_t.min() == 0
    real_w, real_theta = np.ones(3), np.zeros(3)
    fit_telodendra(counts, table.targets, table.weights, real_w, real_theta, 50)
    y = table.targets.argmax(axis=1)
    real, rounded = (real_w * counts - real_theta).argmax(axis=1), (w_t * counts - theta_t).argmax(axis=1)
    assert np.mean(rounded == real) > 0.95 or np.mean(rounded == y) >= np.mean(real == y)


def test_integers_without_any_dendrite() -> None:
    table = make_table()
    _, theta_t = integer_telodendra(np.zeros((60, 3)), table.targets, table.weights)
    assert theta_t.argmin() == (table.weights @ table.targets).argmax()
