"""Boxes: the compiled search against slow searches, and what the learner promises."""

import itertools

import numpy as np
import pytest
from scipy.special import log_softmax

from modn.explain.learning import boxes, fast_boxes, fast_weights
from modn.explain.learning.integers import LEVELS, integer_weights
from modn.explain.learning.simplifying import simplified
from modn.explain.learning.table import Boxes, Starts, Table
from modn.explain.learning.thinning import refitted, thinned, with_a_condition_less


def make_table(N: int = 60, D: int = 3, C: int = 3, seed: int = 0, missing: float = 0.1) -> Table:
    rng = np.random.default_rng(seed)
    n_codes = np.array([5, 2, 7], dtype=np.int32)[:D]
    codes = np.stack([rng.integers(0, n, N) for n in n_codes]).astype(np.int32)
    y = np.where(codes[0] >= 3, 0, np.where(codes[2] % C == 1, 1, C - 1))
    codes[rng.random(codes.shape) < missing] = -1
    everywhere = np.ones(D, dtype=bool)
    return Table(codes, n_codes, np.eye(C)[y], everywhere, everywhere)


def in_box(codes: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    inside = (codes >= low[:, None]) & (codes <= high[:, None])
    return (inside | (codes < 0)).all(axis=0)


def slow_loss(scores: np.ndarray, table: Table) -> np.ndarray:
    return -(table.targets * log_softmax(scores, axis=1)).sum(axis=1)


def ridge(weights: np.ndarray) -> float:
    return 0.5 * fast_weights.WEIGHT_PRECISION * float((weights**2).sum())


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
    value, low, high = fast_boxes.best_interval(histogram, np.int32(K), penalty, excitatory, inhibitory)
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
    table, rng = make_table(), np.random.default_rng(1)
    scores, added = rng.normal(size=(60, 3)), rng.normal(size=3)
    gains = fast_weights.gains_of(fast_weights.shares_of(scores), table.targets, added)
    np.testing.assert_allclose(gains, slow_loss(scores, table) - slow_loss(scores + added, table), atol=1e-12)


def test_weights_are_at_the_minimum() -> None:
    table, rng = make_table(), np.random.default_rng(2)
    held = rng.random((4, 60)) < 0.5
    weights, theta_t = np.zeros((4, 3)), np.zeros(3)
    reached = fast_weights.fit_weights(held, table.targets, weights, theta_t, 100)

    def penalised(w: np.ndarray, theta: np.ndarray) -> float:
        return float(slow_loss(held.T.astype(float) @ w - theta, table).sum()) + ridge(w)

    assert reached == pytest.approx(penalised(weights, theta_t))
    for step in rng.normal(size=(20, 5, 3)):
        step *= 0.3 / np.linalg.norm(step)
        assert penalised(weights + step[:4], theta_t + step[4]) > reached - fast_weights.CLOSE


def test_the_weights_of_one_dendrite_are_at_the_minimum_and_the_scores_shift() -> None:
    table, rng = make_table(), np.random.default_rng(3)
    scores, held = rng.normal(size=(60, 3)), rng.random(60) < 0.4
    added, shift = np.zeros(3), np.zeros(3)
    gain = fast_weights.fit_dendrite(fast_weights.shares_of(scores), table.targets, held, added, shift, 50)
    reached = fast_weights.loss_of(scores, table.targets) - gain

    def penalised(added: np.ndarray, shift: np.ndarray) -> float:
        return float(slow_loss(scores + shift + np.outer(held, added), table).sum()) + ridge(added)

    assert reached == pytest.approx(penalised(added, shift), abs=0.01)
    for step in rng.normal(size=(20, 2, 3)):
        step *= 0.3 / np.linalg.norm(step)
        assert penalised(added + step[0], shift + step[1]) > reached - fast_weights.CLOSE


def test_a_stump_is_the_best_condition_of_its_column() -> None:
    table = make_table(N=200, missing=0.0)
    scores = np.zeros((200, 3))
    stumps, _ = fast_boxes.best_stumps(
        table.codes, table.n_codes, fast_weights.shares_of(scores), table.targets,
        table.excitatory, table.inhibitory,
    )  # fmt: skip

    def loss(held: np.ndarray) -> float:
        gain = fast_weights.fit_dendrite(
            fast_weights.shares_of(scores), table.targets, held, np.zeros(3), np.zeros(3), 50
        )
        return float(fast_weights.loss_of(scores, table.targets) - gain)

    for i, box in enumerate(stumps):
        assert fast_boxes.n_sides(*box, table.n_codes) == 1
        best = min(loss(table.codes[i] >= k) for k in range(1, table.n_codes[i]))
        assert loss(fast_boxes.holds(table.codes, *box)) == pytest.approx(best, rel=0.02)


@pytest.mark.slow
def test_larger_circuits_have_a_lower_loss_and_no_more_conditions_than_allowed() -> None:
    table = make_table(N=200)
    found = boxes.learn(table, Starts.none(3, 3), max_size=8)
    sizes, losses = [one.size(table.n_codes) for one in found], [one.loss for one in found]
    assert sizes[0] == 0
    assert sizes == sorted(set(sizes)) and sizes[-1] <= 8
    assert losses == sorted(losses, reverse=True)
    last = found[-1]
    assert (last.scores(table.codes).argmax(1) == table.targets.argmax(1)).mean() > 0.85  # some is missing
    held = np.array([in_box(table.codes, *box) for box in last.boxes])
    np.testing.assert_array_equal(last.held(table.codes), held)
    for one in found:
        rows = [*one.held(table.codes), *~one.held(table.codes)]
        assert len({row.tobytes() for row in rows}) == len(rows), "two rules say the same"


@pytest.mark.parametrize("seed", range(5))
def test_a_wider_box_holds_the_same_samples_and_all_its_conditions_count(seed: int) -> None:
    table, rng = make_table(N=20, seed=seed), np.random.default_rng(seed)
    for _ in range(20):
        low = rng.integers(0, table.n_codes).astype(np.int32)
        high = rng.integers(low, table.n_codes).astype(np.int32)
        before = in_box(table.codes, low, high)
        fast_boxes.widen(table.codes, table.n_codes, low, high)
        np.testing.assert_array_equal(in_box(table.codes, low, high), before)
        for _, box in with_a_condition_less(np.array([[low, high]]), table.n_codes):
            assert (in_box(table.codes, *box) != before).any()


def test_what_says_the_same_is_merged_and_no_score_changes() -> None:
    table = make_table(N=200, missing=0.0)
    whole = np.array([[0, 0, 0], table.n_codes - 1])
    at_least, below, with_an_idle_end, nested = (whole.copy() for _ in range(4))
    at_least[0, 0], below[1, 0] = 2, 1  # the opposite of each other
    with_an_idle_end[0, 0], with_an_idle_end[1, 2] = 2, 5
    nested[0, 2] = 3
    table.codes[2, table.codes[2] == 6] = 5  # nobody has the last code: the end excludes no one
    weights = np.arange(15.0).reshape(5, 3)
    given = np.array([with_an_idle_end, at_least, below, whole, nested], np.int32)
    circuit = Boxes(given, weights, np.array([1.0, 2.0, 3.0]), 0.0)
    simpler = simplified(circuit, table)
    assert len(simpler.boxes) == 2 and simpler.size(table.n_codes) == 2
    # All may get the same: what is merged with its opposite is a constant.
    difference = simpler.scores(table.codes) - circuit.scores(table.codes)
    np.testing.assert_allclose(difference, 0.0, atol=1e-12)


def test_thinning_takes_the_condition_that_is_worth_least() -> None:
    table = make_table(N=200)
    circuit = boxes.learn(table, Starts.none(3, 3), max_size=6)[-1]
    thinner = thinned(circuit, table)
    assert thinner.size(table.n_codes) == circuit.size(table.n_codes) - 1
    losses = [
        refitted(
            circuit._replace(boxes=np.array([*circuit.boxes[:j], box, *circuit.boxes[j + 1 :]])), table, 50
        )
        for j, box in with_a_condition_less(circuit.boxes, table.n_codes)
    ]
    # A dendrite without conditions always holds, as an offset does: nothing is lost when it is removed.
    assert thinner.loss == pytest.approx(min(one.loss for one in losses), rel=0.05)
    while thinner.size(table.n_codes) > 0:
        thinner = thinned(thinner, table)
    assert len(thinner.boxes) == len(thinner.weights) == 0


def test_the_smallest_penalty_is_reached_for_any_number_of_samples() -> None:
    for total in (1, 50, 1_000_000):
        penalties = boxes.penalties(total)
        assert (np.diff(penalties) < 0).all()
        assert penalties[-1] <= boxes.SMALLEST_PENALTY * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_integers_decide_nearly_as_the_best_real_numbers(seed: int) -> None:
    table = make_table(N=300, seed=seed)
    found = boxes.learn(table, Starts.none(3, 3), max_size=6)[-1]
    held = found.held(table.codes)
    weights, theta_t = integer_weights(held, table.targets)
    assert weights.dtype == theta_t.dtype == np.int64
    assert np.abs(weights).max() <= 2 * LEVELS[-1] and theta_t.min() == 0
    assert weights.any(axis=1).all(), "a dendrite adds nothing"
    assert (weights == 0).any(axis=1).all(), "the same could be taken from all weights"
    y = table.targets.argmax(axis=1)
    real, rounded = found.scores(table.codes).argmax(axis=1), (held.T @ weights - theta_t).argmax(axis=1)
    assert np.mean(rounded == real) > 0.95 or np.mean(rounded == y) >= np.mean(real == y)


def test_integers_without_any_dendrite() -> None:
    table = make_table()
    weights, theta_t = integer_weights(np.zeros((0, 60), bool), table.targets)
    assert weights.shape == (0, 3)
    assert theta_t.argmin() == table.targets.sum(axis=0).argmax()
