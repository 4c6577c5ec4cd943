"""Thinning: smaller circuits from larger ones, one condition less at a time.

What grows dendrite by dendrite skips sizes, and a condition that was needed early may be superfluous later.
"""

from collections.abc import Iterator

import numpy as np

from modn.explain.learning.table import Boxes, Table
from modn.explain.learning.telodendra import fit_telodendra


def thinned(circuit: Boxes, table: Table) -> Boxes:
    """The circuit without the condition whose loss is the least; a dendrite without conditions is removed."""
    held = np.stack([circuit.held(table.codes, j) for j in range(len(circuit.boxes))])
    counts = held.T.astype(np.float64) @ circuit.P
    best: Boxes | None = None
    for j, box in _with_a_condition_less(circuit, table):
        boxes, P = circuit.boxes.copy(), circuit.P
        boxes[j] = box
        others = counts - np.outer(held[j], P[j])
        if (box[0] == 0).all() and (box[1] == table.n_codes - 1).all():
            boxes, P, now = np.delete(boxes, j, axis=0), np.delete(P, j, axis=0), others
        else:
            now = others + np.outer(circuit._replace(boxes=boxes).held(table.codes, j), P[j])
        w_t, theta_t = circuit.w_t.copy(), circuit.theta_t.copy()
        loss = fit_telodendra(now, table.targets, table.weights, w_t, theta_t, iterations=3)
        if best is None or loss < best.loss:
            best = Boxes(boxes, P, w_t, theta_t, loss)
    assert best is not None, "a circuit without conditions cannot be thinned"
    return best


def _with_a_condition_less(circuit: Boxes, table: Table) -> Iterator[tuple[int, np.ndarray]]:
    """The number of each dendrite and its box, for each condition that it has, without it."""
    whole = np.stack([np.zeros_like(table.n_codes), table.n_codes - 1])
    for j, box in enumerate(circuit.boxes):
        for side, column in np.argwhere(box != whole):
            wider = box.copy()
            wider[side, column] = whole[side, column]
            yield j, wider
