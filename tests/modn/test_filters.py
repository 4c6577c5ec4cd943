"""The fixed filters (Eqs. 6 and 7) and the states a filter puts dendrites in."""

import numpy as np
import pytest

from modn import filters


def test_partition_is_equation_6() -> None:
    M, C = 6, 3
    expected = np.zeros((M, C), dtype=bool)
    for i in range(1, M + 1):
        for j in range(1, C + 1):
            expected[i - 1, j - 1] = np.ceil(i * C / M) == j
    assert np.array_equal(filters.partition(M, C), expected)


def test_partition_names_both_numbers_where_they_do_not_divide() -> None:
    with pytest.raises(ValueError, match=r"n_dendrites is 7; allowed: .* a multiple of n_classes \(3\)"):
        filters.partition(7, 3)


def test_full_is_equation_7() -> None:
    P = filters.full(4, 2)
    assert P.shape == (4, 2)
    assert P.dtype == bool
    assert P.all()


@pytest.mark.parametrize("make", [filters.partition, filters.full])
@pytest.mark.parametrize(
    ("arguments", "name"), [((0, 2), "n_dendrites"), ((4, 2.0), "n_classes"), ((4, True), "n_classes")]
)
def test_sizes_are_positive_integers(make, arguments, name) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=f"{name} is .*; allowed: an integer >= 1"):
        make(*arguments)


def test_a_dendrite_feeds_none_one_or_several_outputs() -> None:
    P = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]], dtype=bool)
    assert filters.dendrite_states(P).tolist() == ["inoperative", "exclusive", "communal", "communal"]


def test_states_of_the_fixed_filters() -> None:
    assert set(filters.dendrite_states(filters.partition(6, 3))) == {"exclusive"}
    assert set(filters.dendrite_states(filters.full(6, 3))) == {"communal"}


def test_a_filter_of_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match="P has the dtype float64; allowed: bool"):
        filters.dendrite_states(np.ones((2, 2)))  # type: ignore[arg-type]
