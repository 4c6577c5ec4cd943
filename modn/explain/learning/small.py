"""Small circuits: search all conditions for the few that decide right most often.

Cross-entropy misleads where there are few conditions: it also rewards probabilities that come nearer to the
targets and decide nothing. So small circuits are also searched by the number of right decisions that the
targets expect. Their dendrites have one condition each: what a box or a small tree decides, a sum over its
conditions decides as well, except where classes alternate.

The conditions cut the samples into regions, and each region should be decided for its most probable class. A
beam search adds one condition at a time. The best sets get integer weights, and the circuit that decides best
is kept.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from modn.explain.learning import fast_conditions
from modn.explain.learning.integers import integer_weights
from modn.explain.learning.table import Boxes, Codes, Table

LARGEST = 6  # conditions: with more, decisions alone overfit
WIDTH = 50  # sets of conditions of each size that are extended; fewer where that is slow
WORK = 50_000_000  # sums of slots, regions and classes, at most, to extend the sets of one size
ROOM = 5_000_000  # such sums for a single set
CODED = 10  # sets of each size that get integer weights
WANTED = 0.5  # how much the weights learn from the decisions of the regions; the rest is the targets'

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Set = tuple[int, ...]  # numbers of conditions, ascending


def improved(found: Sequence[Boxes], table: Table, max_size: int) -> list[Boxes]:
    """The circuits of increasing size, with integer weights; small ones that decide better are added.

    Of circuits that decide equally well the given one stays: its boxes are easier to read.
    """
    largest = min(LARGEST, max_size)
    sizes = [one.size(table.n_codes) for one in found]
    candidates = {size: [one] for size, one in zip(sizes, found, strict=True) if size <= largest}
    conditions = _Conditions(table)
    for size, ranked in enumerate(_beam(conditions, largest), 1):
        for chosen in ranked[:CODED]:
            candidates.setdefault(size, []).extend(_coded(conditions, chosen))
    kept: list[Boxes] = []
    most = -np.inf
    for size in sorted(candidates):
        right = [right_decisions(one, table) for one in candidates[size]]
        if max(right) > most + 1e-9:
            most = max(right)
            kept.append(candidates[size][int(np.argmax(right))])
    for size, one in zip(sizes, found, strict=True):
        if size > largest and right_decisions(one, table) >= most:
            kept.append(one)
    return kept


def right_decisions(circuit: Boxes, table: Table) -> float:
    """How many decisions are right, as the targets expect."""
    decisions = circuit.scores(table.codes).argmax(axis=1)
    return float(table.targets[np.arange(len(decisions)), decisions].sum())


class _Conditions:
    """All K conditions that a table allows.

    The codes of all columns get a slot each, in order: a condition excludes the samples of a range of slots.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        ends = np.cumsum(table.n_codes)
        begins = ends - table.n_codes
        # Missing values get the slot after the last: no condition excludes them.
        self.slots = np.where(table.codes < 0, ends[-1], table.codes + begins[:, None])  # (D, N)
        self.n_slots = int(ends[-1]) + 1
        # Without missing values, "below" only says the opposite of "at least".
        below = table.inhibitory & (~table.excitatory | (table.codes < 0).any(axis=1))
        self.sides = np.array([table.excitatory, below])
        found = []
        for i, (begin, end, sides) in enumerate(zip(begins, ends, self.sides.T.tolist(), strict=True)):
            for cut in range(begin + 1, end):
                found += [(i, begin, cut)] * sides[0] + [(i, cut, end)] * sides[1]
        self.columns, self.first, self.last = np.array(found, np.int64).reshape(-1, 3).T
        self.order = np.argsort(self.slots, axis=1, kind="stable")
        counts = [np.bincount(own[own >= 0], minlength=table.n_codes.max()) for own in table.codes]
        self.ends = np.cumsum(counts, axis=1)

    def box(self, k: int, opposite: bool = False) -> Codes:
        """The box (2, D) of a condition, or of its opposite."""
        i, n_codes = self.columns[k], self.table.n_codes
        begin = n_codes[:i].sum()
        at_least = self.first[k] == begin
        cut = (self.last if at_least else self.first)[k] - begin
        box = np.array([np.zeros_like(n_codes), n_codes - 1])
        if at_least != opposite:
            box[0, i] = cut
        else:
            box[1, i] = cut - 1
        return box

    def excludes(self, k: int) -> NDArray[np.bool_]:
        """Whether a condition excludes each sample (N,)."""
        slots = self.slots[self.columns[k]]
        return np.asarray((slots >= self.first[k]) & (slots < self.last[k]))

    def regions(self, chosen: Set) -> Integers:
        """The region of each sample (N,): which of the chosen conditions exclude it."""
        regions = np.zeros(self.slots.shape[1], np.int64)
        for k in chosen:
            regions = 2 * regions + self.excludes(k)
        numbers = np.cumsum(np.bincount(regions, minlength=2 ** len(chosen)) > 0) - 1
        return numbers[regions]

    def totals(self, regions: Integers) -> Array:
        """The sums of the targets in each of the G regions (G, C)."""
        return np.stack([np.bincount(regions, column) for column in self.table.targets.T], axis=1)

    def wrong_with_each(self, regions: Integers) -> Array:
        """How many decisions will be wrong if a condition (K,) cuts the regions; infinite if it cuts none."""
        totals = self.totals(regions)
        wrong = np.empty((2, len(self.columns), len(totals)))
        cuts = fast_conditions.wrong_by_region(
            self.order, self.ends, self.table.n_codes, self.sides, regions, self.table.targets, totals, wrong
        )
        return np.where(cuts, wrong[0].sum(axis=1) + wrong[1].sum(axis=1), np.inf)


