"""GA, PSO, PBIL and ES take the steps their sources define: checked step by step, and by their statistics."""

from dataclasses import replace

import numpy as np
import pytest

from modn.optimizers import Space
from modn.optimizers.core.gray import encode
from modn.optimizers.es import ES
from modn.optimizers.ga import GA
from modn.optimizers.pbil import PBIL
from modn.optimizers.pso import PSO

UNIT = Space.box(np.full(6, -1.0), np.ones(6))


# GA


def bit_strings(space: Space, candidates: np.ndarray, bits: int) -> np.ndarray:
    words = encode(space, candidates, bits)
    return ((words[:, :, None] >> np.arange(bits - 1, -1, -1)) & 1).reshape(len(words), -1)


@pytest.mark.parametrize("cuts", [1, 2, 3])
def test_children_are_their_parents_cut_and_joined(cuts: int) -> None:
    optimizer = GA(population=3, mutation=0, elites=1, bits=5, cuts=cuts)
    rng = np.random.default_rng(0)
    state = optimizer.init(UNIT, rng)
    # All zeros, all ones, and no chance for the third one: then each change along a child is a cut.
    state = replace(state, words=np.array([[0] * 6, [31] * 6, [7] * 6], dtype=np.uint32), generation=1)
    state = replace(state, costs=np.array([1.0, 1.0, np.inf]))
    seen = set()
    for _ in range(400):
        children = bit_strings(UNIT, optimizer.ask(state, rng), 5)
        changes = (np.diff(children, axis=1) != 0).sum(axis=1)
        assert (changes <= cuts).all()
        seen |= set(changes.tolist())
        if changes.any():
            assert (children[0] ^ children[1] == 1).all()  # the two children of a pair complement each other
    # Parents may be equal; two cuts at the same bit undo each other.
    assert seen == {0, *range(cuts, 0, -2)}


def test_every_bit_can_be_the_cut() -> None:
    optimizer = GA(population=3, mutation=0, elites=1, bits=5)
    rng = np.random.default_rng(0)
    state = replace(optimizer.init(UNIT, rng), generation=1, costs=np.array([1.0, 1.0, np.inf]))
    state = replace(state, words=np.array([[0] * 6, [31] * 6, [7] * 6], dtype=np.uint32))
    cuts = np.concatenate(
        [np.nonzero(np.diff(bit_strings(UNIT, optimizer.ask(state, rng), 5)))[1] for _ in range(2_000)]
    )
    share = np.bincount(cuts, minlength=29) / cuts.size
    assert share == pytest.approx(np.full(29, 1 / 29), abs=0.015)


def test_without_crossover_and_mutation_children_are_clones() -> None:
    optimizer = GA(population=8, mutation=0, crossover=0, elites=2)
    rng = np.random.default_rng(0)
    state = optimizer.init(UNIT, rng)
    first = optimizer.ask(state, rng)
    state = optimizer.tell(state, first, np.arange(8.0), rng)
    children = optimizer.ask(state, rng)
    assert children.shape == (6, 6)
    assert all((child == first).all(axis=1).any() for child in children)


def test_each_bit_flips_with_the_mutation_probability() -> None:
    space = Space.box(np.full(200, -1.0), np.ones(200))
    optimizer = GA(population=22, elites=2, bits=10, mutation=0.03)
    rng = np.random.default_rng(0)
    state = replace(optimizer.init(space, rng), generation=1, costs=np.zeros(22))
    state = replace(state, words=np.zeros((22, 200), dtype=np.uint32))
    flipped = np.stack([bit_strings(space, optimizer.ask(state, rng), 10) for _ in range(30)])
    assert flipped.mean() == pytest.approx(0.03, rel=0.03)
    assert flipped.reshape(-1, 10).mean(axis=0) == pytest.approx(np.full(10, 0.03), rel=0.1)


def test_roulette_prefers_low_costs_and_skips_infinite_ones() -> None:
    optimizer = GA(population=4, elites=0)
    costs = np.array([-1.0, 0.0, 1.0, np.inf])
    drawn = np.bincount(optimizer._select(costs, 60_000, np.random.default_rng(0)), minlength=4) / 60_000
    assert drawn == pytest.approx(np.array([2, 1, 0.5, 0]) / 3.5, abs=0.01)


