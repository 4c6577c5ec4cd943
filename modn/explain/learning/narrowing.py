"""Circuits from many columns: learn from those that the neuron uses most.

A climb looks at every column, and begins at a condition of each: the time grows with the square of their
number. A neuron has looked at all of them already.
"""

import numpy as np
from numpy.typing import NDArray

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
