"""Say the same with less: conditions that exclude no sample, and dendrites that hold where others do."""

import numpy as np

from modn.explain.learning import fast_boxes
from modn.explain.learning.table import Boxes, Table


def simplified(circuit: Boxes, table: Table) -> Boxes:
    """The circuit without what is superfluous: no score of a sample of the table changes."""
    return _merged(_without_idle_conditions(circuit, table), table)


def _without_idle_conditions(circuit: Boxes, table: Table) -> Boxes:
    """Remove conditions that exclude no sample which the others of their dendrite hold."""
    boxes = circuit.boxes.copy()
    for low, high in boxes:
        fast_boxes.widen(table.codes, table.n_codes, low, high)
    return circuit._replace(boxes=boxes)


def _merged(circuit: Boxes, table: Table) -> Boxes:
    """One dendrite for all that hold for the same samples, or for all others: the one to read fastest."""
    held = circuit.held(table.codes)
    signs = np.where(held, 1.0, -1.0)
    if (np.abs(signs @ np.c_[np.ones(held.shape[1]), signs.T]) == held.shape[1]).sum() == len(held):
        return circuit  # each dendrite says the same as itself only
    weights, theta_t = circuit.weights.copy(), circuit.theta_t.copy()
    sizes = [fast_boxes.n_sides(*box, table.n_codes) for box in circuit.boxes]
    kept: list[int] = []
    for j in sorted(range(len(held)), key=lambda j: (sizes[j], j)):
        if held[j].all():
            theta_t -= weights[j]
            continue
        for i in kept:
            if (held[i] == held[j]).all():
                weights[i] += weights[j]
                break
            if (held[i] != held[j]).all():
                weights[i] -= weights[j]
                theta_t -= weights[j]
                break
        else:
            kept.append(j)
    order = np.sort(np.array(kept, dtype=np.intp))
    return Boxes(circuit.boxes[order], weights[order], theta_t, circuit.loss)
