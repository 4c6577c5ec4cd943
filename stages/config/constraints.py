"""Kinds of values that only the configuration has, beside those of modn.constraints."""

import re
from dataclasses import dataclass
from typing import Any

from modn.constraints import Constraint, ListOf


@dataclass(frozen=True)
class Text:
    """A text that matches a pattern as a whole; `words` describe it."""

    pattern: str
    words: str

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        return isinstance(value, str) and re.fullmatch(self.pattern, value, re.ASCII) is not None

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Either:
    """What one of two constraints allows."""

    one: Constraint
    other: Constraint

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        return self.one.accepts(value) or self.other.accepts(value)

    def __str__(self) -> str:
        return f"{self.one}, or {self.other}"


@dataclass(frozen=True)
class Range:
    """The lowest and the highest of a range, each of which must meet a constraint."""

    end: Constraint

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        return ListOf(self.end).accepts(value) and len(value) == 2 and value[0] <= value[1]

    def __str__(self) -> str:
        return f"[lowest, highest], each {self.end}"
