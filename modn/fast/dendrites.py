"""Synapses and dendrites (Eqs. 1 and 2) of one vector of dendrites, and their gradient.

A synapse's exp(-a) is 2^(offset + slope x), and a dendrite is Z = 1 / prod_i (1 + exp(-a_i)): one exp and no
division per synapse, and an overflow to infinity is the right limit Z = 0. In what order the factors are
computed and multiplied is the `Block`'s recipe (`modn.fast.distinct`).

`parts` is memory for the two factors of the exp(-a) of split values, or None, and then exps are clamped: it
must be None where `unclamped` does not hold, as clamped factors do not multiply to the clamped product, and
where there is a `dying` rule. `dying` is None, or for the published gradients the exp(-a) above which a
synapse counts as Y = 1, that is exp(-a) as 0.

Parts of functions are `inlined` because a call costs: numba passes a block as some sixty numbers.
"""

# numba infers the types of compiled functions itself
# mypy: allow-untyped-defs

from modn.fast.compiling import inlined, part
from modn.fast.lanes import (
    LANES,
    exp2,
    exp2_within,
    load,
    maximum,
    minimum,
    multiply_add,
    reciprocal,
    splat,
    store,
    zero_where_above,
)
from modn.fast.packing import clear

# No product is taken to be above it, that is no dendrite below its inverse: the soma would not see the
# difference in float32, and a gradient times a smaller number would become denormal (see `exp2`).
CLOSED = 1e15

# Where all |slope| + |offset| are at most that, `exp2` would not clamp 2^(offset + slope x), and 2^(slope x)
# is within float32 even for x = 2, the most that a fine part can be.
UNCLAMPED = 40.0

TILE = 256  # so many samples' products stay in the first-level cache on their way to the soma


@part
def n_table_rows(block):
    """Return how many vectors the table of a block has."""
    return 1 + block.starts[block.n_tabled] + block.left.shape[0]


@part
def unclamped(slope, offset, bound):
    """Return whether offset + slope x', x' within [-1, 1], needs no clamp in any lane of any synapse.

    bound (1, LANES) is working memory.
    """
    zero, largest = splat(0.0), splat(0.0)
    for i in range(slope.shape[0]):
        i_slope, i_offset = load(slope, i), load(offset, i)
        size = maximum(i_slope, zero - i_slope) + maximum(i_offset, zero - i_offset)
        largest = maximum(largest, size)
    store(bound, 0, largest)
    above = False
    for lane in range(LANES):
        above |= bound[0, lane] > UNCLAMPED
    return not above


@inlined
def _is_split(block, f):
    return block.part_starts[2 * f] < block.part_starts[2 * f + 2]


@inlined
def _synapse(value, slope, offset, dying, parts):
    """Return exp(-a) of a value that is not split, of a feature with these coefficients."""
    exponent = multiply_add(slope, splat(value), offset)
    if parts is not None:
        return exp2_within(exponent)
    e = exp2(exponent)
    return e if dying is None else zero_where_above(e, e, splat(dying))


@inlined
def _split_synapse(block, u, parts):
    """Return exp(-a) of value u, which is split."""
    return load(parts, block.coarse[u]) * load(parts, block.fine[u])


@inlined
def _times(product, e, parts):
    """Return product (1 + e)."""
    if parts is None:  # where the product is infinite and e is 0, product + product e would not be a number
        return product * (splat(1.0) + e)
    return multiply_add(product, e, product)


@inlined
def _multiply_in(block, f, start, n_values, slope, offset, dying, parts, products, first):
    """Multiply 1 + exp(-a) of n_values values of feature f, from `start`, into the products from `first`.

    Those of a tabled feature are 1 before. There are two loops because LLVM does not move the branch out of
    one.
    """
    one = splat(1.0)
    fresh = f < block.n_tabled
    f_slope, f_offset = load(slope, block.features[f]), load(offset, block.features[f])
    if parts is not None and _is_split(block, f):
        for n in range(n_values):
            e = _split_synapse(block, start + n, parts)
            store(products, first + n, _times(one if fresh else load(products, first + n), e, parts))
    else:
        for n in range(n_values):
            e = _synapse(block.values[start + n], f_slope, f_offset, dying, parts)
            store(products, first + n, _times(one if fresh else load(products, first + n), e, parts))


