"""The measures against slow or independent computations and the p-values that the paper prints."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import log_loss, roc_auc_score, roc_curve

from modn import metrics

TABLE_5 = Path(__file__).parents[2] / "data" / "raw" / "paper" / "table5_comparison.csv"
BINARY = {"breast_cancer", "blood_transfusion", "heart_disease", "raisin", "caesarian"}


def softmax_scores(seed: int, n: int, classes: int, decimals: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels and probabilities; few decimals make tied scores."""
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    logits = rng.normal(size=(n, classes)) + 1.5 * (y[:, None] == np.arange(classes))
    proba = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return y, proba.round(decimals)


def pairwise_auc(y: np.ndarray, proba: np.ndarray) -> float:
    """Chance that a true (sample, class) pair scores above a false one; a tie counts half."""
    true = [proba[n, c] for n in range(len(y)) for c in range(proba.shape[1]) if y[n] == c]
    false = [proba[n, c] for n in range(len(y)) for c in range(proba.shape[1]) if y[n] != c]
    wins = sum((t > f) + 0.5 * (t == f) for t in true for f in false)
    return wins / (len(true) * len(false))


def test_accuracy_counts_the_most_probable_class() -> None:
    proba = [[0.7, 0.2, 0.1], [0.1, 0.5, 0.4], [0.3, 0.3, 0.4], [0.5, 0.5, 0.0]]
    assert metrics.accuracy([0, 2, 2, 1], proba) == 0.5
    assert metrics.accuracy([0, 1, 2, 0], proba) == 1.0


@pytest.mark.parametrize("classes", [2, 3, 6])
@pytest.mark.parametrize("decimals", [1, 12])
def test_micro_auc_is_the_pairwise_chance_and_scikit_learns(classes: int, decimals: int) -> None:
    y, proba = softmax_scores(classes, 40, classes, decimals)
    auc = metrics.micro_auc(y, proba)
    assert auc == pytest.approx(pairwise_auc(y, proba), abs=1e-12)
    indicators = np.eye(classes, dtype=int)[y]
    assert auc == pytest.approx(roc_auc_score(indicators, proba, average="micro"), abs=1e-12)
    assert 0.5 < auc < 1


@pytest.mark.parametrize("decimals", [1, 12])
def test_roc_points_are_scikit_learns(decimals: int) -> None:
    y, proba = softmax_scores(7, 60, 3, decimals)
    fpr, tpr = metrics.roc_points(y, proba)
    expected_fpr, expected_tpr, _ = roc_curve(
        np.eye(3, dtype=int)[y].ravel(), proba.ravel(), drop_intermediate=False
    )
    grid = np.linspace(0, 1, 1001)
    np.testing.assert_allclose(
        np.interp(grid, fpr, tpr), np.interp(grid, expected_fpr, expected_tpr), atol=1e-12
    )
    assert fpr[0] == tpr[0] == 0 and fpr[-1] == tpr[-1] == 1
    points = set(zip(expected_fpr, expected_tpr, strict=True))
    assert set(zip(fpr, tpr, strict=True)) < points


@pytest.mark.parametrize("classes", [2, 5])
def test_log_loss_is_scikit_learns(classes: int) -> None:
    y, proba = softmax_scores(3, 60, classes, 9)
    expected = log_loss(y, proba / proba.sum(axis=1, keepdims=True), labels=range(classes))
    assert metrics.log_loss(y, proba) == pytest.approx(expected)
    assert metrics.log_loss([0, 1], np.eye(2)) == 0
    assert metrics.log_loss([1, 1], np.eye(2)) == pytest.approx(-np.log(np.finfo(float).eps) / 2)


def slow_calibration_error(y: np.ndarray, proba: np.ndarray, n_bins: int) -> float:
    """Bin by bin, by its definition."""
    total = 0.0
    for k in range(n_bins):
        low, high = k / n_bins, (k + 1) / n_bins
        inside = [n for n in range(len(y)) if low <= max(proba[n]) < high or (high == 1 == max(proba[n]))]
        if inside:
            right = np.mean([np.argmax(proba[n]) == y[n] for n in inside])
            sure = np.mean([max(proba[n]) for n in inside])
            total += len(inside) / len(y) * abs(right - sure)
    return total


@pytest.mark.parametrize("n_bins", [1, 10, 15])
def test_calibration_error_is_that_of_its_definition(n_bins: int) -> None:
    y, proba = softmax_scores(4, 200, 3, 9)
    proba /= proba.sum(axis=1, keepdims=True)
    assert metrics.calibration_error(y, proba, n_bins) == pytest.approx(
        slow_calibration_error(y, proba, n_bins)
    )
    assert metrics.calibration_error([0, 1], np.eye(2), n_bins) == 0
    assert metrics.calibration_error([1, 0], np.eye(2), n_bins) == 1