def test_a_tournament_prefers_the_better_of_two() -> None:
    optimizer = GA(population=4, elites=0, selection="tournament")
    drawn = (
        np.bincount(optimizer._select(np.zeros(4), 60_000, np.random.default_rng(0)), minlength=4) / 60_000
    )
    assert drawn == pytest.approx(np.array([7, 5, 3, 1]) / 16, abs=0.01)


def test_elites_are_not_evaluated_again_and_survive() -> None:
    optimizer = GA(population=9, elites=3)
    rng = np.random.default_rng(0)
    state = optimizer.init(UNIT, rng)
    state = optimizer.tell(state, optimizer.ask(state, rng), np.arange(9.0), rng)
    elites = state.words[:3].copy()
    children = optimizer.ask(state, rng)
    assert len(children) == 6
    state = optimizer.tell(state, children, np.full(6, 50.0), rng)
    assert (state.words[:3] == elites).all() and state.costs[:4].tolist() == [0, 1, 2, 50]


# PSO


@pytest.mark.parametrize("clip", [True, False])
def test_the_swarm_moves_as_printed(clip: bool) -> None:
    optimizer = PSO(population=4, inertia=0.9, cognitive=1.4, social=0.6, velocity_clamp=0.2, clip=clip)
    rng = np.random.default_rng(0)
    state = optimizer.init(UNIT, rng)
    position = optimizer.ask(state, rng).copy()
    velocity = np.zeros((4, 6))
    own, own_cost = position.copy(), np.full(4, np.inf)
    for generation in range(6):
        draws = np.random.default_rng(100 + generation)
        costs = ((position - 1.2) ** 2).sum(axis=1)
        state = optimizer.tell(
            state, optimizer.ask(state, rng), costs, np.random.default_rng(100 + generation)
        )
        for i in range(4):
            if costs[i] < own_cost[i]:
                own[i], own_cost[i] = position[i], costs[i]
        swarm = own[own_cost.argmin()]
        r2, r1 = np.modf(draws.random((4, 6)) * 2**26)  # one draw is two
        r1 /= 2**26
        for i in range(4):
            for v in range(6):
                pull = 1.4 * r1[i, v] * (own[i, v] - position[i, v]) + 0.6 * r2[i, v] * (
                    swarm[v] - position[i, v]
                )
                velocity[i, v] = min(max(0.9 * velocity[i, v] + pull, -0.4), 0.4)
        position = position + velocity
        if clip:
            position = np.clip(position, -1, 1)
        assert optimizer.ask(state, rng) == pytest.approx(position)


def test_particles_stand_for_bits_by_their_sign() -> None:
    optimizer = PSO(population=30)
    rng = np.random.default_rng(0)
    state = optimizer.init(Space.bits(8), rng)
    for _ in range(5):
        candidates = optimizer.ask(state, rng)
        assert (candidates == (state.positions > 0)).all()
        state = optimizer.tell(state, candidates, candidates.sum(axis=1), rng)
        assert np.abs(state.positions).max() <= 1


# PBIL


@pytest.mark.parametrize(
    ("code", "space"), [("real", UNIT), ("real", Space.bits(6)), ("gray", Space.bits(6))]
)
def test_the_vector_moves_to_the_best_and_away_from_the_worst(code: str, space: Space) -> None:
    optimizer = PBIL(population=5, code=code, best_count=2, bad_count=1, negative_learning_rate=0.1, elites=0)
    rng = np.random.default_rng(0)
    state = optimizer.init(space, rng)
    candidates = optimizer.ask(state, rng)
    state = optimizer.tell(state, candidates, np.array([3.0, 1.0, np.nan, 2.0, 5.0]), rng)
    place = (candidates - space.lower) / space.range
    expected = np.full(6, 0.5)
    for row in (1, 3):
        expected = expected + 0.05 * (place[row] - expected)
    expected = expected + 0.1 * (expected - place[4])
    assert state.probability == pytest.approx(expected)


def test_real_samples_are_uniform_around_their_place() -> None:
    optimizer = PBIL(population=20_001, spread=0.4)
    rng = np.random.default_rng(0)
    state = optimizer.init(UNIT, rng)
    state = replace(state, probability=np.array([0.5, 0.3, 0.9, 0.0, 1.0, 0.2]))
    sample = (optimizer.ask(state, rng) + 1) / 2
    assert sample.min(axis=0) == pytest.approx([0.3, 0.1, 0.7, 0, 0.8, 0], abs=1e-3)
    assert sample.max(axis=0) == pytest.approx([0.7, 0.5, 1, 0.2, 1, 0.4], abs=1e-3)
    assert (sample[:, 3] == 0).mean() == pytest.approx(0.5, abs=0.02)  # what lies outside is clipped