@inlined
def _compute_parts(features, values, starts, slope, offset, parts):
    """Write 2^(offset + slope coarse) and 2^(slope fine), the factors of split values' exp(-a)."""
    for f in range(features.shape[0]):
        f_slope, f_offset = load(slope, features[f]), load(offset, features[f])
        for k in range(starts[2 * f], starts[2 * f + 1]):
            store(parts, k, exp2_within(multiply_add(f_slope, splat(values[k]), f_offset)))
        for k in range(starts[2 * f + 1], starts[2 * f + 2]):
            store(parts, k, exp2_within(f_slope * splat(values[k])))


@part
def compute_dendrites(block, slope, offset, dying, parts, table, Z, first_Z, fed, lane_P, V):
    """Eqs. 1, 2 and 5 of one vector of dendrites: follow the recipe, Z = 1 / product, V += P Z.

    If V is None, all Z[first_Z + n] are kept instead; else Z has room for a tile of samples only.
    """
    one = splat(1.0)
    D, n_tabled = block.features.shape[0], block.n_tabled
    store(table, 0, one)
    if parts is not None:
        _compute_parts(block.features, block.parts, block.part_starts, slope, offset, parts)
    for f in range(n_tabled):
        start, stop = block.starts[f], block.starts[f + 1]
        _multiply_in(block, f, start, stop - start, slope, offset, dying, parts, table, 1 + start)
    R = block.counts.shape[0]
    first_pair, first_sample = 1 + block.starts[n_tabled], block.left.shape[0] - R
    for r in range(first_sample):
        store(table, first_pair + r, load(table, block.left[r]) * load(table, block.right[r]))
    for first in range(0, R, TILE):
        size = min(TILE, R - first)
        z = first_Z if V is not None else first_Z + first
        sample = first_sample + first
        for n in range(size):
            store(Z, z + n, load(table, block.left[sample + n]) * load(table, block.right[sample + n]))
        for f in range(n_tabled, D):
            start = block.starts[f] + first
            _multiply_in(block, f, start, size, slope, offset, dying, parts, Z, z)
        for n in range(size):
            store(Z, z + n, reciprocal(minimum(load(Z, z + n), splat(CLOSED))))
        if V is not None:
            for k in range(fed[0]):
                p, v = load(lane_P, fed[1 + k]), fed[1 + k] * R + first
                for n in range(size):
                    store(V, v + n, multiply_add(p, load(Z, z + n), load(V, v + n)))


@part
def synapses_gradient(block, slope, offset, dying, parts, table, da, da_x):
    """Eqs. 1 and 2 backwards: da and da_x (D, LANES) get the sums of dloss/da and of dloss/da x'.

    log Z is minus the sum of log(1 + exp(-a)), so dlog_Z goes unchanged to both factors of a pair, and
    dlog_Z/da = 1 - Y = e / (1 + e) turns it into the gradient of a synapse's potential.
    """
    one = splat(1.0)
    R = block.counts.shape[0]
    first_pair = 1 + block.starts[block.n_tabled]
    n_pairs = block.left.shape[0]
    samples = first_pair + n_pairs - R
    clear(table, samples)
    for r in range(n_pairs - 1, -1, -1):
        share = load(table, first_pair + r)
        store(table, block.left[r], load(table, block.left[r]) + share)
        store(table, block.right[r], load(table, block.right[r]) + share)
    if parts is not None:
        _compute_parts(block.features, block.parts, block.part_starts, slope, offset, parts)
    for f in range(block.features.shape[0]):
        i = block.features[f]
        f_slope, f_offset = load(slope, i), load(offset, i)
        start, stop = block.starts[f], block.starts[f + 1]
        first = 1 + start if f < block.n_tabled else samples
        total, total_x = splat(0.0), splat(0.0)
        is_split = _is_split(block, f)
        for u in range(start, stop):
            if parts is not None and is_split:
                e = _split_synapse(block, u, parts)
            else:
                e = _synapse(block.values[u], f_slope, f_offset, dying, parts)
            gradient = load(table, first + u - start) * (e * reciprocal(one + e))
            total = total + gradient
            total_x = multiply_add(gradient, splat(block.values[u]), total_x)
        store(da, i, total)
        store(da_x, i, total_x)
