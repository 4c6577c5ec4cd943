"""Say the same with less: conditions that exclude no sample, and dendrites that hold where others do."""

import numpy as np

from modn.explain.learning import fast_boxes
from modn.explain.learning.table import Boxes, Table
from modn.explain.learning.thinning import with_a_condition_less


def simplified(circuit: Boxes, table: Table) -> Boxes:
    """The circuit without what is superfluous: no score of a sample of the table changes."""
    return _merged(_without_idle_conditions(circuit, table), table)


def _without_idle_conditions(circuit: Boxes, table: Table) -> Boxes:
    """Remove conditions that exclude no sample which the others of their dendrite hold."""
    for j, box in with_a_condition_less(circuit.boxes, table.n_codes):
        same = fast_boxes.holds(table.codes, *box) == fast_boxes.holds(table.codes, *circuit.boxes[j])
        if same.all():
            boxes = circuit.boxes.copy()
            boxes[j] = box
            return _without_idle_conditions(circuit._replace(boxes=boxes), table)
    return circuit


def _merged(circuit: Boxes, table: Table) -> Boxes:
    """One dendrite for all that hold for the same samples, or for all others: the one to read fastest."""
    held = circuit.held(table.codes)
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