@pytest.mark.parametrize("measure", [metrics.log_loss, metrics.calibration_error])
@pytest.mark.parametrize("proba", [[[0.5, 0.6]], [[1.5, -0.5]]])
def test_what_is_no_probability_is_refused(measure: Callable[..., float], proba: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="proba has rows that are no probabilities; allowed: "):
        measure([0], proba)


def test_auc_of_perfect_reversed_and_constant_scores() -> None:
    y = np.array([0, 1, 2])
    assert metrics.micro_auc(y, np.eye(3)) == 1
    assert metrics.micro_auc(y, 1 - np.eye(3)) == 0
    assert metrics.micro_auc(y, np.full((3, 3), 1 / 3)) == 0.5


def test_mean_roc_lies_between_its_curves() -> None:
    curves = [metrics.roc_points(*softmax_scores(seed, 50, 3, 12)) for seed in range(5)]
    mean = metrics.mean_roc(curves)
    each = np.array([np.interp(mean.fpr, c.fpr, c.tpr) for c in curves])
    np.testing.assert_allclose(mean.tpr, each.mean(axis=0))
    assert (mean.low <= mean.tpr).all() and (mean.tpr <= mean.high).all()
    assert (mean.high - mean.low).max() > 0.01
    one = metrics.mean_roc(curves[:1], n_points=11)
    np.testing.assert_array_equal(one.tpr, one.low)
    assert one.fpr.shape == (11,)


@pytest.mark.parametrize(
    ("y", "proba", "message"),
    [
        ([0, 1], [[1.0], [0.0]], "the number of proba's columns is 1; allowed: an integer >= 2"),
        ([0, 1, 0], [[1.0, 0.0], [0.0, 1.0]], r"y has the shape \(3,\); allowed: \(2,\)"),
        ([0, 2], [[1.0, 0.0], [0.0, 1.0]], r"y\[1\] is 2; allowed: an integer from 0 to 1"),
        ([-1, 1], [[1.0, 0.0], [0.0, 1.0]], r"y\[0\] is -1; allowed: an integer from 0 to 1"),
        ([0.0, 1.0], [[1.0, 0.0], [0.0, 1.0]], "y has the dtype float64; allowed: integers"),
        ([0, 1], [[1.0, np.nan], [0.0, 1.0]], r"proba\[0, 1\] is nan; allowed: a finite number"),
        (np.zeros(0, int), np.zeros((0, 2)), "proba has the shape"),
    ],
)
def test_bad_predictions_are_refused(y: object, proba: object, message: str) -> None:
    for measure in (metrics.accuracy, metrics.micro_auc, metrics.roc_points):
        with pytest.raises(ValueError, match=message):
            measure(y, proba)


def differences(w_minus: float, pairs: int) -> np.ndarray:
    """`pairs` differences of distinct sizes 1..pairs whose negative ranks sum to w_minus."""
    signed = np.arange(1.0, pairs + 1)
    left = w_minus
    for rank in range(pairs, 0, -1):
        if rank <= left:
            signed[rank - 1] *= -1
            left -= rank
    assert left == 0
    return signed


def table_5() -> dict[str, pd.Series]:
    rows = pd.read_csv(TABLE_5).dropna(subset="w_plus")
    return {f"{row.dataset}-{row.method}": row for _, row in rows.iterrows()}


def comparisons_of(row: pd.Series) -> int:
    return 2 if row.dataset in BINARY else 1


def ends(row: pd.Series, comparisons: int) -> tuple[float, float]:
    """The p-values that the sums allow: they do not tell the ties, and p falls from no ties to all tied."""
    pairs = round((np.sqrt(1 + 8 * (row.w_plus + row.w_minus)) - 1) / 2)
    assert pairs * (pairs + 1) / 2 == row.w_plus + row.w_minus
    distance = abs(row.w_plus - row.w_minus) / 2 - 0.5
    all_tied = comparisons * 2 * stats.norm.sf(distance / np.sqrt(pairs * (pairs + 1) ** 2 / 16))
    # Half a rank cannot be had without ties: the next whole one towards the centre has a larger p still.
    nearest = np.ceil(min(row.w_plus, row.w_minus))
    # The run of equal accuracy is dropped, and makes the test the approximate one.
    untied = metrics.wilcoxon(np.append(differences(nearest, pairs), 0.0), np.zeros(pairs + 1), comparisons)
    return all_tied, untied.p


