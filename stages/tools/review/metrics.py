"""Which metrics moved, and whether by more than chance.

A metric is the mean of a measure over all datasets and runs of one method in one study. Both sides made their
runs with the same seeds, so run k of a dataset here is compared with run k there. The test is Wilcoxon's if
enough pairs differ, else the sign test, which is exact for any number. All p-values are Holm's: corrected for
the number of metrics that changed at all. (What did not change by a digit cannot be a false alarm.)
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from modn.metrics import mean_interval, wilcoxon
from stages.io.entrypoint import StageError
from stages.study import measures
from stages.study.tables import POINT
from stages.tools import markup
from stages.tools.review.sides import Sides, read_table

LEVEL = 0.05
FEW = 10  # pairs that differ; below, the normal approximation of Wilcoxon's test is poor
DECIMALS = 9
PAIR = ["metric", "dataset", "point", "run"]
TRAINED = ("study", "dataset", "model", "optimizer", "run", *POINT)
FITTED = ("dataset", "baseline", "search", "run")
READABLE = ("dataset", "model", "size", "run")


@dataclass(frozen=True)
class Metric:
    """A mean before and after, with the 95 % interval of its change and the corrected p-value."""

    name: str
    before: float
    after: float
    low: float
    high: float
    p: float
    n_pairs: int
    n_changed: int
    most_on: str  # the dataset that changed most, and by how much
    largest: float

    @property
    def change(self) -> float:
        """After minus before."""
        return self.after - self.before

    @property
    def moved(self) -> bool:
        """Whether it changed by more than chance."""
        return self.p < LEVEL


@dataclass(frozen=True)
class Comparison:
    """All metrics and all cells that both sides have, and the methods that only one has."""

    metrics: list[Metric]
    cells: list[Metric]
    added: list[str]
    removed: list[str]

    @property
    def changed(self) -> list[Metric]:
        """The metrics that differ at all."""
        return [metric for metric in self.metrics if metric.n_changed]

    @property
    def moved(self) -> list[Metric]:
        """Those that changed by more than chance, the largest change first."""
        return _by_size(metric for metric in self.metrics if metric.moved)

    @property
    def too_few(self) -> bool:
        """Whether not even runs that all agree could show that a metric moved."""
        return bool(self.changed) and all(
            len(self.changed) * 2.0 ** (1 - metric.n_pairs) >= LEVEL for metric in self.changed
        )


def compare(sides: Sides, folder: str) -> Comparison | None:
    """Run by run; None if the base has no such report, or one that cannot be compared."""
    before, after = [], []
    shapes = {"runs": (TRAINED, _trained)}
    shapes |= {
        table: (FITTED, partial(_fitted, study))
        for table, study in (
            ("baseline_runs", "baselines"),
            ("extra_runs", "extra"),
            ("target_runs", "targets"),
        )
    }
    shapes["circuit_runs"] = (READABLE, _readable)
    for table, (columns, shape) in shapes.items():
        path = f"{folder}/tables/{table}.csv"
        there, here = sides.both(path)
        if there is not None:
            try:
                before.append(shape(read_table(path, there, columns)))
            except StageError:
                return None  # an earlier version's
        if here is not None:
            after.append(shape(read_table(path, here, columns)))
    if not before or not after:
        return None
    old, new = (pd.concat(parts, ignore_index=True) for parts in (before, after))
    names = [name for name in measures.names() if name in old and name in new]
    pairs = old.merge(new, on=PAIR, suffixes=("_before", "_after"), validate="one_to_one")
    found, cells = [], []
    for name in names:
        values = pairs[[*PAIR, "title_after"]].assign(
            before=_numbers(pairs[f"{name}_before"]), after=_numbers(pairs[f"{name}_after"])
        )
        values = values.dropna(subset=["before", "after"])
        for metric, rows in values.groupby("metric", sort=False):
            found.append(_measured(f"{metric}.{name}", rows))
            cells += [_measured(f"{metric}.{name}", own) for _, own in rows.groupby("dataset", sort=False)]
    known, present = list(dict.fromkeys(old["metric"])), list(dict.fromkeys(new["metric"]))
    return Comparison(
        _corrected(found),
        _corrected(cells),
        [metric for metric in present if metric not in known],
        [metric for metric in known if metric not in present],
    )


def section(comparison: Comparison | None, base: str) -> str:
    """What moved beyond chance as a table, the rest folded."""
    if comparison is None:
        return f"{markup.code(base)} has no report of this profile to compare with."
    changed, moved = comparison.changed, comparison.moved
    rest = _by_size(metric for metric in changed if not metric.moved)
    names = {metric.name for metric in moved}
    cells = _by_size(cell for cell in comparison.cells if cell.moved and cell.name not in names)
    blocks = []
    if not changed:
        blocks.append("No metric changed.")
    elif moved:
        heading = f"Moved by more than chance: {len(moved)}"
        blocks.append(markup.table(_header(base), [_row(metric) for metric in moved], heading))
    else:
        doubt = (
            "too few runs to tell whether by more than chance"
            if comparison.too_few
            else "none by more than chance"
        )
        blocks.append(f"{markup.count(len(changed), 'metric')} changed, {doubt}.")
    for heading, metrics in (
        ("Undecided" if comparison.too_few else "Within chance", rest),
        ("Single datasets that moved by more than chance, although the mean did not", cells),
    ):
        if metrics:
            grid = markup.grid(_header(base), [_row(metric) for metric in metrics])
            blocks.append(markup.folded(f"{heading}: {len(metrics)}", grid))
    for word, methods in (("New", comparison.added), ("No longer run", comparison.removed)):
        if methods:
            blocks.append(f"{word}: {markup.some([markup.code(name) for name in methods], 8)}.")
    return "\n\n".join(blocks)


def _header(base: str) -> tuple[str, ...]:
    return "metric", markup.text(base), "this branch", "change, 95 % interval", "p", "pairs", "most on"


def _row(metric: Metric) -> tuple[str, ...]:
    return (
        markup.code(metric.name),
        f"{metric.before:.4f}",
        f"{metric.after:.4f}",
        f"{markup.signed(metric.change)} ({markup.signed(metric.low)} to {markup.signed(metric.high)})",
        "< 0.001" if metric.p < 0.001 else f"{metric.p:.3f}",
        str(metric.n_pairs),
        f"{markup.text(metric.most_on)} {markup.signed(metric.largest, 3)}" if metric.n_changed else "",
    )


def _trained(frame: pd.DataFrame) -> pd.DataFrame:
    """A point of the grid is part of the cell in the sensitivity study; elsewhere it may be what changed."""
    point = frame[POINT].agg(" ".join, axis=1).where(frame["study"] == "sensitivity", "")
    metric = frame["study"] + "." + frame["model"] + "-" + frame["optimizer"]
    return frame.assign(metric=metric, point=point).reindex(columns=_kept(frame))


def _fitted(study: str, frame: pd.DataFrame) -> pd.DataFrame:
    metric = f"{study}." + frame["baseline"] + "-" + frame["search"]
    return frame.assign(metric=metric, point="").reindex(columns=_kept(frame))


def _readable(frame: pd.DataFrame) -> pd.DataFrame:
    """The models at the size that each chose itself."""
    own = frame[frame["size"] == ""]
    return own.assign(metric="circuits." + own["model"], point="").reindex(columns=_kept(own))


def _kept(frame: pd.DataFrame) -> list[str]:
    return [*PAIR, "title", *(name for name in measures.names() if name in frame)]


def _numbers(column: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(column, errors="coerce")
    return numbers.where(np.isfinite(numbers))


def _measured(name: str, rows: pd.DataFrame) -> Metric:
    """Means over datasets of the means over runs; the p-value is not corrected yet."""
    change = (rows["after"] - rows["before"]).round(DECIMALS)
    means = rows.assign(change=change).groupby("dataset", sort=False)[["before", "after", "change"]].mean()
    interval = mean_interval(change)
    largest = means["change"].abs().idxmax()
    title = rows.loc[rows["dataset"] == largest, "title_after"].iloc[0]
    return Metric(
        name,
        float(means["before"].mean()),
        float(means["after"].mean()),
        interval.low,
        interval.high,
        paired_p(change.to_numpy()),
        len(rows),
        int((change != 0).sum()),
        str(title),
        float(means.loc[largest, "change"]),
    )


def paired_p(change: NDArray[np.float64]) -> float:
    """Two-sided p of paired differences that chance alone would make as often positive as negative."""
    changed = change[change != 0]
    if changed.size >= FEW:
        return wilcoxon(change, np.zeros_like(change)).p
    fewer = min(int((changed > 0).sum()), int((changed < 0).sum()))
    as_rare = sum(math.comb(changed.size, k) for k in range(fewer + 1))
    return min(1.0, 2.0 * as_rare / 2.0**changed.size)


def holm(p: Sequence[float]) -> list[float]:
    """Holm's correction for the number of tests."""
    corrected, largest = [1.0] * len(p), 0.0
    for rank, index in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        largest = max(largest, min(1.0, (len(p) - rank) * p[index]))
        corrected[index] = largest
    return corrected


def _corrected(found: list[Metric]) -> list[Metric]:
    changed = [metric for metric in found if metric.n_changed]
    corrected = iter(holm([metric.p for metric in changed]))
    return [replace(metric, p=next(corrected)) if metric.n_changed else metric for metric in found]


def _by_size(found: Iterable[Metric]) -> list[Metric]:
    return sorted(found, key=lambda metric: (-abs(metric.change), metric.name))
