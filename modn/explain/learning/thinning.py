"""Thinning: smaller circuits from larger ones, one condition less at a time.

What grows dendrite by dendrite skips sizes, and a condition that was needed early may be superfluous later.
"""

from collections.abc import Iterator

import numpy as np

from modn.explain.learning import fast_boxes, fast_weights
from modn.explain.learning.table import Boxes, Codes, Table, scores_of

COMPARED = 3  # conditions that seem to be worth least: the weights are fitted without each of them


def thinned(circuit: Boxes, table: Table) -> Boxes:
    """The circuit without the condition that is worth least; a dendrite without conditions is removed."""
    held = circuit.held(table.codes)
    scores = scores_of(held, circuit.weights, circuit.theta_t)
    candidates = []
    for j, box in with_a_condition_less(circuit.boxes, table.n_codes):
        now = fast_boxes.holds(table.codes, *box)
        others = scores - np.outer(held[j], circuit.weights[j])
        weights, shift = circuit.weights[j].copy(), np.zeros_like(circuit.theta_t)
        gain = fast_weights.fit_dendrite(
            fast_weights.shares_of(others), table.targets, now, weights, shift, 2
        )
        own = 0.5 * fast_weights.WEIGHT_PRECISION * float((circuit.weights[j] ** 2).sum())
        candidates.append((fast_weights.loss_of(others, table.targets) - gain - own, j, box))
    assert candidates, "a circuit without conditions cannot be thinned"
    candidates.sort(key=lambda one: one[:2])
    return min(
        (_changed(circuit, table, j, box) for _, j, box in candidates[:COMPARED]), key=lambda one: one.loss
    )


def _changed(circuit: Boxes, table: Table, j: int, box: Codes) -> Boxes:
    """The circuit with another box for one dendrite, and weights that suit it."""
    boxes = circuit.boxes.copy()
    boxes[j] = box
    kept = np.arange(len(boxes)) != (j if (box[0] == 0).all() and (box[1] == table.n_codes - 1).all() else -1)
    return refitted(circuit._replace(boxes=boxes[kept], weights=circuit.weights[kept]), table, 3)


def refitted(circuit: Boxes, table: Table, cycles: int) -> Boxes:
    """The circuit with weights that suit its boxes better."""
    weights, theta_t = circuit.weights.copy(), circuit.theta_t.copy()
    loss = fast_weights.fit_weights(circuit.held(table.codes), table.targets, weights, theta_t, cycles)
    return Boxes(circuit.boxes, weights, theta_t, float(loss))


def with_a_condition_less(boxes: Codes, n_codes: Codes) -> Iterator[tuple[int, Codes]]:
    """The number of each dendrite and its box, for each condition that it has, without it."""
    whole = np.stack([np.zeros_like(n_codes), n_codes - 1])
    for j, box in enumerate(boxes):
        for side, column in np.argwhere(box != whole):
            wider = box.copy()
            wider[side, column] = whole[side, column]
            yield j, wider
