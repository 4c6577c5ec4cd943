"""Numbers on wires: which bits are chosen, and what they promise."""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from runners import simulated
from tools import need

from modn import export
from modn.explain.circuit import Circuit, Condition, Feature
from modn.export.fixed_point import Port, ports_of, scaled, words_of
from modn.export.parts import parts_of

NUMBERS = st.floats(-1e6, 1e6)


def of(*thresholds: float, test: str = ">=") -> Circuit:
    """A circuit that counts the thresholds below a number."""
    dendrites = tuple((Condition(0, test, t),) for t in thresholds)
    weights = np.array([[0, 1]] * len(dendrites)).reshape(-1, 2)
    return Circuit((Feature("x"),), np.array([0, 1]), dendrites, weights, np.zeros(2, int))


def port(circuit: Circuit, X: object = None, fraction_bits: int | None = None) -> Port:
    return ports_of(circuit, parts_of(circuit, "verilog"), X, fraction_bits)[0]


@given(NUMBERS, st.integers(0, 20))
def test_scaled_rounds_up_exactly(x: float, fraction: int) -> None:
    assert scaled(x, fraction) == math.ceil(Fraction(x) * 2**fraction)


@given(st.lists(NUMBERS, min_size=1, max_size=8), NUMBERS, st.integers(0, 12))
def test_words_keep_the_order(values: list[float], threshold: float, fraction: int) -> None:
    """A number that is at least the threshold stays so; a multiple of 2^-f that is below stays below."""
    wires = port(of(threshold), np.array(values)[:, None], fraction)
    for x in values:
        if x >= threshold:
            assert wires.word(x) >= wires.word(threshold)
        if x < threshold and Fraction(x) * 2**fraction % 1 == 0:
            assert wires.word(x) < wires.word(threshold)


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=8), st.integers(-(10**6), 10**6))
def test_samples_choose_as_few_bits_as_decide_them_right(values: list[int], threshold: int) -> None:
    circuit, X = of(threshold / 1000), np.array(values)[:, None] / 1000
    wires = port(circuit, X)
    words = [row[0] for row in words_of(circuit, [wires], X) if row is not None]
    right = (X[:, 0] >= threshold / 1000).tolist()
    assert [word >= wires.word(threshold / 1000) for word in words] == right
    if wires.fraction:
        fewer = port(circuit, X, wires.fraction - 1)
        assert [fewer.word(x) >= fewer.word(threshold / 1000) for x in X[:, 0]] != right


def test_integers_need_no_fraction() -> None:
    wires = port(of(2.5, 7.5), np.arange(10.0)[:, None])
    assert (wires.fraction, wires.width) == (0, 5)  # -16 to 15


@pytest.mark.parametrize(
    ("threshold", "fraction"), [(3.0, 0), (2.5, 4), (2.45, 7), (1e3, 0), (0.001, 10), (1e5, 0)]
)
def test_without_samples_decimals_choose(threshold: float, fraction: int) -> None:
    """Inputs with as many decimals as the threshold are told apart from it."""
    wires = port(of(threshold))
    step = 10.0 ** -max(0, len(str(threshold).partition(".")[2].rstrip("0")))
    assert wires.fraction == fraction
    assert wires.word(threshold - step) < wires.word(threshold) <= wires.word(threshold + step)


def test_a_threshold_with_many_decimals_gets_24_bits() -> None:
    for threshold in (1 / 3, -200 / 3, 1e5 / 7, 2**-40 / 3):
        wires = port(of(threshold))
        assert 2**22 < abs(wires.word(threshold)) <= 2**24


def test_values_beyond_the_range_are_cut() -> None:
    wires = port(of(2.5))
    low, high = wires.range
    assert (wires.word(-1e300), wires.word(1e300), wires.word(-np.inf), wires.word(np.inf)) == (
        low,
        high,
        low,
        high,
    )
    assert low < wires.word(2.5) <= high


def test_too_many_bits_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"the feature 'x' needs .* bits, .* after the point; allowed: at most 53"
    ):
        export.verilog(of(1e-300, 1e300))


def test_missing_values_have_no_wire() -> None:
    bench = export.testbench(of(1.0), X=np.array([[1.0], [np.nan], [2.0]]), n_random=0)
    assert bench.count("    check(") == 2 and "PASS: 2 samples" in bench


def test_the_bench_notices_a_wrong_module(tmp_path: Path) -> None:
    """A bench that cannot fail would prove nothing."""
    need("iverilog", "vvp")
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0]})
    out = simulated([export.verilog(of(1.5), X=X), export.testbench(of(2.5), X=X, n_random=0)], tmp_path)
    assert "FAIL: 1 of 3 samples differ" in out and "PASS" not in out
