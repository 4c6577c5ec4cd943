"""Learn boxes: from a table of codes to the best circuit of each size.

With all other dendrites fixed, the loss is a sum over the samples that a dendrite holds: its best box is a
weighted maximum, found by cumulative sums (`fast_boxes`). Sweeps over the dendrites, one new dendrite at a
time and refits of the telodendra follow one another, while the penalty per condition falls. The best circuit
of each size that is met on the way is kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from modn.explain.learning import fast_boxes
from modn.explain.learning.table import Boxes, Codes, Starts, Table
from modn.explain.learning.telodendra import fit_telodendra
from modn.explain.learning.thinning import thinned

SWEEPS = 6  # over all dendrites, at most, for each penalty
LARGEST_PENALTY = 0.05  # nats per condition and unit of sample weight: a condition must be worth that
SMALLEST_PENALTY, FACTOR = 0.3, 0.7  # nats per condition; the penalty falls by this factor
MOST_DENDRITES = 60
THINNED = 30  # from this size on, each circuit is also made from the next larger one

Array = NDArray[np.float64]


def learn(table: Table, starts: Starts, max_size: int) -> list[Boxes]:
    """The circuits of increasing size and decreasing loss, from no condition to at most `max_size`."""
    growing = _Growing(table, starts.allowed(table))
    best = {0: growing.boxes()}

    def keep(found: Boxes, size: int) -> None:
        if size <= max_size and (size not in best or found.loss < best[size].loss):
            best[size] = found

    for penalty in penalties(float(table.weights.sum())):
        growing.sweep_until_settled(penalty, max_size, keep)
        if growing.size > max_size:
            break
    for size in range(min(THINNED, max(best)), 1, -1):
        if size in best:
            keep(thinned(best[size], table), size - 1)
    return _front([best[size] for size in sorted(best)])


def penalties(total_weight: float) -> Array:
    """The penalties per condition, in nats, from "only the best condition" to "nearly free"."""
    largest = max(LARGEST_PENALTY * total_weight, SMALLEST_PENALTY)
    return largest * FACTOR ** np.arange(1 + np.ceil(np.log(SMALLEST_PENALTY / largest) / np.log(FACTOR)))


def _front(circuits: Sequence[Boxes]) -> list[Boxes]:
    """Those with a lower loss than all smaller ones."""
    front = [circuits[0]]
    for circuit in circuits[1:]:
        if circuit.loss < front[-1].loss:
            front.append(circuit)
    return front


@dataclass
class _Dendrite:
    box: Codes  # (2, D)
    row: NDArray[np.bool_]  # (C,) of P
    held: NDArray[np.bool_]  # (N,)
    size: int


@dataclass
class _Growing:
    """A circuit while it is learned."""

    table: Table
    starts: Starts
    dendrites: list[_Dendrite] = field(default_factory=list)

    def __post_init__(self) -> None:
        N, C = self.table.targets.shape
        self.alone = np.eye(C, dtype=bool)  # the rows of P that feed one class
        self.counts = np.zeros((N, C))
        self.w_t, self.theta_t = np.full(C, fast_boxes.W_PRIOR), np.zeros(C)
        self.loss = self._refit(iterations=20)

    @property
    def size(self) -> int:
        return sum(dendrite.size for dendrite in self.dendrites)

    def boxes(self) -> Boxes:
        """The circuit as it is now."""
        D, C = len(self.table.n_codes), self.table.targets.shape[1]
        boxes = np.array([dendrite.box for dendrite in self.dendrites], np.int32).reshape(-1, 2, D)
        P = np.array([dendrite.row for dendrite in self.dendrites], bool).reshape(-1, C)
        return Boxes(boxes, P, self.w_t.copy(), self.theta_t.copy(), self.loss)

    def sweep_until_settled(self, penalty: float, max_size: int, keep: Callable[[Boxes, int], None]) -> None:
        before = np.inf
        for _ in range(SWEEPS):
            for dendrite in list(self.dendrites):
                self._improve(penalty, dendrite)
                keep(self.boxes(), self.size)
            if len(self.dendrites) < MOST_DENDRITES:
                self._improve(penalty, None)
                keep(self.boxes(), self.size)
            after = self.loss + penalty * self.size
            if after > before - 1e-3 * penalty or self.size > 1.3 * max_size:
                return
            before = after

    def _improve(self, penalty: float, dendrite: _Dendrite | None) -> None:
        """Replace a dendrite by the best for its place, remove it if none pays, or add one (None)."""
        table, starts = self.table, self.starts
        if dendrite is None:
            box = np.array([np.zeros_like(table.n_codes), table.n_codes - 1])
        else:
            self.dendrites.remove(dendrite)
            self.counts -= np.outer(dendrite.held, dendrite.row)
            box = dendrite.box
            starts = Starts(box[None], dendrite.row[None])  # also with the row of P that it has now
        patterns, which = np.unique(np.concatenate([self.alone, starts.P]), axis=0, return_inverse=True)
        _, pattern, low, high = fast_boxes.best_dendrite(
            table.codes, table.n_codes, self.w_t * self.counts - self.theta_t, table.targets, table.weights,
            self.w_t, patterns, box[0], box[1], starts.boxes, np.ravel(which)[len(self.alone) :], penalty,
            table.excitatory, table.inhibitory,
        )  # fmt: skip
        if pattern >= 0:
            held = fast_boxes.holds(table.codes, low, high)
            row, size = patterns[pattern], fast_boxes.n_sides(low, high, table.n_codes)
            self.dendrites.append(_Dendrite(np.array([low, high]), row, held, size))
            self.counts += np.outer(held, row)
        self.loss = self._refit(iterations=4)

    def _refit(self, iterations: int) -> float:
        table = self.table
        return fit_telodendra(self.counts, table.targets, table.weights, self.w_t, self.theta_t, iterations)
