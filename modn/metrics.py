"""How good a classifier is, and whether it is better than another: the measures of Tables 3 and 5.

Accuracy, the micro-averaged ROC curve, the log-loss and the calibration error judge one run; the Wilcoxon
signed-rank test (Eq. 25), the interval over runs and the mean ranks compare many. Labels are integers 0..C-1,
probabilities have the shape (N, C).

>>> from modn import metrics
>>> y, proba = [0, 1, 1], [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]
>>> round(metrics.accuracy(y, proba), 3), round(metrics.micro_auc(y, proba), 3)
(0.667, 0.889)
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn.constraints import Integer, Number, check
from modn.validation import class_indices, finite_array

__all__ = [
    "Interval",
    "MeanRoc",
    "Roc",
    "Wilcoxon",
    "accuracy",
    "calibration_error",
    "log_loss",
    "mean_interval",
    "mean_roc",
    "micro_auc",
    "roc_points",
    "wilcoxon",
]

# Accuracies are ratios of small integers: 0.9 - 0.8 and 0.3 - 0.2 are a tie that rounding errors would hide.
_DECIMALS = 12

# Up to here R's `wilcox.test`, whose p-values the paper prints, counts instead of approximating.
_EXACT_BELOW = 50


class Roc(NamedTuple):
    """A ROC curve from (0, 0) to (1, 1): false positive rate and true positive rate, both non-decreasing.

    >>> Roc(fpr=np.array([0.0, 0.0, 1.0]), tpr=np.array([0.0, 1.0, 1.0])).tpr[1]
    np.float64(1.0)
    """

    fpr: NDArray[np.float64]
    tpr: NDArray[np.float64]


class MeanRoc(NamedTuple):
    """The mean ROC curve of several runs over common false positive rates, with its interval.

    >>> curve = roc_points([0, 1], [[0.9, 0.1], [0.2, 0.8]])
    >>> mean_roc([curve, curve], n_points=3).low.tolist()
    [1.0, 1.0, 1.0]
    """

    fpr: NDArray[np.float64]
    tpr: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


class Wilcoxon(NamedTuple):
    """The signed-rank sums of the runs that we win (W+) and lose (W-), and the two-sided p-value.

    >>> found = wilcoxon([0.9, 0.8, 0.85, 0.95, 0.7, 0.75], [0.8, 0.75, 0.83, 0.92, 0.66, 0.69])
    >>> found.w_plus, found.w_minus
    (21.0, 0.0)
    """

    w_plus: float
    w_minus: float
    p: float


class Interval(NamedTuple):
    """Mean and standard deviation over runs, and the confidence interval [low, high] of the mean.

    >>> Interval(mean=0.9, std=0.02, low=0.88, high=0.92).high
    0.92
    """

    mean: float
    std: float
    low: float
    high: float


def accuracy(y: ArrayLike, proba: ArrayLike) -> float:
    """Share of the samples whose most probable class is the true one; the first of equals counts.

    >>> accuracy([0, 1, 2, 2], [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.4, 0.3, 0.3]])
    0.75
    """
    labels, scores = _labels_and_scores(y, proba)
    return float(np.mean(scores.argmax(axis=1) == labels))


def micro_auc(y: ArrayLike, proba: ArrayLike) -> float:
    """Area under the micro-averaged ROC curve: the chance that a true (sample, class) pair beats a false.

    >>> micro_auc([0, 1], [[0.9, 0.1], [0.2, 0.8]])
    1.0
    """
    fpr, tpr = roc_points(y, proba)
    return float(np.trapezoid(tpr, fpr))


def log_loss(y: ArrayLike, proba: ArrayLike) -> float:
    """Mean of -ln p of the true class; p is at least 2.2e-16, so that no mistake costs more than 36.

    >>> round(log_loss([0, 1], [[0.9, 0.1], [0.2, 0.8]]), 3)
    0.164
    """
    labels, p = _labels_and_probabilities(y, proba)
    return float(-np.log(np.maximum(p[np.arange(len(p)), labels], np.finfo(np.float64).eps)).mean())


def calibration_error(y: ArrayLike, proba: ArrayLike, n_bins: int = 15) -> float:
    """Expected calibration error (ECE) of the predicted class: the mean of |accuracy - confidence|.

    The confidence of a sample is its highest probability, which puts it in one of `n_bins` bins of equal
    width over [0, 1]. The difference of each bin counts by its share of the samples.

    >>> round(calibration_error([0, 0, 1, 0], [[0.75, 0.25]] * 4), 3)  # right in three of four cases
    0.0
    """
    labels, p = _labels_and_probabilities(y, proba)
    check("n_bins", n_bins, Integer(1))
    confidence = p.max(axis=1)
    surplus = (p.argmax(axis=1) == labels) - confidence
    bins = np.minimum((confidence * n_bins).astype(np.int64), n_bins - 1)
    return float(np.abs(np.bincount(bins, weights=surplus)).sum() / len(p))


def roc_points(y: ArrayLike, proba: ArrayLike) -> Roc:
    """Corners of the micro-averaged ROC curve: each (sample, class) pair is one case, for two classes too.

    >>> roc_points([0, 1], [[0.9, 0.1], [0.2, 0.8]]).tpr.tolist()
    [0.0, 1.0, 1.0]
    """
    labels, scores = _labels_and_scores(y, proba)
    positive = (labels[:, None] == np.arange(scores.shape[1])).ravel()
    order = np.argsort(-scores.ravel(), kind="stable")
    score, positive = scores.ravel()[order], positive[order]
    last_of_ties = np.append(np.diff(score) != 0, True)
    tp = np.append(0, np.cumsum(positive)[last_of_ties])
    fp = np.append(0, np.cumsum(~positive)[last_of_ties])
    # A point on the straight line between its neighbours adds nothing but bytes.
    turn = np.diff(tp[:-1]) * np.diff(fp[1:]) != np.diff(tp[1:]) * np.diff(fp[:-1])
    corner = np.concatenate(([True], turn, [True]))
    return Roc(fp[corner] / fp[-1], tp[corner] / tp[-1])


def mean_roc(curves: Sequence[Roc], n_points: int = 101, level: float = 0.95) -> MeanRoc:
    """Mean of ROC curves at `n_points` equally spaced false positive rates, with the interval over them.

    >>> runs = [roc_points([0, 1], [[0.9, 0.1], [p, 1 - p]]) for p in (0.2, 0.95)]
    >>> mean_roc(runs, n_points=3).tpr.tolist()
    [0.5, 0.75, 1.0]
    """
    if not curves:
        raise ValueError("curves is empty; allowed: at least one ROC curve")
    check("n_points", n_points, Integer(2))
    fpr = np.linspace(0.0, 1.0, n_points)
    # np.interp takes the last of several points with the same rate: the top of a vertical step.
    tpr = np.array([np.interp(fpr, curve.fpr, curve.tpr) for curve in curves])
    mean, _, low, high = np.array([mean_interval(column, level) for column in tpr.T]).T
    return MeanRoc(fpr, mean, low, high)


def wilcoxon(ours: ArrayLike, theirs: ArrayLike, comparisons: int = 1) -> Wilcoxon:
    """Wilcoxon signed-rank test (Eq. 25) of paired runs; `comparisons` is the Bonferroni factor on p.

    As the paper's p-values are: runs of equal accuracy are dropped; p is exact where there were none and no
    ties, else the normal approximation with continuity and tie correction. No difference at all gives p = 1.

    >>> wilcoxon([0.9, 0.8, 0.85, 0.95, 0.7, 0.75], [0.8, 0.75, 0.83, 0.92, 0.66, 0.69]).p
    0.03125
    """
    a, b = _runs("ours", ours), _runs("theirs", theirs)
    if a.shape != b.shape:
        raise ValueError(f"theirs has {b.size} runs; allowed: as many as ours, {a.size}")
    check("comparisons", comparisons, Integer(1))
    difference = np.round(a - b, _DECIMALS)
    nonzero = difference[difference != 0]
    if nonzero.size == 0:
        return Wilcoxon(0.0, 0.0, 1.0)

    from scipy import stats

    size = np.abs(nonzero)
    rank = stats.rankdata(size)
    exact = nonzero.size == difference.size < _EXACT_BELOW and np.unique(size).size == size.size
    p = stats.wilcoxon(nonzero, correction=True, method="exact" if exact else "asymptotic").pvalue
    return Wilcoxon(
        w_plus=float(rank[nonzero > 0].sum()),
        w_minus=float(rank[nonzero < 0].sum()),
        p=min(1.0, comparisons * float(p)),
    )


def mean_interval(values: ArrayLike, level: float = 0.95) -> Interval:
    """Mean, sample standard deviation and Student's confidence interval of the mean over runs.

    One run says nothing about the spread: its standard deviation is given as 0, its interval as the value.

    >>> [round(value, 3) for value in mean_interval([0.90, 0.92, 0.94])]
    [0.92, 0.02, 0.87, 0.97]
    """
    runs = _runs("values", values)
    check("level", level, Number(0, 1, "()"))
    mean = float(runs.mean())
    if runs.size == 1:
        return Interval(mean, 0.0, mean, mean)

    from scipy import special

    std = float(runs.std(ddof=1))
    half = float(special.stdtrit(runs.size - 1, (1 + level) / 2)) * std / np.sqrt(runs.size)
    return Interval(mean, std, float(mean - half), float(mean + half))


def _labels_and_scores(y: ArrayLike, proba: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    scores = finite_array("proba", proba, ("n_samples", "n_classes"))
    check("the number of proba's columns", scores.shape[1], Integer(2))
    return class_indices("y", y, *scores.shape), scores


def _labels_and_probabilities(
    y: ArrayLike, proba: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    labels, p = _labels_and_scores(y, proba)
    if p.min() < 0 or not np.allclose(p.sum(axis=1), 1.0, atol=1e-4):
        raise ValueError("proba has rows that are no probabilities; allowed: none negative, with the sum 1")
    return labels, p / p.sum(axis=1, keepdims=True)


def _runs(name: str, values: ArrayLike) -> NDArray[np.float64]:
    return finite_array(name, values, ("n_runs",))
