"""DE and L-SHADE take the steps their sources define: checked against slow computations and by statistics."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from modn.optimizers import Space, minimize
from modn.optimizers.core.differential import apart_from, best_rows, trial_vectors
from modn.optimizers.de import DE
from modn.optimizers.lshade import LSHADE, LSHADEState, _lehmer_mean, _positive_cauchy

UNIT = Space.box(np.full(6, -1.0), np.ones(6))


# What both share


def test_partners_are_uniform_among_those_not_taken() -> None:
    taken = np.tile([[4], [1], [5]], 60_000)
    drawn = apart_from(taken, 7, np.random.default_rng(0))
    share = np.bincount(drawn, minlength=7) / drawn.size
    assert share == pytest.approx([1 / 4, 0, 1 / 4, 1 / 4, 0, 0, 1 / 4], abs=0.01)


def test_the_best_are_drawn_alike() -> None:
    costs = np.random.default_rng(1).permutation(40.0 + np.arange(40_000))
    drawn = best_rows(costs, 3 / 40_000, np.random.default_rng(0))
    rows, count = np.unique(drawn, return_counts=True)
    assert costs[rows].tolist() == pytest.approx([40, 41, 42], abs=2) and len(rows) == 3
    assert count / len(drawn) == pytest.approx([1 / 3] * 3, abs=0.01)


def test_at_least_two_are_the_best() -> None:
    assert set(best_rows(np.array([3.0, 1.0, 2.0, 4.0]), 0.01, np.random.default_rng(0))) <= {1, 2}


@pytest.mark.parametrize("clip", [True, False])
def test_trials_are_mutants_crossed_with_their_parents(clip: bool) -> None:
    rng = np.random.default_rng(3)
    parents, archive = rng.uniform(-1, 1, (5, 6)), rng.uniform(-1, 1, (3, 6))
    base, pull, plus = (rng.integers(0, 5, 5) for _ in range(3))
    minus = np.array([0, 7, 5, 2, 6])
    scale, crossover = rng.uniform(0, 2, 5), np.array([0.0, 0.3, 0.6, 0.9, 1.0])
    rows = base, pull, plus, minus
    trials = trial_vectors(UNIT, parents, archive, rows, scale, crossover, clip, np.random.default_rng(8))
    draws = np.random.default_rng(8)
    pool = np.concatenate([parents, archive])
    for i in range(5):
        sure = int(draws.random() * 6)
        for v in range(6):
            x = parents[i, v]
            toward = pool[base[i], v] + scale[i] * (pool[pull[i], v] - pool[base[i], v])
            mutant = toward + scale[i] * (pool[plus[i], v] - pool[minus[i], v])
            if clip and abs(mutant) > 1:
                mutant = (x + np.sign(mutant)) / 2
            crosses = draws.random() < crossover[i] or v == sure
            assert trials[i, v] == pytest.approx(mutant if crosses else x, rel=1e-12)


# DE


def strategy_rows(strategy: str, monkeypatch: pytest.MonkeyPatch, n: int = 9) -> tuple[np.ndarray, ...]:
    """The partners of many generations, (generations n,) each, with costs equal to the rows' numbers."""
    seen: list[Any] = []

    def witness(space: Space, parents: Any, archive: Any, rows: Any, *_: Any) -> Any:
        assert len(archive) == 0
        seen.append(rows)
        return parents

    monkeypatch.setattr("modn.optimizers.de.trial_vectors", witness)
    optimizer = DE(population=n, strategy=strategy, best_share=1 / 3)
    rng = np.random.default_rng(0)
    for _ in range(500):
        optimizer._trials(UNIT, np.zeros((n, 6)), np.arange(n), rng)
    return tuple(np.concatenate([rows[k] for rows in seen]) for k in range(4))


def test_rand_1_takes_three_others(monkeypatch: pytest.MonkeyPatch) -> None:
    base, pull, plus, minus = strategy_rows("rand/1", monkeypatch)
    own = np.tile(np.arange(9), 500)
    assert (base == pull).all()
    assert all(len({*four}) == 4 for four in zip(own, base, plus, minus, strict=True))
    assert len({*base}) == len({*plus}) == len({*minus}) == 9


def test_current_to_pbest_moves_towards_one_of_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    base, pull, plus, minus = strategy_rows("current-to-pbest/1", monkeypatch)
    own = np.tile(np.arange(9), 500)
    assert (base == own).all() and {*pull} == {0, 1, 2}
    assert all(len({*three}) == 3 for three in zip(own, plus, minus, strict=True))
    assert len({*plus}) == len({*minus}) == 9


def test_a_trial_survives_unless_it_is_worse() -> None:
    optimizer = DE(population=4)
    rng = np.random.default_rng(0)
    state = optimizer.init(UNIT, rng)
    first = optimizer.ask(state, rng)
    state = optimizer.tell(state, first, [1.0, 2.0, 3.0, 4.0], rng)
    trials = optimizer.ask(state, rng)
    state = optimizer.tell(state, trials, [0.5, 2.0, 3.1, np.nan], rng)
    assert (state.parents == np.vstack([trials[:2], first[2:]])).all()
    assert state.costs.tolist() == [0.5, 2, 3, 4]


# L-SHADE


def test_the_population_falls_linearly_over_the_evaluations() -> None:
    optimizer = LSHADE(population=200, iterations=300)
    sizes = np.array([optimizer.size(generation) for generation in range(301)])
    assert sizes[0] == 200 and sizes[-1] == 4 and (np.diff(sizes) <= 0).all()
    spent = np.cumsum(sizes) - sizes
    assert sizes == pytest.approx(200 - 196 * spent / spent[-1], abs=1)  # Eq. 10
    assert optimizer.evaluations(300) == sizes.sum()


