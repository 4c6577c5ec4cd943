"""What circuits are learned from, and what is learned, in codes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from modn.explain.learning import fast_boxes

Array = NDArray[np.float64]
Codes = NDArray[np.int32]


class Table(NamedTuple):
    """What is learned from: D columns of codes, and a probability of each class for each sample."""

    codes: Codes  # (D, N), -1 where missing
    n_codes: Codes  # (D,)
    targets: Array  # (N, C)
    excitatory: NDArray[np.bool_]  # (D,) whether a condition may be "at least"
    inhibitory: NDArray[np.bool_]  # (D,) whether a condition may be "below"


class Starts(NamedTuple):
    """Boxes to begin at, each with its row of P: those of a neuron."""

    boxes: Codes  # (S, 2, D) low and high
    P: NDArray[np.bool_]  # (S, C)

    @classmethod
    def none(cls, n_columns: int, n_classes: int) -> "Starts":
        """No boxes: learn from nothing."""
        return cls(np.zeros((0, 2, n_columns), np.int32), np.zeros((0, n_classes), bool))

    def allowed(self, table: Table) -> "Starts":
        """The same boxes without conditions that the table forbids."""
        low = np.where(table.excitatory, self.boxes[:, 0], 0)
        high = np.where(table.inhibitory, self.boxes[:, 1], table.n_codes - 1)
        return self._replace(boxes=np.stack([low, high], axis=1).astype(np.int32))


class Boxes(NamedTuple):
    """A circuit in codes."""

    boxes: Codes  # (M, 2, D) low and high, inclusive
    weights: Array  # (M, C) what a dendrite that holds adds to the scores
    theta_t: Array  # (C,) what is taken from the scores
    loss: float

    def size(self, n_codes: Codes) -> int:
        """The number of conditions."""
        return int((self.boxes[:, 0] > 0).sum() + (self.boxes[:, 1] < n_codes - 1).sum())

    def held(self, codes: Codes) -> NDArray[np.bool_]:
        """Whether each dendrite holds (M, N)."""
        found = [fast_boxes.holds(codes, *box) for box in self.boxes]
        return np.array(found, dtype=bool).reshape(-1, codes.shape[1])

    def scores(self, codes: Codes) -> Array:
        """The scores of the classes (N, C)."""
        return scores_of(self.held(codes), self.weights, self.theta_t)


def scores_of(held: NDArray[np.bool_], weights: Array, theta_t: Array) -> Array:
    """The scores (N, C) that the dendrites which hold (M, N) sum up to."""
    # einsum, not @: BLAS sums in another order on another processor, and a last digit can decide
    return np.einsum("jn,jc->nc", held.astype(np.float64), weights) - theta_t
