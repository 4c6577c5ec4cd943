"""What the parameters of the estimators may be, beyond `modn.constraints`."""

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from sklearn.utils import check_random_state

from modn import methods
from modn.constraints import Flag, Integer, Number


@dataclass(frozen=True)
class Solver:
    """The name of a solver, or two joined by "+"."""

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        parts = value.split(methods.JOINED) if isinstance(value, str) else []
        return len(parts) in (1, 2) and set(parts) <= set(methods.solvers())

    def __str__(self) -> str:
        return f'{", ".join(methods.solvers())}, or two joined by "{methods.JOINED}"'


@dataclass(frozen=True)
class ClassWeight:
    """How much each class counts."""

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        if isinstance(value, Mapping):
            return all(Number(0, ends="(]").accepts(weight) for weight in value.values())
        return isinstance(value, str) and value == "balanced"

    def __str__(self) -> str:
        return '"balanced", or a mapping from classes to numbers > 0'


@dataclass(frozen=True)
class Jobs:
    """A number of jobs as in joblib."""

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        return isinstance(value, Integral) and not Flag().accepts(value) and value != 0

    def __str__(self) -> str:
        return "an integer other than 0"


@dataclass(frozen=True)
class Verbosity:
    """Whether progress is shown; scikit-learn's estimators take numbers as well."""

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        return Flag().accepts(value) or Integer(0).accepts(value)

    def __str__(self) -> str:
        return f"{Flag()}, or {Integer(0)}"


@dataclass(frozen=True)
class RandomState:
    """What scikit-learn takes as a source of random numbers."""

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        try:
            check_random_state(value)
        except ValueError:
            return False
        return True

    def __str__(self) -> str:
        return "an integer from 0 to 4294967295, a numpy.random.RandomState, or None"
