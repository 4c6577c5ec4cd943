"""The parts of the compiled core: functions of vectors, and the recipe of distinct values."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modn.fast import distinct, lanes, packing
from modn.fast.compiling import compiled


@compiled
def apply_exp2(x, y):  # type: ignore[no-untyped-def]
    for row in range(len(x)):
        lanes.store(y, row, lanes.exp2(lanes.load(x, row)))


@compiled
def apply_log(x, y):  # type: ignore[no-untyped-def]
    for row in range(len(x)):
        lanes.store(y, row, lanes.log(lanes.load(x, row)))


@compiled
def apply_tanh(x, y):  # type: ignore[no-untyped-def]
    for row in range(len(x)):
        lanes.store(y, row, lanes.tanh(lanes.load(x, row)))


@compiled
def apply_reciprocal(x, y):  # type: ignore[no-untyped-def]
    for row in range(len(x)):
        lanes.store(y, row, lanes.reciprocal(lanes.load(x, row)))


def on_lanes(function: Callable[..., None], x: np.ndarray) -> np.ndarray:
    y = np.empty_like(x)
    function(x, y)
    return y


def grid(low: float, high: float, n: int = 200_000) -> np.ndarray:
    return np.linspace(low, high, n, dtype=np.float32).reshape(-1, lanes.LANES)


def test_exp2() -> None:
    x = grid(-40, 60)
    np.testing.assert_allclose(on_lanes(apply_exp2, x), np.exp2(x.astype(np.float64)), rtol=3e-7)


def test_exp2_is_clamped() -> None:
    x = np.array([-np.inf, -1e30, -41, 61, 1e30, np.inf] + [0] * 10, dtype=np.float32).reshape(1, -1)
    expected = [2.0**-40] * 3 + [2.0**60] * 3 + [1.0] * 10
    assert on_lanes(apply_exp2, x)[0] == pytest.approx(expected, rel=3e-7)


@pytest.mark.parametrize(("low", "high"), [(1e-3, 1.0), (0.25, 4.0), (1.0, 1e3), (1e3, 1e30)])
def test_log(low: float, high: float) -> None:
    x = grid(low, high)
    expected = np.log(x.astype(np.float64))
    assert (np.abs(on_lanes(apply_log, x) - expected) <= 3e-7 * (1 + np.abs(expected))).all()


def test_tanh() -> None:
    x = np.concatenate([grid(-100, 100), grid(-1, 1)])
    np.testing.assert_allclose(on_lanes(apply_tanh, x), np.tanh(x.astype(np.float64)), rtol=0, atol=1e-6)


def test_reciprocal() -> None:
    x = np.concatenate([grid(1, 2), grid(1, 1e15)])
    np.testing.assert_allclose(on_lanes(apply_reciprocal, x), 1 / x.astype(np.float64), rtol=5e-7)


def test_vectors_start_at_a_cache_line() -> None:
    for n in (1, 2, 3, 100):
        vectors = packing.new_vectors(n)
        assert vectors.shape == (n, lanes.LANES)
        assert vectors.ctypes.data % 64 == 0


def follow(block: distinct.Block, factor: Callable[[int, np.ndarray], np.ndarray]) -> np.ndarray:
    """The product over features for each distinct sample, by the recipe; factor(i, values) of feature i."""
    table = [1.0]
    others = np.ones(len(block.counts))
    for f, i in enumerate(block.features):
        values = block.values[block.starts[f] : block.starts[f + 1]]
        if f < block.n_tabled:
            table.extend(factor(i, values))
        else:
            others = others * factor(i, values)
    for left, right in zip(block.left, block.right, strict=True):
        assert max(left, right) < len(table)  # only rows that are there already
        table.append(table[left] * table[right])
    return np.array(table[-len(block.counts) :]) * others


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    N=st.integers(1, 60),
    values=st.lists(st.sampled_from([1, 2, 3, 5, 1000]), min_size=1, max_size=9),
)
def test_the_recipe_gives_every_sample_its_product(seed: int, N: int, values: list[int]) -> None:
    rng = np.random.default_rng(seed)
    X = np.stack([rng.integers(n, size=N) for n in values], axis=1).astype(float)
    y = rng.integers(3, size=N)
    (block,) = distinct.blocks_of(X, y, 3)
    slopes = rng.uniform(0.5, 1.5, len(values))

    products = follow(block, lambda i, x: 1 + slopes[i] * np.log1p(x))

    of_samples = np.prod(1 + slopes * np.log1p(X), axis=1)
    for c in range(3):
        expanded = np.repeat(products, block.counts[:, c].astype(int))
        assert np.sort(expanded) == pytest.approx(np.sort(of_samples[y == c]), rel=1e-6)


def test_equal_samples_are_computed_once() -> None:
    X = np.array([[1.0, 2.0], [1.0, 2.0], [3.0, 2.0], [1.0, 2.0]])
    (block,) = distinct.blocks_of(X, np.array([0, 1, 1, 0]), 2)
    assert block.counts.tolist() == [[2, 1], [0, 1]]


def test_few_values_need_few_exponentials() -> None:
    """The car table's shape: 1728 samples, 6 features of 3 or 4 values."""
    axes = [np.arange(n) for n in (4, 4, 4, 3, 3, 3)]
    X = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 6).astype(float)
    (block,) = distinct.blocks_of(X, np.zeros(len(X), dtype=int), 1)
    assert len(block.values) == 21
    assert len(block.left) < 1.2 * len(X)


def test_values_of_few_decimals_are_sums_of_few_parts() -> None:
    rng = np.random.default_rng(0)
    X = np.stack([rng.integers(0, 1000, 800) / 500 - 1, rng.random(800)], axis=1)
    (block,) = distinct.blocks_of(X, np.zeros(800, dtype=np.int64), 1)
    assert block.features.tolist() == [0, 1] or block.features.tolist() == [1, 0]
    split, whole = (int(np.flatnonzero(block.features == feature)[0]) for feature in (0, 1))
    assert block.part_starts[2 * whole] == block.part_starts[2 * whole + 2]
    assert 0 < block.part_starts[2 * split + 2] - block.part_starts[2 * split] <= 2 * 32
    own = slice(block.starts[split], block.starts[split + 1])
    sums = block.parts[block.coarse[own]] + block.parts[block.fine[own]]
    np.testing.assert_allclose(sums, block.values[own], atol=2e-7)


@pytest.mark.parametrize("gap", [1e-17, 1e-300, 5e-324])
def test_values_as_close_as_numbers_can_be_are_not_split(gap: float) -> None:
    X = np.r_[0.0, gap, np.linspace(-1, 1, 60)][:, None]
    (block,) = distinct.blocks_of(X, np.zeros(len(X), dtype=np.int64), 1)
    assert block.parts.size == 0


def test_features_without_repetition_are_not_tabled() -> None:
    X = np.random.default_rng(0).random((50, 3))
    (block,) = distinct.blocks_of(X, np.zeros(50, dtype=int), 1)
    assert block.n_tabled == 0
    assert len(block.values) == 150


def test_blocks_share_out_the_samples() -> None:
    X = np.random.default_rng(0).random((3000, 50))
    blocks = distinct.blocks_of(X, np.arange(3000) % 4, 4)
    assert len(blocks) > 1
    assert sum(block.counts.sum(axis=0) for block in blocks).tolist() == [750] * 4
