"""The search space refuses what is no box and samples the box evenly."""

import numpy as np
import pytest

from modn.optimizers import Space


@pytest.mark.parametrize(
    ("lower", "upper", "message"),
    [
        ([0.0, 1.0], [1.0, 0.5], r"lower\[1\] is 1.0 and upper\[1\] is 0.5; allowed: lower <= upper"),
        ([0.0, np.nan], [1.0, 1.0], r"lower\[1\] is nan .*finite"),
        ([-np.inf], [1.0], "finite"),
        ([0.0], [np.inf], "finite"),
        ([-1.7e308], [1.7e308], "their difference finite"),
        ([0.0, 0.0], [1.0], "same length"),
        ([], [], "at least 1"),
        ([[0.0]], [[1.0]], "one-dimensional"),
    ],
)
def test_bad_bounds_are_refused(lower: list, upper: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Space.box(lower, upper)


def test_boolean_spaces_have_no_other_bounds_than_0_and_1() -> None:
    with pytest.raises(ValueError, match=r"Space\.bits"):
        Space(np.zeros(3), np.full(3, 2.0), boolean=True)
    with pytest.raises(ValueError, match="n is 0; allowed: an integer >= 1"):
        Space.bits(0)


def test_samples_fill_the_box_evenly() -> None:
    space = Space.box([-1, 0, 5], [1, 10, 5])
    sample = space.sample(20_000, np.random.default_rng(0))
    assert sample.shape == (20_000, 3) and sample.dtype == np.float64
    assert (sample >= space.lower).all() and (sample <= space.upper).all()
    assert sample.mean(axis=0) == pytest.approx([0, 5, 5], abs=0.1)
    assert sample.std(axis=0) == pytest.approx(space.range / np.sqrt(12), abs=0.1)


def test_sampled_bits_are_fair() -> None:
    sample = Space.bits(50).sample(2_000, np.random.default_rng(0))
    assert sample.dtype == np.bool_
    assert sample.mean() == pytest.approx(0.5, abs=0.01)


def test_bounds_belong_to_the_space() -> None:
    lower = np.zeros(2)
    space = Space.box(lower, np.ones(2))
    lower[:] = 9
    assert (space.lower == 0).all()
    with pytest.raises(ValueError, match="read-only"):
        space.upper[0] = 3
