"""Whether runs show more than chance: tests on one dataset, and what they say about several."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

LEVEL = 0.05  # a p-value below it is more than chance
_DECIMALS = 5  # one less than runs have in their table: rounding errors are no difference


def ahead(ours: ArrayLike, theirs: ArrayLike) -> float:
    """By how much our mean over runs is higher; accuracies that are equal but for rounding errors give 0."""
    return float(np.round(np.mean(np.asarray(ours) - np.asarray(theirs)), _DECIMALS))


def better(ours: ArrayLike, theirs: ArrayLike) -> float:
    """The one-sided p-value that our mean is higher, by Student's t-test of paired runs."""
    differences = np.round(np.asarray(ours, dtype=float) - np.asarray(theirs, dtype=float), _DECIMALS)
    n = len(differences)
    if n < 2:
        return 1.0  # one run shows no spread
    if np.ptp(differences) == 0:  # t is not defined: the test that flips signs
        return 0.5**n if differences[0] > 0 else 1.0

    from scipy import special

    t = differences.mean() / (differences.std(ddof=1) / np.sqrt(n))
    return float(special.stdtr(n - 1, -t))


def rising(x: ArrayLike, y: ArrayLike) -> float:
    """The one-sided p-value that y rises with x, by Spearman's rank correlation."""
    from scipy import stats

    return float(stats.spearmanr(x, y, alternative="greater").pvalue)


def at_least(count: int, p_values: Iterable[float]) -> float:
    """The p-value that at least `count` of several statements hold, from one p-value for each.

    Simes' test of a partial conjunction (Benjamini and Heller, Biometrics 64, 2008): all of them must be
    shown if `count` is their number, and one is enough if it is 1, the more often it was looked for the
    more clearly.
    """
    ordered = sorted(p_values)[count - 1 :]
    return min(1.0, min(len(ordered) / place * p for place, p in enumerate(ordered, start=1)))


def share_interval(count: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share, by Clopper and Pearson."""
    from scipy import stats

    low, high = stats.binomtest(count, total).proportion_ci(1 - LEVEL)
    return float(low), float(high)


def resampled_interval(groups: list[np.ndarray], draws: int = 2000) -> tuple[float, float]:
    """The 95 % interval of the mean of all values, by a bootstrap over the groups they come in."""
    rng = np.random.default_rng(0)  # the same values give the same interval
    picked = rng.integers(len(groups), size=(draws, len(groups)))
    sums, sizes = np.array([group.sum() for group in groups]), np.array([len(group) for group in groups])
    low, high = np.quantile(sums[picked].sum(axis=1) / sizes[picked].sum(axis=1), (LEVEL / 2, 1 - LEVEL / 2))
    return float(low), float(high)


def mean_interval(values: ArrayLike) -> tuple[float, float]:
    """The 95 % interval of a mean by Student's t; one value has none."""
    from scipy import special

    values = np.asarray(values, dtype=float)
    n = len(values)
    if n < 2:
        return float("nan"), float("nan")
    half = float(special.stdtrit(n - 1, 1 - LEVEL / 2) * values.std(ddof=1) / np.sqrt(n))
    return float(values.mean()) - half, float(values.mean()) + half


def nested_interval(groups: list[np.ndarray], draws: int = 2000) -> tuple[float, float]:
    """The 95 % interval of the mean of the groups' means, by a bootstrap over groups and, in each, values."""
    rng = np.random.default_rng(0)  # the same values give the same interval
    means = np.empty((len(groups), draws, len(groups)))  # of each group, drawn anew wherever it is picked
    for own, group in zip(means, groups, strict=True):
        own[:] = group[rng.integers(len(group), size=(*own.shape, len(group)))].mean(axis=-1)
    picked = rng.integers(len(groups), size=(draws, len(groups)))
    drawn = means[picked, np.arange(draws)[:, None], np.arange(len(groups))]
    low, high = np.quantile(drawn.mean(axis=1), (LEVEL / 2, 1 - LEVEL / 2))
    return float(low), float(high)
