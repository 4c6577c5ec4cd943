"""The exp of compiled code, against NumPy's."""

import numpy as np

from modn.fast.compiling import compiled
from modn.fast.exponential import exp


@compiled
def apply_exp(x, y):  # type: ignore[no-untyped-def]
    for n in range(len(x)):
        y[n] = exp(x[n])


def test_it_is_exact_to_the_last_digits_and_cut_beyond_700() -> None:
    x = np.concatenate([np.linspace(-700, 700, 100_001), [0.0, 1e-300, -1e-300, 1e300, -1e300]])
    y = np.empty_like(x)
    apply_exp(x, y)
    np.testing.assert_allclose(y, np.exp(np.clip(x, -700, 700)), rtol=1e-15)
