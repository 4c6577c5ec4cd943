"""BBO moves habitats as its two sources say."""

from dataclasses import replace

import numpy as np
import pytest

from modn.optimizers import Space
from modn.optimizers.bbo import BBO, BBOState

N, V = 20, 500
SPACE = Space.box(np.full(V, -1.0), np.ones(V))


def evaluated(optimizer: BBO, space: Space, habitats: np.ndarray) -> BBOState:
    """A state whose habitats have the costs 0, 1, 2 ..."""
    rng = np.random.default_rng(0)
    state = optimizer.init(space, rng)
    return optimizer.tell(state, habitats, np.arange(float(len(habitats))), rng)


def ranks() -> np.ndarray:
    """Habitats whose every variable is their rank: a migrant shows where it is from."""
    return np.tile(np.arange(float(N))[:, None], (1, V))


@pytest.mark.parametrize("variant", ["continuous", "simon"])
def test_migration_rates_and_sources(variant: str) -> None:
    optimizer = BBO(population=N, variant=variant, mutation=0, blend=1.0)
    state = evaluated(optimizer, SPACE, ranks())
    rng = np.random.default_rng(1)
    moved = np.stack([optimizer.ask(state, rng) for _ in range(40)])
    assert set(np.unique(moved)) <= set(range(N))

    # The share of variables that changed: lambda_i, less what came from the habitat itself (simon).
    emigration = np.linspace(1, 0, N) if variant == "continuous" else np.arange(N - 1, -1, -1) / N
    immigration = np.linspace(0, 1, N)
    itself = emigration / emigration.sum() if variant == "simon" else 0
    changed = (moved != ranks()).mean(axis=(0, 2))
    assert changed == pytest.approx(immigration * (1 - itself), abs=0.015)

    # Where the worst habitat's variables came from: roulette on the emigration rates.
    sources = np.bincount(moved[:, -1].astype(int).ravel(), minlength=N) / moved[:, -1].size
    assert sources == pytest.approx(emigration / emigration.sum(), abs=0.012)


def test_nobody_immigrates_from_itself() -> None:
    optimizer = BBO(population=3, mutation=0, blend=1.0)
    state = evaluated(optimizer, SPACE, np.tile([[0.0], [1.0], [2.0]], (1, V)))
    rng = np.random.default_rng(0)
    second = np.concatenate([optimizer.ask(state, rng)[1] for _ in range(20)])
    # lambda is 1/2, and of the two others only the best one emigrates.
    assert (second == 0).mean() == pytest.approx(0.5, abs=0.02) and (second == 2).sum() == 0


def test_an_immigrating_variable_is_pulled_nine_tenths_of_the_way() -> None:
    optimizer = BBO(population=2, mutation=0)
    state = evaluated(optimizer, SPACE, np.stack([np.zeros(V), np.ones(V)]))
    best, worst = optimizer.ask(state, np.random.default_rng(0))
    assert (best == 0).all()
    assert worst == pytest.approx(np.full(V, 0.1))


def test_mutation_is_gaussian_with_a_fiftieth_of_the_range() -> None:
    wide = Space.box(np.full(V, -5.0), np.full(V, 5.0))
    optimizer = BBO(population=N, max_immigration=0)
    state = evaluated(optimizer, wide, np.zeros((N, V)))
    rng = np.random.default_rng(0)
    noise = np.stack([optimizer.ask(state, rng) for _ in range(30)])
    assert (noise != 0).mean() == pytest.approx(0.1, abs=0.005)
    assert noise[noise != 0].std() == pytest.approx(0.2, rel=0.03)
    assert noise[noise != 0].mean() == pytest.approx(0, abs=0.005)


def test_nothing_holds_the_continuous_variant_in_the_box() -> None:
    optimizer = BBO(population=N)
    state = evaluated(optimizer, SPACE, np.ones((N, V)))
    assert optimizer.ask(state, np.random.default_rng(0)).max() > 1


def test_bits_are_replaced_and_redrawn() -> None:
    bits = Space.bits(V)
    habitats = np.zeros((2, V), dtype=bool)
    habitats[1] = True
    replaced = BBO(population=2, mutation=0)
    best, worst = replaced.ask(evaluated(replaced, bits, habitats), np.random.default_rng(0))
    assert not best.any() and not worst.any()
    redrawn = BBO(population=2, mutation=1)
    assert redrawn.ask(evaluated(redrawn, bits, habitats), np.random.default_rng(0)).mean() == pytest.approx(
        0.5, abs=0.06
    )


def test_the_best_fifth_is_kept_and_the_rest_are_the_best_new_ones() -> None:
    optimizer = BBO(population=10)
    rng = np.random.default_rng(0)
    state = evaluated(optimizer, SPACE, np.tile(np.arange(10.0)[:, None], (1, V)))
    new_costs = np.array([0.5, 9, 8, 7, 6, 5, 4, 3, 2, 1.5])
    new = np.tile(100 + new_costs[:, None], (1, V))
    state = optimizer.tell(state, new, new_costs, rng)
    assert state.costs.tolist() == [0, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 7]
    assert state.habitats[:, 0].tolist() == [0, 100.5, 1, 101.5, 102, 103, 104, 105, 106, 107]


def test_simons_elites_replace_the_worst() -> None:
    optimizer = BBO(population=5, variant="simon", elites=2)
    rng = np.random.default_rng(0)
    state = evaluated(optimizer, SPACE, np.tile(np.arange(5.0)[:, None], (1, V)))
    state = optimizer.tell(state, np.zeros((5, V)), np.full(5, 0.5) + np.arange(5), rng)
    assert state.costs.tolist() == [0, 0.5, 1, 1.5, 2.5]


def test_simons_species_counts_are_a_distribution_that_settles_in_the_middle() -> None:
    optimizer = BBO(population=N, variant="simon", step_size=0.5)
    state = evaluated(optimizer, SPACE, ranks())
    for _ in range(500):
        state = replace(state, species=optimizer._next_species(state))
        assert state.species.min() >= 0 and state.species.sum() == pytest.approx(1)
    # The steady state of Simon's Eq. 8 with linear rates is binomial: most likely in the middle.
    assert state.species.argmax() in (N // 2 - 1, N // 2)
    assert state.species[0] < 1e-3 and state.species[-1] < 1e-3


def test_simons_mutation_spares_the_better_half_and_the_likely_counts() -> None:
    optimizer = BBO(population=N, variant="simon", mutation=1, modification=0)
    state = evaluated(optimizer, SPACE, np.full((N, V), 0.25))
    species = np.full(N, 0.5)
    species[-1] = 1.0  # the most likely one never mutates
    mutated = optimizer.ask(replace(state, species=species), np.random.default_rng(0)) != 0.25
    assert not mutated[: N // 2].any() and not mutated[-1].any()
    assert mutated[N // 2 : -1].mean() == pytest.approx(0.5, abs=0.03)