@pytest.mark.parametrize("bits", [3, 8, 11, 16])
def test_gray_bits_are_sampled_by_their_own_probability(bits: int) -> None:
    optimizer = PBIL(population=20_001, code="gray", bits=bits)
    rng = np.random.default_rng(0)
    probability = rng.random((6, bits))
    probability[0] = 0
    state = replace(optimizer.init(UNIT, rng), probability=probability)
    drawn = bit_strings(UNIT, optimizer.ask(state, rng), bits).mean(axis=0).reshape(6, bits)
    assert drawn == pytest.approx(probability, abs=0.015)
    assert (drawn[0] == 0).all()


def test_the_gray_vector_moves_bit_by_bit() -> None:
    optimizer = PBIL(population=5, code="gray", bits=7, elites=0)
    rng = np.random.default_rng(0)
    state = optimizer.init(UNIT, rng)
    candidates = optimizer.ask(state, rng)
    state = optimizer.tell(state, candidates, np.array([3.0, 1.0, 4.0, 2.0, 5.0]), rng)
    best = bit_strings(UNIT, candidates, 7)[1].reshape(6, 7)
    assert state.probability == pytest.approx(0.475 + 0.05 * best)


def test_the_elite_takes_part_without_being_evaluated_again() -> None:
    optimizer = PBIL(population=6, elites=1)
    rng = np.random.default_rng(0)
    state = optimizer.init(UNIT, rng)
    first = optimizer.ask(state, rng)
    assert len(first) == 6
    state = optimizer.tell(state, first, np.array([4.0, 0.5, 3, 3, 3, 3]), rng)
    probability = state.probability
    later = optimizer.ask(state, rng)
    assert len(later) == 5
    state = optimizer.tell(state, later, np.ones(5), rng)
    assert state.probability == pytest.approx(probability + 0.05 * ((first[1] + 1) / 2 - probability))


# ES


def test_children_take_each_variable_from_one_of_two_parents() -> None:
    optimizer = ES(population=5, children=50, sigma=1e-12, clip=False)
    rng = np.random.default_rng(0)
    state = optimizer.init(UNIT, rng)
    parents = optimizer.ask(state, rng)
    state = optimizer.tell(state, parents, np.arange(5.0), rng)
    children = optimizer.ask(state, rng)
    assert children.shape == (50, 6)
    from_parent = np.isclose(children[:, None, :], parents[None, :, :], atol=1e-9)
    assert from_parent.any(axis=1).all()
    parents_used = from_parent.any(axis=2).sum(axis=1)
    assert parents_used.max() == 2 and parents_used.min() >= 1


def test_mutation_has_the_global_standard_deviation() -> None:
    space = Space.box(np.full(300, -50.0), np.full(300, 50.0))
    optimizer = ES(population=1, children=40)
    rng = np.random.default_rng(0)
    state = optimizer.init(space, rng)
    parent = optimizer.ask(state, rng)
    state = optimizer.tell(state, parent, [1.0], rng)
    noise = optimizer.ask(state, rng) - parent
    assert noise[:, np.abs(parent[0]) < 45].std() == pytest.approx(1, rel=0.02)


@pytest.mark.parametrize(("winners", "change"), [(0, 1 / 1.22), (1, 1 / 1.22), (2, 1), (3, 1.22), (10, 1.22)])
def test_the_one_fifth_rule(winners: int, change: float) -> None:
    optimizer = ES(population=4)
    rng = np.random.default_rng(0)
    state = optimizer.init(UNIT, rng)
    state = optimizer.tell(state, optimizer.ask(state, rng), np.full(4, 5.0), rng)
    costs = np.full(10, 6.0)
    costs[:winners] = 4.0
    state = optimizer.tell(state, optimizer.ask(state, rng), costs, rng)
    assert state.sigma == pytest.approx(change)


def test_parents_and_children_compete() -> None:
    optimizer = ES(population=3, children=2)
    rng = np.random.default_rng(0)
    state = optimizer.init(UNIT, rng)
    state = optimizer.tell(state, optimizer.ask(state, rng), [3.0, 1.0, 2.0], rng)
    children = optimizer.ask(state, rng)
    state = optimizer.tell(state, children, [1.5, 9.0], rng)
    assert sorted(state.costs.tolist()) == [1, 1.5, 2]
    assert (state.parents[state.costs == 1.5] == children[0]).all()