def test_the_population_stays_if_the_budget_is_unknown() -> None:
    assert {LSHADE(population=50).size(generation) for generation in (0, 1, 1000)} == {50}


@pytest.mark.parametrize("iterations", [0, 1, 2, 50])
def test_minimize_says_its_budget(iterations: int) -> None:
    sizes: list[int] = []

    def cost(candidates: np.ndarray) -> np.ndarray:
        sizes.append(len(candidates))
        return (candidates**2).sum(axis=1)

    optimizer = LSHADE(population=30, iterations=7)
    found = minimize(optimizer, UNIT, cost, iterations, np.random.default_rng(0))
    assert sizes[0] == 30 and sizes[-1] == (4 if iterations else 30)
    assert found.evaluations == sum(sizes) == optimizer.evaluations(iterations)


def started(costs: list[float], **parameters: Any) -> tuple[LSHADE, LSHADEState, np.ndarray]:
    """An optimizer whose parents have these costs, its state and its first trials."""
    optimizer = LSHADE(**{"population": len(costs)} | parameters)
    rng = np.random.default_rng(0)
    state = optimizer.init(UNIT, rng)
    state = optimizer.tell(state, optimizer.ask(state, rng), costs, rng)
    return optimizer, state, optimizer.ask(state, rng)


def test_the_worst_leave() -> None:
    optimizer, state, _ = started([4.0, 9.0, 1.0, 7.0, 2.0, 8.0], iterations=3)
    kept = optimizer.size(1)
    assert kept == 5 and state.costs.tolist() == [1, 2, 4, 7, 8] and len(state.trials) == 5


def test_the_memory_learns_from_successes() -> None:
    optimizer, state, trials = started([5.0, 5.0, 5.0, 5.0, np.inf], memory=2)
    scale, crossover = np.array([0.2, 0.4, 0.6, 0.8, 1.0]), np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    state = replace(state, scale=scale, crossover=crossover)
    costs = [4.0, 5.0, 2.0, 6.0, 5.0]  # rows 0, 2 and 4 win 1, 3, and an unknown amount: the largest known
    state = optimizer.tell(state, trials, costs, np.random.default_rng(0))
    won, weight = [0, 2, 4], np.array([1, 3, 3]) / 7
    for memory, values in ((state.scale_memory, scale[won]), (state.crossover_memory, crossover[won])):
        assert memory == pytest.approx([(weight * values**2).sum() / (weight * values).sum(), 0.5])
    assert state.oldest == 1
    unchanged = optimizer.tell(state, state.trials, np.full(5, 9.0), np.random.default_rng(0))
    assert unchanged.scale_memory.tolist() == state.scale_memory.tolist() and unchanged.oldest == 1


def test_a_memory_without_crossover_stays_so() -> None:
    optimizer, state, trials = started([5.0] * 4, memory=1)
    rng = np.random.default_rng(0)
    state = optimizer.tell(replace(state, crossover=np.zeros(4)), trials, np.full(4, 4.0), rng)
    assert np.isnan(state.crossover_memory).all() and (state.crossover == 0).all()
    changed = (state.trials != state.parents).sum(axis=1)
    assert changed.tolist() == [1] * 4  # the one variable that always crosses
    state = optimizer.tell(replace(state, crossover=np.ones(4)), state.trials, np.full(4, 3.0), rng)
    assert np.isnan(state.crossover_memory).all()


def test_beaten_parents_are_archived_and_the_archive_has_a_limit() -> None:
    optimizer, state, trials = started([5.0] * 6, archive_ratio=0.5)
    first = state.parents
    rng = np.random.default_rng(0)
    state = optimizer.tell(state, trials, [4.0, 5.0, 6.0, 4.0, 6.0, np.inf], rng)
    assert (state.archive == first[[0, 3]]).all()  # an equal cost replaces, but nothing was beaten
    assert (state.parents[1] == trials[1]).all()
    state = optimizer.tell(state, state.trials, np.full(6, 1.0), rng)
    assert len(state.archive) == 3


def test_scales_and_crossovers_are_drawn_around_the_memory() -> None:
    optimizer = LSHADE(population=40_000, memory=1)
    rng = np.random.default_rng(0)
    state = optimizer.init(Space.bits(1), rng)
    state = replace(state, scale_memory=np.array([0.6]), crossover_memory=np.array([0.9]))
    state = optimizer._challenged(state, rng)
    assert np.median(state.scale) == pytest.approx(0.61, abs=0.01)  # above 0.6, since F <= 0 is drawn again
    assert state.scale.min() > 0 and state.scale.max() == 1
    assert np.quantile(state.scale, [0.25, 0.75]) == pytest.approx([0.52, 0.71], abs=0.02)
    assert state.crossover.max() == 1 and (state.crossover == 1).mean() == pytest.approx(0.159, abs=0.01)
    assert np.median(state.crossover) == pytest.approx(0.9, abs=0.01)


def test_a_small_scale_is_drawn_again_until_it_is_positive() -> None:
    drawn = _positive_cauchy(np.full(10_000, -0.5), np.random.default_rng(0))
    assert (drawn > 0).all() and (drawn <= 1).all()


def test_the_lehmer_mean_prefers_large_values() -> None:
    assert _lehmer_mean(np.array([1.0, 3.0]), np.array([1.0, 1.0])) == 2.5
