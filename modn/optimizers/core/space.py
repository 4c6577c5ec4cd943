"""The space an optimizer searches: a box of real variables, or a string of bits (the filter P, Eq. 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from modn.constraints import Integer, check
from modn.optimizers.core.compiled import compiled

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Space:
    """V variables between `lower` and `upper` (V,): where a search starts (coded: and stays).

    >>> from modn.optimizers import Space
    >>> Space.box([-1.0, 0.0], [1.0, 5.0]).range.tolist()
    [2.0, 5.0]
    >>> Space.bits(8).sample(2, np.random.default_rng(0)).dtype
    dtype('bool')
    """

    lower: Array
    upper: Array
    boolean: bool = False  # candidates are bool arrays; the bounds are then 0 and 1

    def __post_init__(self) -> None:
        lower, upper = (np.array(bound, dtype=np.float64) for bound in (self.lower, self.upper))
        if lower.ndim != 1 or lower.shape != upper.shape or lower.size == 0:
            raise ValueError(
                f"lower and upper have the shapes {lower.shape} and {upper.shape}; "
                "allowed: two one-dimensional arrays of the same length, at least 1"
            )
        with np.errstate(over="ignore", invalid="ignore"):
            reach = upper - lower
        bad = np.flatnonzero(~(np.isfinite(reach) & (reach >= 0)))
        if bad.size:
            raise ValueError(
                f"lower[{bad[0]}] is {lower[bad[0]]} and upper[{bad[0]}] is {upper[bad[0]]}; "
                "allowed: lower <= upper, both and their difference finite"
            )
        if self.boolean and not ((lower == 0).all() and (upper == 1).all()):
            raise ValueError("a Boolean space has other bounds than 0 and 1; allowed: Space.bits(n)")
        lower.flags.writeable = upper.flags.writeable = False
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)

    @classmethod
    def box(cls, lower: npt.ArrayLike, upper: npt.ArrayLike) -> Space:
        """A box of real variables."""
        return cls(np.asarray(lower), np.asarray(upper))

    @classmethod
    def bits(cls, n: int) -> Space:
        """All strings of n bits."""
        check("n", n, Integer(1))
        return cls(np.zeros(n), np.ones(n), boolean=True)

    @property
    def size(self) -> int:
        """V, the number of variables."""
        return self.lower.size

    @property
    def range(self) -> Array:
        """upper - lower (V,)."""
        return self.upper - self.lower

    @property
    def dtype(self) -> npt.DTypeLike:
        """The type of the candidates' elements."""
        return np.bool_ if self.boolean else np.float64

    def sample(self, n: int, rng: np.random.Generator) -> Array:
        """n individuals (n, V), each variable uniform and independent."""
        if self.boolean:
            return rng.integers(0, 2, size=(n, self.size), dtype=np.bool_)
        drawn = rng.random((n, self.size))
        drawn *= self.range
        drawn += self.lower
        return drawn


@compiled
def rows_of(upper, lower, rows):  # type: ignore[no-untyped-def]
    """Rows of `upper` with `lower` below it, without moving them all."""
    chosen = np.empty((len(rows), lower.shape[1]), lower.dtype)
    for k in range(len(rows)):
        row = rows[k]
        chosen[k] = upper[row] if row < len(upper) else lower[row - len(upper)]
    return chosen
