"""The compiled loops say what they say uncompiled, of the same draws; and nobody waits for numba in vain."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from modn.optimizers import adam, bbo, cmaes, ga, pbil, pso
from modn.optimizers.core import differential, draws, gray
from modn.optimizers.core.space import Space, rows_of

rng = np.random.default_rng(7)
HABITATS = rng.normal(size=(12, 9))
BITS = rng.random((12, 9)) < 0.5
WORDS = rng.integers(0, 2**10, size=(12, 9), dtype=np.uint32)
IMMIGRATION, EMIGRATION = np.linspace(0, 1, 12), np.linspace(1, 0, 12)
BOX, REACH = Space.box(np.full(9, -1.0), np.ones(9)), np.full(9, 2.0)
PARTNERS = *rng.integers(0, 12, (3, 12)), rng.integers(0, 15, 12)  # the last also in an archive of three

# the loop, what it draws from, the other arguments
LOOPS: list[tuple[Callable[..., Any], bool, tuple[Any, ...]]] = [
    (adam._change, False, (HABITATS, HABITATS / 2, HABITATS**2, 3, 0.1, 0.9, 0.999, 1e-8)),
    (bbo._migrated, True, (HABITATS, IMMIGRATION, EMIGRATION, True, 0.9)),
    (bbo._migrated, True, (HABITATS, IMMIGRATION, EMIGRATION, False, None)),
    (bbo._migrated, True, (BITS, IMMIGRATION, EMIGRATION, True, None)),
    (cmaes._draw, True, (5, REACH / 2, REACH)),
    (
        differential._trials,
        True,
        (HABITATS, -HABITATS[:3], *PARTNERS, EMIGRATION, IMMIGRATION, BOX.lower, BOX.upper),
    ),
    (draws._walk, True, (1000, np.log(0.9), 3)),
    (ga._crossed, False, (WORDS, np.arange(12)[::-1].copy(), np.array([[3, 40]] * 6), 10)),
    (gray._encode, False, (HABITATS, BOX.lower, 1023 / REACH, 1023)),
    (gray._decode, False, (WORDS, BOX.lower, REACH / 1023)),
    (pbil._sampled, True, (5, np.linspace(0, 1, 9), 0.7, BOX.lower, REACH)),
    (
        pso._moved,
        True,
        (
            *(HABITATS, HABITATS / 2, -HABITATS, IMMIGRATION > 0.5, 8, (0.9, 1.2, 0.4), REACH / 9),
            *(BOX.lower, BOX.upper),
        ),
    ),
]


@pytest.mark.parametrize(("loop", "random", "arguments"), LOOPS)
def test_compiled_loops_are_what_they_are_uncompiled(
    loop: Callable[..., Any], random: bool, arguments: tuple[Any, ...]
) -> None:
    one, two = ([np.random.default_rng(3)] if random else [] for _ in range(2))
    fast = loop(*one, *arguments)
    with np.errstate(divide="ignore"):  # the best habitat's rate is 0, and its quotient is not used
        slow = loop.__wrapped__(*two, *arguments)  # type: ignore[attr-defined]
    np.testing.assert_allclose(fast, slow, rtol=1e-12)
    assert not random or one[0].random() == two[0].random()  # as many numbers were drawn


def test_noise_is_added_to_the_chosen_variables_alone() -> None:
    chosen, scale = np.array([0, 5, 107]), np.arange(9.0)
    fast, slow = HABITATS.copy().reshape(-1), HABITATS.copy().reshape(-1)
    bbo._shift(np.random.default_rng(3), fast, chosen, scale)
    slow[chosen] += scale[[0, 5, 8]] * np.random.default_rng(3).standard_normal(3)
    np.testing.assert_allclose(fast, slow, rtol=1e-12)


def test_bits_are_counted_through_all_words() -> None:
    words = np.zeros(108, np.uint32)
    ga._flip(words, np.array([0, 5, 9, 1079]), 10)
    assert words[0] == 2**0 + 2**5 + 2**9 and words[107] == 2**9 and not words[1:107].any()


def test_rows_of_two_tables_are_those_of_one() -> None:
    chosen = np.array([14, 0, 3, 3, 11, 12])
    both = np.concatenate([HABITATS[:3], HABITATS])
    assert (rows_of(HABITATS[:3], HABITATS, chosen) == both[chosen]).all()
