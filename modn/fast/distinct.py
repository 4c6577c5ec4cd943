"""Distinct values: how to compute the product over features with as few operations as the samples allow.

A feature with few distinct values needs its sigmoids once per value, not once per sample; two such features
need their product once per distinct pair of values; and so on up to the samples. Equal samples are kept once,
with their number. `blocks_of` finds these tables once per training set; `modn.fast.dendrites` follows them at
each evaluation.

A block of samples becomes the recipe of a table of numbers, row by row:

    row 0            1
    leaf rows        one per distinct value of each tabled feature
    pair rows        the product of two earlier rows; the last R of them are the R distinct samples

A feature with about as many values as there are samples is left out of the table and multiplied in sample by
sample, unless some of its values are missing: a missing value says nothing, its factor is row 0.

Measured values have few decimals: they are multiples of a step. Such a value is the sum of a multiple of some
ten steps (the coarse part) and a rest (the fine part). As 2^(a + b) = 2^a 2^b, a few exps for the parts and a
multiplication per value replace an exp per value.
"""

import heapq
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from modn.targets import SOFTMAX, Target

# A table costs an exp per distinct value and a multiplication per sample; without, it is an exp per sample.
# Measured on the paper's 11 datasets, it pays for up to half as many values as samples.
TABLED_BELOW = 0.5

# Values are split if there are at most so many parts per value: an exp costs several multiplications.
SPLIT_BELOW = 0.5
SPLIT_ERROR = 1e-8  # what a value may differ from the sum of its parts by: float32 keeps 3e-8 of [-1, 1]

MISSING = np.inf  # stands for a missing value here: NaN would not equal itself

# About how many bytes of vectors a block may use, to stay within a core's second-level cache.
BLOCK_BYTES = 2**20
VECTOR_BYTES = 64


class Block(NamedTuple):
    """R distinct samples and the recipe for their product over features."""

    counts: NDArray[np.float32]  # (R, K) what a sample asks for; of classes, how many of each it stands for
    weight: float  # of all of them
    unavoidable: float  # what every neuron's loss has in common (`modn.targets.Asked`)
    features: NDArray[np.int64]  # (D,) the tabled features, then the others
    n_tabled: int
    values: NDArray[np.float32]  # the distinct values of each tabled feature, the R values of each other one
    starts: NDArray[np.int64]  # (D + 1,) where those of each feature start
    left: NDArray[np.uint32]  # the two factors of each pair row
    right: NDArray[np.uint32]
    parts: NDArray[np.float32]  # the coarse, then the fine parts of each feature that is split
    part_starts: NDArray[np.int64]  # (2D + 1,) where the coarse and the fine ones of each feature start
    coarse: NDArray[np.uint32]  # (as values) the two parts of each value of such a feature
    fine: NDArray[np.uint32]


