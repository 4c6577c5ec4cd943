"""What a parameter may be: one description that checks a value and says what is allowed.

A class lists its parameters in a table, `allowed: ClassVar = {"population": Integer(1), ...}`; estimators,
methods, optimizers and the pipeline's configuration all check by such tables, with the same message:

>>> check("population", 0, Integer(1))
Traceback (most recent call last):
    ...
ValueError: population is 0; allowed: an integer >= 1
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Protocol

import numpy as np


class Constraint(Protocol):
    """What a value may be; `str()` says it in words."""

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""


def check(name: str, value: Any, constraint: Constraint) -> None:
    """Raise a ValueError with the name, the value and what is allowed, unless the value is accepted."""
    if not constraint.accepts(value):
        raise ValueError(f"{name} is {value!r}; allowed: {constraint}")


def check_all(values: Mapping[str, Any], allowed: Mapping[str, Constraint], prefix: str = "") -> None:
    """Check each value that the table knows; `prefix` comes before the names in messages."""
    for name, constraint in allowed.items():
        if name in values:
            check(prefix + name, values[name], constraint)


def check_names(owner: str, given: Iterable[str], known: Collection[str]) -> None:
    """Raise a ValueError for the first of the given names that is no parameter of the owner."""
    for name in given:
        if name not in known:
            raise ValueError(f"{owner} has no parameter {name!r}; allowed: {', '.join(known)}")


def is_number(value: Any) -> bool:
    """Whether a value is a number that a float can hold; True and False are not numbers."""
    try:
        return isinstance(value, Real) and not isinstance(value, bool | np.bool_) and math.isfinite(value)
    except OverflowError:  # an integer beyond all floats
        return False


@dataclass(frozen=True)
class Integer:
    """An integer from `low` to `high`."""

    low: int
    high: int | None = None

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        integer = isinstance(value, Integral) and not isinstance(value, bool | np.bool_)
        return integer and self.low <= value and (self.high is None or value <= self.high)

    def __str__(self) -> str:
        return (
            f"an integer >= {self.low}" if self.high is None else f"an integer from {self.low} to {self.high}"
        )


@dataclass(frozen=True)
class Number:
    """A finite number in an interval; `ends` says whether its ends belong to it: "[]", "(]", "[)", "()"."""

    low: float = -math.inf
    high: float = math.inf
    ends: str = "[]"

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        return (
            is_number(value)
            and (self.low < value if self.ends[0] == "(" else self.low <= value)
            and (value < self.high if self.ends[1] == ")" else value <= self.high)
        )

    def __str__(self) -> str:
        if self.high < math.inf:
            return f"a number in {self.ends[0]}{self.low:g}, {self.high:g}{self.ends[1]}"
        if self.low > -math.inf:
            return f"a finite number {'>' if self.ends[0] == '(' else '>='} {self.low:g}"
        return "a finite number"


@dataclass(frozen=True)
class OneOf:
    """One of several names."""

    names: Collection[str]

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        return isinstance(value, str) and value in self.names

    def __str__(self) -> str:
        return ", ".join(sorted(self.names)) or "nothing (none is configured)"


@dataclass(frozen=True)
class Text:
    """Any text."""

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        return isinstance(value, str)

    def __str__(self) -> str:
        return "a text"


@dataclass(frozen=True)
class Label:
    """A text, a finite number or a Boolean."""

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        return isinstance(value, str | bool) or is_number(value)

    def __str__(self) -> str:
        return "a text, a finite number, or True or False"


@dataclass(frozen=True)
class Flag:
    """True or False."""

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        return isinstance(value, bool | np.bool_)

    def __str__(self) -> str:
        return "True or False"


@dataclass(frozen=True)
class ListOf:
    """A list of one or more items, each of which must meet a constraint; `empty`: of none, too."""

    item: Constraint
    empty: bool = False

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        is_list = isinstance(value, Sequence) and not isinstance(value, str)
        return is_list and (self.empty or len(value) > 0) and all(self.item.accepts(one) for one in value)

    def __str__(self) -> str:
        return f"a list of {'' if self.empty else 'one or more '}items, each {self.item}"


@dataclass(frozen=True)
class Options:
    """A mapping from names to values."""

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        return isinstance(value, Mapping) and all(isinstance(name, str) for name in value)

    def __str__(self) -> str:
        return "a mapping from names to values"


@dataclass(frozen=True)
class Signs:
    """A mapping from names to 1 or -1."""

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        return Options().accepts(value) and all(Integer(-1, 1).accepts(one) and one for one in value.values())

    def __str__(self) -> str:
        return "a mapping from names to 1 or -1"


@dataclass(frozen=True)
class IsA:
    """An instance of a class."""

    kind: type

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        return isinstance(value, self.kind)

    def __str__(self) -> str:
        return f"an instance of {self.kind.__name__}"


@dataclass(frozen=True)
class OrNone:
    """None, or what another constraint allows."""

    other: Constraint

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        return value is None or self.other.accepts(value)

    def __str__(self) -> str:
        return f"{self.other}, or None"


class Checked:
    """A dataclass whose fields are checked by the tables `allowed` of its classes, the base's first."""

    allowed: ClassVar[Mapping[str, Constraint]] = {}
    name: ClassVar[str] = ""

    def __post_init__(self) -> None:
        table: dict[str, Constraint] = {}
        for base in reversed(type(self).__mro__):
            table |= vars(base).get("allowed", {})
        for field, constraint in table.items():
            self.require(field, constraint)

    def require(self, field: str, constraint: Constraint) -> None:
        """Check a field; for constraints that depend on other fields, beside those of the table."""
        check(f"{self.name or type(self).__name__}: {field}", getattr(self, field), constraint)
