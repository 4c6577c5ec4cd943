"""The inputs of a circuit as wires: numbers in fixed point, categories as codes.

A number x is passed as the integer ceil(x 2^f), f being the fraction bits of its port, cut to the range of
the port. x >= t is then ceil(x 2^f) >= ceil(t 2^f):

- For a multiple of 2^-f this is exact: for every word on its inputs the hardware decides as the circuit does
  for the numbers that they stand for.
- For another number it can differ only where t - 2^-f < x < t. Given samples, f is the smallest number of
  bits that decides all of them right; without, it is enough for inputs with as many decimals as the
  thresholds have, these being of 24 bits at most.

All thresholds lie inside the range of their port, so that cutting a number to it changes no decision. A
category is its place in the feature's list; every larger code is a category that the circuit does not know.
There is no wire for a missing value.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn.explain.circuit import Circuit, is_missing
from modn.export.parts import Parts

MOST_BITS = 53  # of a port: as many as a double holds
MOST_CHOSEN = 24  # of a threshold, if there are no samples to choose by


@dataclass(frozen=True)
class Port:
    """The input of one feature; `fraction` is None for a category."""

    name: str
    feature: int
    width: int
    fraction: int | None

    @property
    def range(self) -> tuple[int, int]:
        """The smallest and the largest word."""
        if self.fraction is None:
            return 0, 2**self.width - 1
        return -(2 ** (self.width - 1)), 2 ** (self.width - 1) - 1

    def word(self, x: float) -> int:
        """The integer that stands for a number."""
        low, high = self.range
        if math.isinf(x):
            return low if x < 0 else high
        return min(max(scaled(x, self.fraction or 0), low), high)


def scaled(x: float, fraction: int) -> int:
    """ceil(x 2^fraction), exactly."""
    numerator, denominator = float(x).as_integer_ratio()
    return -((-numerator << fraction) // denominator)


def ports_of(circuit: Circuit, parts: Parts, X: ArrayLike | None, fraction_bits: int | None) -> list[Port]:
    """The ports of the features that the circuit uses, wide enough for its thresholds and for the samples."""
    columns = None if X is None else circuit.columns(X)
    conditions = [one for conditions in parts.dendrites.values() for one in conditions]
    ports = []
    for i in sorted({one.feature for one in conditions}):
        categories = parts.features[i].categories
        if categories is not None:
            ports.append(Port(parts.names[i], i, max(1, len(categories).bit_length()), None))
            continue
        thresholds = sorted({float(one.value) for one in conditions if one.feature == i})
        values = None if columns is None else columns[i][np.isfinite(columns[i])]
        fraction = fraction_bits if fraction_bits is not None else _fraction(thresholds, values)
        ends = [scaled(thresholds[0], fraction) - 1, scaled(thresholds[-1], fraction)]
        if values is not None and len(values):
            ends += [scaled(values.min(), fraction), scaled(values.max(), fraction)]
        width = 1 + max((end if end >= 0 else -end - 1).bit_length() for end in ends)
        if width > MOST_BITS:
            raise ValueError(
                f"the feature {parts.features[i].name!r} needs {width} bits, {fraction} of them after the "
                f"point; allowed: at most {MOST_BITS} (set fraction_bits, or give samples X to choose it by)"
            )
        ports.append(Port(parts.names[i], i, max(2, width), fraction))
    return ports


def words_of(circuit: Circuit, ports: list[Port], X: ArrayLike) -> list[list[int] | None]:
    """The words on the ports for each sample; None for a sample with a missing value, which has no wire."""
    columns = circuit.columns(X)
    values = [columns[port.feature].tolist() for port in ports]
    rows = [[column[k] for column in values] for k in range(len(columns[0]))]
    return [
        None if any(map(is_missing, row)) else [_word(circuit, *one) for one in zip(ports, row, strict=True)]
        for row in rows
    ]


def _word(circuit: Circuit, port: Port, value: Any) -> int:
    categories = circuit.features[port.feature].categories
    if categories is None:
        return port.word(value)
    return categories.index(str(value)) if str(value) in categories else len(categories)


def _fraction(thresholds: list[float], values: NDArray[np.float64] | None) -> int:
    """The smallest f with a multiple of 2^-f between each threshold and the values below it."""
    if values is None:
        decimals = max(-int(Decimal(repr(t)).normalize().as_tuple().exponent) for t in thresholds)
        fraction = math.ceil(decimals * math.log2(10))
        return max(0, min(fraction, MOST_CHOSEN - math.frexp(max(map(abs, thresholds)))[1]))
    fraction = 0
    for threshold in thresholds:
        below = values[values < threshold]
        while len(below) and scaled(below.max(), fraction) >= scaled(threshold, fraction):
            fraction += 1
    return fraction
