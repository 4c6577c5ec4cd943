"""Scaling: to [0, 1] and back, whatever the range."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from modn.scaling import from_unit, to_unit

FINITE = st.floats(-1e308, 1e308)


def test_by_hand() -> None:
    X = np.array([[0.0, 5.0], [10.0, 5.0], [2.5, 5.0], [-3.0, 4.0], [30.0, 6.0]])
    scaled = to_unit(X, np.array([0.0, 5.0]), np.array([10.0, 5.0]))
    assert scaled[:, 0].tolist() == [0.0, 1.0, 0.25, 0.0, 1.0]
    assert scaled[:, 1].tolist() == [0.0] * 5


@given(st.lists(FINITE, min_size=2, max_size=5), st.floats(0, 1))
def test_every_range_becomes_the_unit_interval_and_comes_back(values: list[float], x: float) -> None:
    X = np.array(values)[:, None]
    low, high = X.min(axis=0), X.max(axis=0)
    scaled = to_unit(X, low, high)
    assert scaled.min() == 0 and scaled.max() == (high[0] / 2 > low[0] / 2)
    back = from_unit(np.array([x]), low, high)[0]
    slack = 1e-9 * max(abs(low[0]), abs(high[0]))
    assert low[0] - slack <= back <= high[0] + slack