def test_the_papers_exact_p_value_from_its_own_sums() -> None:
    """Heart disease against the MLP is the row without ties: its p is counted, 2 x 2 x 2 / 2^30."""
    row = table_5()["heart_disease-mlp"]
    result = metrics.wilcoxon(differences(row.w_minus, 30), np.zeros(30), comparisons_of(row))
    assert (result.w_plus, result.w_minus) == (row.w_plus, row.w_minus)
    assert result.p == pytest.approx(row.p_value_bonferroni, rel=1e-6)


@pytest.mark.parametrize("key", sorted(set(table_5()) - {"heart_disease-mlp", "raisin-dnm"}))
def test_the_papers_tied_p_values_lie_between_no_ties_and_all_tied(key: str) -> None:
    row = table_5()[key]
    all_tied, untied = ends(row, comparisons_of(row))
    assert all_tied < row.p_value_bonferroni <= untied
    assert row.p_value_bonferroni > 0.8 * untied


def test_one_printed_p_value_is_not_that_of_its_sums() -> None:
    """Raisin against DNM: no ties whatever give the printed p with two comparisons; three would."""
    row = table_5()["raisin-dnm"]
    assert row.p_value_bonferroni > 1.4 * ends(row, 2)[1]
    all_tied, untied = ends(row, 3)
    assert all_tied < row.p_value_bonferroni < untied


def test_tied_differences_use_the_tie_correction() -> None:
    result = metrics.wilcoxon(np.full(30, 0.25), np.zeros(30))
    assert (result.w_plus, result.w_minus) == (465, 0)
    assert result.p == pytest.approx(2 * stats.norm.sf((232.5 - 0.5) / np.sqrt(30 * 31**2 / 16)), rel=1e-9)


def test_rounding_errors_do_not_hide_ties_or_equal_runs() -> None:
    ours, theirs = np.array([0.9, 0.8, 0.1 + 0.2]), np.array([0.8, 0.7, 0.3])
    assert (ours - theirs != 0).all() and len(set(ours - theirs)) == 3
    assert metrics.wilcoxon(ours, theirs)[:2] == (3.0, 0.0)
    np.testing.assert_equal(metrics.wilcoxon(ours, theirs).p, metrics.wilcoxon([2, 2, 2], [1, 1, 2]).p)


def test_equal_runs_give_p_1_and_bonferroni_stops_at_1() -> None:
    assert metrics.wilcoxon([0.5, 0.6], [0.5, 0.6], comparisons=2) == (0.0, 0.0, 1.0)
    assert metrics.wilcoxon([1.0, 2.0, -3.5], [0.0, 0.0, 0.0], comparisons=3).p == 1.0
    assert metrics.wilcoxon([0.7], [0.6]) == (1.0, 0.0, 1.0)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=60))
def test_wilcoxon_is_symmetric_and_its_ranks_add_up(counts: list[tuple[int, int]]) -> None:
    ours, theirs = np.array(counts).T / 30
    there, back = metrics.wilcoxon(ours, theirs), metrics.wilcoxon(theirs, ours)
    assert (there.w_plus, there.w_minus) == (back.w_minus, back.w_plus)
    assert there.p == pytest.approx(back.p, rel=1e-9)
    assert 0 < there.p <= 1
    pairs = sum(a != b for a, b in counts)
    assert there.w_plus + there.w_minus == pairs * (pairs + 1) / 2


@pytest.mark.parametrize(
    ("ours", "theirs", "comparisons", "message"),
    [
        ([0.1, 0.2], [0.1], 1, "theirs has 1 runs; allowed: as many as ours, 2"),
        ([], [], 1, r"ours has the shape \(0,\); allowed: \(n_runs,\)"),
        ([0.1], [np.nan], 1, r"theirs\[0\] is nan; allowed: a finite number"),
        ([0.1], [0.2], 0, "comparisons is 0; allowed: an integer >= 1"),
    ],
)
def test_bad_runs_are_refused(ours: list, theirs: list, comparisons: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        metrics.wilcoxon(ours, theirs, comparisons)


def test_mean_interval_is_students() -> None:
    values = np.random.default_rng(3).normal(0.8, 0.05, size=30)
    mean, std, low, high = metrics.mean_interval(values, level=0.9)
    assert (mean, std) == pytest.approx((values.mean(), values.std(ddof=1)))
    expected = stats.t.interval(0.9, df=29, loc=values.mean(), scale=stats.sem(values))
    assert (low, high) == pytest.approx(expected, rel=1e-12)


def test_mean_interval_of_one_run_is_the_run() -> None:
    assert metrics.mean_interval([0.75]) == (0.75, 0.0, 0.75, 0.75)


@pytest.mark.parametrize("level", [0.0, 1.0, 95])
def test_mean_interval_refuses_levels_outside_0_1(level: float) -> None:
    with pytest.raises(ValueError, match=r"level is .*; allowed: a number in \(0, 1\)"):
        metrics.mean_interval([0.1, 0.2], level)
