"""Learn boxes: from a table of codes to the best circuit of each size.

With all other dendrites and its own weights fixed, the loss is a sum over the samples that a dendrite holds:
its best box is a weighted maximum, found by cumulative sums (`fast_boxes`); with its box fixed, its weights
follow from Newton steps. Sweeps over the dendrites, one new dendrite at a time and refits of all weights
follow one another, while the penalty per condition falls. The best circuit of each size that is met on the
way is kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from modn.explain.learning import fast_boxes, fast_weights
from modn.explain.learning.simplifying import simplified
from modn.explain.learning.table import Boxes, Codes, Starts, Table, scores_of
from modn.explain.learning.thinning import refitted, thinned

SWEEPS = 6  # over all dendrites, at most, for each penalty
LARGEST_PENALTY = 0.05  # nats per condition and sample: a condition must be worth that
SMALLEST_PENALTY, FACTOR = 0.3, 0.6  # nats per condition; the penalty falls by this factor
SETTLED = 0.1  # of the penalty per condition: a sweep that gains less is the last
MOST_DENDRITES = 60
THINNED = 30  # from this size on, each circuit is also made from the next larger one
FIRST_WEIGHT = 1.5  # nats: what a dendrite adds to a class when its first climb begins

Array = NDArray[np.float64]


def learn(table: Table, starts: Starts, max_size: int) -> list[Boxes]:
    """The circuits of increasing size and decreasing loss, from no condition to at most `max_size`."""
    growing = _Growing(table, starts.allowed(table))
    best = {0: growing.boxes()}

    def keep(found: Boxes, size: int) -> None:
        if size <= max_size and (size not in best or found.loss < best[size].loss):
            best[size] = found

    for penalty in penalties(table.codes.shape[1]):
        growing.sweep_until_settled(penalty, max_size, keep)
        if growing.size > max_size:
            break
    met, best = [*best.values()], {}
    for found in met:
        simpler = refitted(simplified(found, table), table, 20)
        keep(simpler, simpler.size(table.n_codes))
    for size in range(min(THINNED, max(best)), 1, -1):
        if size in best:
            simpler = simplified(thinned(best[size], table), table)
            keep(simpler, simpler.size(table.n_codes))
    return _front([best[size] for size in sorted(best)])


def penalties(n_samples: int) -> Array:
    """The penalties per condition, in nats, from "only the best condition" to "nearly free"."""
    largest = max(LARGEST_PENALTY * n_samples, SMALLEST_PENALTY)
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
    weights: Array  # (C,)
    held: NDArray[np.bool_]  # (N,)
    size: int


@dataclass
class _Growing:
    """A circuit while it is learned."""

    table: Table
    starts: Starts
    dendrites: list[_Dendrite] = field(default_factory=list)

    def __post_init__(self) -> None:
        C = self.table.targets.shape[1]
        self.theta_t = np.zeros(C)
        self.whole = np.array([np.zeros_like(self.table.n_codes), self.table.n_codes - 1], np.int32)
        self.alone = FIRST_WEIGHT * np.eye(C)
        self.refit(20)

    @property
    def size(self) -> int:
        return sum(dendrite.size for dendrite in self.dendrites)

    def boxes(self) -> Boxes:
        """The circuit as it is now."""
        D, C = len(self.table.n_codes), self.table.targets.shape[1]
        boxes = np.array([dendrite.box for dendrite in self.dendrites], np.int32).reshape(-1, 2, D)
        weights = np.array([dendrite.weights for dendrite in self.dendrites]).reshape(-1, C)
        return Boxes(boxes, weights, self.theta_t.copy(), self.loss)

    def refit(self, cycles: int) -> None:
        """Fit the weights of all dendrites."""
        C, held = len(self.theta_t), self._held()
        weights = np.array([dendrite.weights for dendrite in self.dendrites]).reshape(-1, C)
        self.loss = float(fast_weights.fit_weights(held, self.table.targets, weights, self.theta_t, cycles))
        for dendrite, row in zip(self.dendrites, weights, strict=True):
            dendrite.weights = row
        self.scores = scores_of(held, weights, self.theta_t)

    def sweep_until_settled(self, penalty: float, max_size: int, keep: Callable[[Boxes, int], None]) -> None:
        before = np.inf
        for _ in range(SWEEPS):
            for dendrite in list(self.dendrites):
                self._improve(penalty, dendrite)
                keep(self.boxes(), self.size)
            if len(self.dendrites) < MOST_DENDRITES:
                self._improve(penalty, None)
            self.refit(2)
            keep(self.boxes(), self.size)
            after = self.loss + penalty * self.size
            if after > before - SETTLED * penalty or self.size > 1.3 * max_size:
                return
            before = after

    def _improve(self, penalty: float, dendrite: _Dendrite | None) -> None:
        """Replace a dendrite by the best for its place, remove it if none pays, or add one (None)."""
        table = self.table
        C = len(self.theta_t)
        if dendrite is None:
            starts, candidates = self.starts.boxes, FIRST_WEIGHT * self.starts.P.astype(np.float64)
            without = self.loss
        else:
            self.dendrites.remove(dendrite)
            self.scores -= np.outer(dendrite.held, dendrite.weights)
            starts, candidates = dendrite.box[None], dendrite.weights[None]
            shift = np.zeros(C)
            nowhere, shares = np.zeros(len(self.scores), bool), fast_weights.shares_of(self.scores)
            gain = fast_weights.fit_dendrite(shares, table.targets, nowhere, np.zeros(C), shift, 4)
            without = fast_weights.loss_of(self.scores, table.targets) - gain + self._penalties()
            self.scores += shift
            self.theta_t -= shift
        shares = fast_weights.shares_of(self.scores)
        stumps, weights = fast_boxes.best_stumps(
            table.codes, table.n_codes, shares, table.targets, table.excitatory, table.inhibitory
        )
        starts = np.concatenate([starts, np.repeat(self.whole[None], len(self.alone), 0), stumps])
        candidates = np.concatenate([candidates, self.alone, weights])
        gain, box, added, shift = fast_boxes.best_dendrite(
            table.codes, table.n_codes, shares, table.targets, self._held(),
            np.ascontiguousarray(starts), np.ascontiguousarray(candidates), penalty,
            table.excitatory, table.inhibitory,
        )  # fmt: skip
        self.loss = without
        if gain > 0:
            held = fast_boxes.holds(table.codes, *box)
            size = fast_boxes.n_sides(*box, table.n_codes)
            self.loss = without - gain - penalty * size
            self.theta_t -= shift
            self.scores += shift + np.outer(held, added)
            self.dendrites.append(_Dendrite(box, added, held, size))

    def _held(self) -> NDArray[np.bool_]:
        """Whether each dendrite holds (M, N)."""
        held = [dendrite.held for dendrite in self.dendrites]
        return np.array(held, bool).reshape(-1, self.table.codes.shape[1])

    def _penalties(self) -> float:
        """What the weights of all dendrites add to the loss."""
        weights = np.array([dendrite.weights for dendrite in self.dendrites])
        return 0.5 * fast_weights.WEIGHT_PRECISION * float((weights**2).sum())
