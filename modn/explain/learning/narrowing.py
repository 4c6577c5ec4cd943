"""Circuits from many columns: learn from those that matter most.

A climb looks at every column, and begins at a condition of each: the time grows with the square of their
number. A neuron has looked at all of them already; without one, the best single condition of each counts.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from modn.explain.learning import fast_boxes
from modn.explain.learning.table import Boxes, Codes, Starts, Table

MOST_COLUMNS = 40

Columns = NDArray[np.int64]  # positions of columns, ascending


def most_used(use: NDArray[np.float64]) -> Columns:
    """The columns with the highest use (D,); all of them where they are few, else none without use."""
    if len(use) <= MOST_COLUMNS:
        return np.arange(len(use))
    highest = np.argsort(-use, kind="stable")[:MOST_COLUMNS]
    used = highest[use[highest] > 0]
    return np.sort(used if len(used) else highest)


def told_by_conditions(table: Table) -> NDArray[np.float64]:
    """How much the best single condition of each column (D,) tells about the classes, in nats."""
    totals = table.targets.sum(axis=0)
    shares = np.tile(totals / totals.sum(), (len(table.targets), 1))
    stumps, _ = fast_boxes.best_stumps(
        table.codes, table.n_codes, shares, table.targets, table.excitatory, table.inhibitory
    )
    held = np.array([fast_boxes.holds(table.codes, *box) for box in stumps])
    inside = np.einsum("in,nc->ic", held.astype(np.float64), table.targets)  # sums of the targets (D, C)
    return np.asarray(_disorder(totals) - _disorder(inside) - _disorder(np.maximum(totals - inside, 0.0)))


def _disorder(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """The entropy of classes with these sums (..., C), times their total."""
    total = sums.sum(axis=-1)
    return np.asarray(xlogy(total, total) - xlogy(sums, sums).sum(axis=-1))


def narrowed(table: Table, starts: Starts, columns: Columns) -> tuple[Table, Starts]:
    """The table and the boxes to begin at, with these columns only."""
    codes, n_codes, targets, excitatory, inhibitory = table
    own = Table(
        np.ascontiguousarray(codes[columns]),
        n_codes[columns],
        targets,
        excitatory[columns],
        inhibitory[columns],
    )
    return own, starts._replace(boxes=np.ascontiguousarray(starts.boxes[:, :, columns]))


def widened(found: Boxes, columns: Columns, n_codes: Codes) -> Boxes:
    """A circuit of these columns as one of all columns, without conditions on the others."""
    whole = np.array([np.zeros_like(n_codes), n_codes - 1], np.int32)
    boxes = np.repeat(whole[None], len(found.boxes), axis=0)
    boxes[:, :, columns] = found.boxes
    return found._replace(boxes=boxes)
