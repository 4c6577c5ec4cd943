"""Seeds: a function of the run's number and the cell's name, distinct for distinct cells."""

import hashlib
from itertools import product

import numpy as np

from stages.study.seeding import generator


def first_draws(seed: int, *name: str) -> tuple[int, ...]:
    return tuple(generator(seed, *name).integers(2**63, size=4).tolist())


def test_the_same_cell_draws_the_same_numbers() -> None:
    assert first_draws(100, "comparison", "iris") == first_draws(100, "comparison", "iris")


def test_cells_and_runs_draw_different_numbers() -> None:
    cells = list(product(range(100, 105), ("iris", "wine"), ("modn", "modnf"), ("bbo", "pso")))
    draws = {first_draws(seed, *name) for seed, *name in cells}
    assert len(draws) == len(cells)


def test_names_are_not_just_joined_and_their_order_counts() -> None:
    assert first_draws(1, "ab", "c") != first_draws(1, "a", "bc")
    assert first_draws(1, "a", "b") != first_draws(1, "b", "a")
    assert first_draws(1, "a") != first_draws(1, "a", "")


def test_the_global_generator_is_neither_used_nor_disturbed() -> None:
    before = np.random.get_state(legacy=False)["state"]["key"].copy()  # noqa: NPY002 - the one not to be used
    generator(1, "a").random(10)
    assert (np.random.get_state(legacy=False)["state"]["key"] == before).all()  # noqa: NPY002


def test_the_seed_is_the_published_one() -> None:
    """Computed here by itself, so that a change of the rule, and of every result, does not go unseen."""
    digest = hashlib.sha256(b"comparison\x00iris\x00modn\x00bbo").digest()
    words = [int.from_bytes(digest[k : k + 4], "little") for k in range(0, 32, 4)]
    expected = np.random.Generator(np.random.PCG64(np.random.SeedSequence([100, *words])))
    drawn = generator(100, "comparison", "iris", "modn", "bbo").random(5)
    np.testing.assert_array_equal(drawn, expected.random(5))