def _beam(conditions: _Conditions, largest: int) -> Iterator[list[Set]]:
    """The best sets of 1, 2, ... conditions, the best first."""
    table, ranked = conditions.table, list[Set]([()])
    for size in range(largest):
        values: dict[Set, float] = {}
        sums = conditions.n_slots * 2**size * table.targets.shape[1]
        if sums > ROOM:
            return
        for chosen in ranked[: max(1, WORK // (sums + table.codes.size * table.targets.shape[1]))]:
            wrong = conditions.wrong_with_each(conditions.regions(chosen))
            for k in np.argsort(wrong, kind="stable")[:WIDTH].tolist():
                if wrong[k] < np.inf:
                    values.setdefault(tuple(sorted((*chosen, k))), float(wrong[k]))
        ranked = sorted(values, key=lambda chosen: (values[chosen], chosen))[:WIDTH]
        if not ranked:
            return
        yield ranked


def _coded(conditions: _Conditions, chosen: Set) -> Iterator[Boxes]:
    """The circuits of a set of conditions: a single box if one decides alike, and the sum of all."""
    table, regions = conditions.table, conditions.regions(chosen)
    decisions = conditions.totals(regions).argmax(axis=1)
    wanted = np.eye(table.targets.shape[1])[decisions[regions]]
    targets = (1 - WANTED) * table.targets + WANTED * wanted
    each = np.array([conditions.box(k) for k in chosen], np.int32)
    for boxes in (*_single_box(conditions, chosen, regions, decisions), each):
        circuit = Boxes(boxes, np.zeros((len(boxes), targets.shape[1])), np.zeros(targets.shape[1]), np.nan)
        weights, theta_t = integer_weights(circuit.held(table.codes), targets, only_decisions=True)
        yield circuit._replace(weights=weights.astype(np.float64), theta_t=theta_t.astype(np.float64))


def _single_box(
    conditions: _Conditions, chosen: Set, regions: Integers, decisions: Integers
) -> Iterator[Codes]:
    """The box (1, 2, D) of the region whose decision differs, if all other regions (G,) are decided alike."""
    table = conditions.table
    odd = [g for g in range(len(decisions)) if len(set(np.delete(decisions, g))) == 1]
    if len(chosen) == 1 or len(odd) != 1:
        return
    sample = int(np.argmax(regions == odd[0]))
    sides = np.array([conditions.box(k, bool(conditions.excludes(k)[sample])) for k in chosen])
    box = np.array([[sides[:, 0].max(axis=0), sides[:, 1].min(axis=0)]], np.int32)
    low, high = box[0, 0] > 0, box[0, 1] < table.n_codes - 1
    allowed = (table.excitatory | ~low).all() and (table.inhibitory | ~high).all()
    if allowed and low.sum() + high.sum() == len(chosen):
        yield box