def blocks_of(
    X: NDArray[np.float64],
    y: NDArray[Any],
    n_outputs: int,
    sample_weight: NDArray[np.float64] | None = None,
    cell: Target = SOFTMAX,
) -> list[Block]:
    """Return the samples X (N, D), which should have y, as blocks that fit the cache; a weight None is 1.

    X is finite, or NaN where a value is missing. y is what the target cell takes: for softmax, classes (N,).
    """
    N, D = X.shape
    rows_per_block = max(128, BLOCK_BYTES // (VECTOR_BYTES * (D + n_outputs)))
    n_blocks = -(-N // rows_per_block)
    parts = np.array_split(np.arange(N), n_blocks)
    weights = (None if sample_weight is None else sample_weight[part] for part in parts)
    return [
        _block(X[part], cell.ask(y[part], n_outputs, weight), cell)
        for part, weight in zip(parts, weights, strict=True)
    ]


def _block(X: NDArray[np.float64], asked: NDArray[np.float64], cell: Target) -> Block:
    X, sample_of = np.unique(np.where(np.isnan(X), MISSING, X), axis=0, return_inverse=True)
    R, D = X.shape
    sums = np.zeros((R, asked.shape[1]))
    np.add.at(sums, sample_of.ravel(), asked)
    kept = cell.merged(sums)

    distinct = [np.unique(X[:, i], return_inverse=True) for i in range(D)]
    has_missing = (X == MISSING).any(axis=0)
    tabled = [i for i in range(D) if has_missing[i] or len(distinct[i][0]) <= TABLED_BELOW * R]
    others = [i for i in range(D) if i not in tabled]
    # MISSING is the last of the distinct values, as the largest
    known = {i: distinct[i][0][:-1] if has_missing[i] else distinct[i][0] for i in tabled}
    values = [known[i] for i in tabled] + [X[:, i] for i in others]
    starts = np.cumsum([0] + [len(column) for column in values])

    # A node is (number of its rows, first row, the row of each sample). The two smallest are merged, as in
    # Huffman's code, until two are left, whose product is that of the sample.
    nodes = []
    n_rows = 1
    for i in tabled:
        n_values = len(known[i])
        rows = np.where(X[:, i] == MISSING, 0, n_rows + distinct[i][1])
        if n_values:
            nodes.append((n_values, n_rows, rows))
        n_rows += n_values
    heapq.heapify(nodes)
    left, right = [], []
    while len(nodes) > 2:
        _, _, a = heapq.heappop(nodes)
        _, _, b = heapq.heappop(nodes)
        pairs, pair_of = np.unique(a * n_rows + b, return_inverse=True)
        left.append(pairs // n_rows)
        right.append(pairs % n_rows)
        heapq.heappush(nodes, (len(pairs), n_rows, n_rows + pair_of))
        n_rows += len(pairs)
    ones = np.zeros(R, dtype=np.int64)  # row 0
    last = [node[2] for node in nodes] + [ones, ones]
    left.append(last[0])
    right.append(last[1])
    parts, part_starts, coarse, fine = _split(values)
    return Block(
        counts=kept.rows.astype(np.float32),
        weight=kept.weight,
        unavoidable=kept.unavoidable,
        features=np.array(tabled + others, dtype=np.int64),
        n_tabled=len(tabled),
        values=np.concatenate(values).astype(np.float32),
        starts=starts,
        left=np.concatenate(left).astype(np.uint32),
        right=np.concatenate(right).astype(np.uint32),
        parts=parts.astype(np.float32),
        part_starts=part_starts,
        coarse=coarse.astype(np.uint32),
        fine=fine.astype(np.uint32),
    )


def _split(values: list[NDArray[np.float64]]) -> tuple[NDArray[Any], ...]:
    """Return parts, part_starts, coarse and fine of a block with these values of its features."""
    parts: list[NDArray[np.float64]] = []
    part_starts = [0]
    rows: tuple[list[NDArray[np.int64]], ...] = ([], [])
    for column in values:
        for pieces, of_values in zip(_coarse_and_fine(column), rows, strict=True):
            distinct, row = np.unique(pieces, return_inverse=True)
            of_values.append(part_starts[-1] + row if pieces.size else np.zeros(len(column), np.int64))
            parts.append(distinct)
            part_starts.append(part_starts[-1] + len(distinct))
    return np.concatenate(parts), np.array(part_starts), np.concatenate(rows[0]), np.concatenate(rows[1])


def _coarse_and_fine(column: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the two parts of each value (2, n), or (2, 0) where it does not pay to split them."""
    whole = np.empty((2, 0))
    values = np.unique(column)
    if len(values) < 2:
        return whole
    step = np.diff(values).min()
    with np.errstate(over="ignore"):  # two values may be as close as numbers can be
        n_steps = np.rint((column - values[0]) / step)
    if np.abs(values[0] + n_steps * step - column).max() > SPLIT_ERROR:
        return whole
    fine = n_steps % np.ceil(np.sqrt(n_steps.max() + 1))
    coarse = n_steps - fine
    if len(np.unique(coarse)) + len(np.unique(fine)) > SPLIT_BELOW * len(column):
        return whole
    return np.stack([values[0] + coarse * step, fine * step])
