"""What differential evolution and its descendants share: the choice of partners and the trial vectors."""

import numpy as np

from modn.optimizers.core.compiled import compiled
from modn.optimizers.core.relaxed import relaxed
from modn.optimizers.core.space import Array, Space, rows_of


def apart_from(taken: Array, n: int, rng: np.random.Generator) -> Array:
    """An index in range(n) for each column of `taken` (k, columns), uniform among those not in the column.

    A column's own indices must differ from each other.
    """
    drawn = (rng.random(len(taken[0])) * (n - len(taken))).astype(np.intp)
    for row in np.sort(taken, axis=0) if len(taken) > 1 else taken:
        drawn += drawn >= row
    return drawn


def better_of(parents: Array, costs: Array, trials: Array, trial_costs: Array) -> tuple[Array, Array]:
    """The better of each parent and its trial, and its cost; of equals the trial: plateaus are crossed."""
    survives = trial_costs <= costs
    own = np.arange(len(costs))
    rows = np.where(survives, own + len(costs), own)
    return rows_of(parents, trials, rows), np.where(survives, trial_costs, costs)


def best_rows(costs: Array, share: float, rng: np.random.Generator) -> Array:
    """For each individual one of the best `share` of the population, at least two: its "pbest"."""
    n = len(costs)
    count = min(max(round(share * n), 2), n)
    return np.argsort(costs, kind="stable")[:count][(rng.random(n) * count).astype(np.intp)]


def trial_vectors(
    space: Space,
    parents: Array,
    archive: Array,
    rows: tuple[Array, Array, Array, Array],
    scale: Array,
    crossover: Array,
    clip: bool,
    rng: np.random.Generator,
) -> Array:
    """One trial (n, V) for each of the parents (n, V), by mutation and binomial crossover.

    `rows` (base, pull, plus, minus), each (n,), name the parents of each mutant, and F is its `scale` (n,):
        mutant = base + F (pull - base) + F (plus - minus)
    `minus` continues in the archive (a, V): row n is the archive's first. A trial takes each variable from
    its mutant with its `crossover` probability (n,), at least one, and the others from its parent (Storn and
    Price, Eqs. 3-4; see `de`). `clip`: a variable outside the box goes halfway from its parent's to the bound
    (Tanabe and Fukunaga, Eq. 4; see `lshade`).
    """
    box = relaxed(space)
    lower = box.lower if clip else np.full(space.size, -np.inf)
    upper = box.upper if clip else np.full(space.size, np.inf)
    return _trials(rng, parents, archive, *rows, scale, crossover, lower, upper)


@compiled
def _trials(  # type: ignore[no-untyped-def]
    rng, parents, archive, base, pull, plus, minus, scale, crossover, lower, upper
):
    n, V = parents.shape
    trials = np.empty((n, V))
    for i in range(n):
        a, b, c = parents[base[i]], parents[pull[i]], parents[plus[i]]
        d = parents[minus[i]] if minus[i] < n else archive[minus[i] - n]
        F, rate = scale[i], crossover[i]
        sure = int(rng.random() * V)
        for v in range(V):
            own = parents[i, v]
            mutant = a[v] + F * (b[v] - a[v]) + F * (c[v] - d[v])
            mutant = 0.5 * (own + lower[v]) if mutant < lower[v] else mutant
            mutant = 0.5 * (own + upper[v]) if mutant > upper[v] else mutant
            crosses = (rng.random() < rate) | (v == sure)
            trials[i, v] = mutant if crosses else own
    return trials
