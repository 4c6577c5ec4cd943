"""The compiled count of the wrong decisions that each condition leaves if it cuts the regions of the samples.

A walk through the samples of a column, by their codes, passes all its conditions. From one to the next, only
the regions of the samples in between change.
"""

from math import log

import numpy as np
from numpy.typing import NDArray

from modn.explain.learning.fast_weights import Flags, Floats, highest_of
from modn.fast.compiling import compiled, part

Integers = NDArray[np.int64]

PER_NAT = 0.1  # wrong decisions: of sets that decide alike, the one with purer regions is built on
SOME = 0.5  # samples: less is what rounding leaves of a sum of targets, which are 1 for each sample


@compiled
def wrong_by_region(
    order: Integers,
    ends: Integers,
    n_codes: NDArray[np.int32],
    sides: Flags,
    regions: Integers,
    targets: Floats,
    totals: Floats,
    wrong: Floats,
) -> Flags:
    """Write how many decisions will be wrong for what a condition excludes, and for what it holds (2, K, G).

    `order` (D, N) are the samples of each column, sorted by their codes; `ends` (D, V) how many of them have
    at most a code. `sides` (2, D): whether a column has conditions "at least", and "below"; they take turns.
    `totals` (G, C) are the sums of the targets in the regions (N,). Returns whether each condition cuts any
    region (K,).
    """
    G, C = totals.shape
    cuts = np.zeros(wrong.shape[1], np.bool_)
    first, last, sums, added = np.zeros((G, C)), np.zeros((G, C)), np.empty((G, C)), np.zeros((G, C))
    excluded, held, numbers, is_cut = np.empty(C), np.empty(C), np.empty((2, G)), np.empty(G, np.bool_)
    regions_of_code, is_met = np.empty(G, np.int64), np.zeros(G, np.bool_)
    begin = 0
    for i in range(len(order)):
        step = int(sides[0, i]) + int(sides[1, i])
        for v in range(n_codes[i]):
            own = order[i, ends[i, v - 1] if v > 0 else 0 : ends[i, v]]
            _add(own, regions, targets, added, last, regions_of_code, is_met)
        for side in range(2):
            if not sides[side, i]:
                continue
            for g in range(G):
                is_cut[g] = False
                for c in range(C):
                    sums[g, c] = first[g, c]
            k, n_cut = begin + side * (step - 1), 0
            for v in range(n_codes[i] - 1):
                own = order[i, ends[i, v - 1] if v > 0 else 0 : ends[i, v]]
                n_met = _add(own, regions, targets, added, sums, regions_of_code, is_met)
                for r in range(G if v == 0 else n_met):
                    g = r if v == 0 else regions_of_code[r]
                    for c in range(C):
                        apart = sums[g, c] - first[g, c] if side == 0 else last[g, c] - sums[g, c]
                        excluded[c] = max(apart, 0.0)
                        held[c] = max(totals[g, c] - excluded[c], 0.0)
                    n_cut -= is_cut[g]
                    is_cut[g] = _sum(excluded) > SOME and _sum(held) > SOME
                    n_cut += is_cut[g]
                    numbers[0, g], numbers[1, g] = _wrong(excluded), _wrong(held)
                for g in range(G):
                    wrong[0, k, g], wrong[1, k, g] = numbers[0, g], numbers[1, g]
                cuts[k] = n_cut > 0
                k += step
        begin += step * (n_codes[i] - 1)
        for g in range(G):
            for c in range(C):
                first[g, c] = last[g, c]  # sums go on from column to column
    return cuts


@part
def _add(
    samples: Integers, regions: Integers, targets: Floats, added: Floats, sums: Floats, met: Integers,
    is_met: Flags,
) -> int:  # fmt: skip
    """Add what the targets of some samples sum up to in each region to the sums (G, C).

    Writes the regions that are met, and returns how many; `added` and `is_met` are cleared again.
    """
    C, n_met = sums.shape[1], 0
    for n in samples:
        g = regions[n]
        if not is_met[g]:
            is_met[g], met[n_met] = True, g
            n_met += 1
        for c in range(C):
            added[g, c] += targets[n, c]
    for r in range(n_met):
        g = met[r]
        is_met[g] = False
        for c in range(C):
            sums[g, c] += added[g, c]
            added[g, c] = 0.0
    return n_met


@part
def _wrong(sums: Floats) -> float:
    """The wrong decisions among samples with these sums of targets (C,), and a little for impurity."""
    number, nats = _sum(sums), 0.0
    for one in sums:
        nats += _times_log(one)
    return number - highest_of(sums) + PER_NAT * (_times_log(number) - nats)


@part
def _sum(numbers: Floats) -> float:
    total = 0.0
    for number in numbers:
        total += number
    return total


@part
def _times_log(number: float) -> float:
    return number * log(number) if number > 0 else 0.0
