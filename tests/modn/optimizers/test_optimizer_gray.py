"""The Gray code: exact round trips, neighbours one bit apart, the whole box covered."""

import numpy as np
import pytest

from modn.optimizers import Space
from modn.optimizers.core.gray import decode, encode

SPACE = Space.box([-1.0, 0.0, 2.0, 1e6], [1.0, 1.0, 2.0, 1e6 + 1])


@pytest.mark.parametrize("bits", [1, 2, 7, 16, 24])
def test_words_survive_the_round_trip(bits: int) -> None:
    words = np.random.default_rng(bits).integers(0, 2**bits, size=(500, 4), dtype=np.uint32)
    again = encode(SPACE, decode(SPACE, words, bits), bits)
    assert (again[:, [0, 1, 3]] == words[:, [0, 1, 3]]).all()
    assert (again[:, 2] == 0).all()  # a fixed variable has one value only


def test_neighbouring_values_differ_in_one_bit() -> None:
    values = np.linspace(-1, 1, 2**10)[:, None]
    words = encode(Space.box([-1], [1]), values, 10)[:, 0]
    assert (np.bitwise_count(words[1:] ^ words[:-1]) == 1).all()
    assert len(np.unique(words)) == 2**10


def test_the_codes_cover_the_box_evenly() -> None:
    words = np.arange(2**8, dtype=np.uint32)[:, None]
    values = np.sort(decode(Space.box([-3], [5]), words, 8)[:, 0])
    assert values == pytest.approx(np.linspace(-3, 5, 2**8), abs=1e-12)


def test_candidates_outside_are_coded_as_the_nearest_bound() -> None:
    box = Space.box([-1.0], [1.0])
    words = encode(box, np.array([[-7.0], [9.0]]), 12)
    assert decode(box, words, 12).tolist() == [[-1.0], [1.0]]


def test_bits_are_their_own_code() -> None:
    bits = np.array([[True, False, True]])
    space = Space.bits(3)
    assert encode(space, bits, 1).tolist() == [[1, 0, 1]]
    assert (decode(space, encode(space, bits, 1), 1) == bits).all()
