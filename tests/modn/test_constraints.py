"""Constraints: what they accept, and that their words say it."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from modn.constraints import (
    Checked,
    Constraint,
    Flag,
    Integer,
    ListOf,
    Number,
    OneOf,
    OrNone,
    check,
    check_all,
    check_names,
)

NOT_NUMBERS = (None, "1", True, np.True_, [1], float("nan"), float("inf"), 1j, 10**400)


@pytest.mark.parametrize(
    ("constraint", "words", "good", "bad"),
    [
        (Integer(1), "an integer >= 1", (1, 10**30, np.int8(3)), (0, 1.0, *NOT_NUMBERS[:-1])),
        (Integer(0, 2), "an integer from 0 to 2", (0, 2), (-1, 3, 10**400)),
        (Number(), "a finite number", (-1e308, 0, np.float32(2), Fraction(1, 3)), NOT_NUMBERS),
        (Number(0), "a finite number >= 0", (0, 5.5), (-1e-9, *NOT_NUMBERS)),
        (Number(0, ends="(]"), "a finite number > 0", (1e-300,), (0, *NOT_NUMBERS)),
        (Number(0, 1), "a number in [0, 1]", (0, 1), (-0.1, 1.1, *NOT_NUMBERS)),
        (Number(0, 1, "()"), "a number in (0, 1)", (0.5,), (0, 1)),
        (OneOf(("b", "a")), "a, b", ("a", "b"), ("c", None, 1, ["a"])),
        (OneOf(()), "nothing (none is configured)", (), ("a",)),
        (Flag(), "True or False", (True, np.False_), (0, "yes", None)),
        (
            ListOf(Integer(1)),
            "a list of one or more items, each an integer >= 1",
            ([1], (2, 3)),
            ([], [0], 1, "1"),
        ),
        (OrNone(Integer(1)), "an integer >= 1, or None", (None, 4), (0, "x")),
    ],
)
def test_what_is_accepted_and_how_it_is_said(
    constraint: Constraint, words: str, good: tuple[Any, ...], bad: tuple[Any, ...]
) -> None:
    assert str(constraint) == words
    for value in good:
        check("value", value, constraint)
    for value in bad:
        with pytest.raises(ValueError) as refusal:
            check("value", value, constraint)
        assert str(refusal.value) == f"value is {value!r}; allowed: {words}"


def test_a_table_checks_what_it_knows() -> None:
    check_all({"a": 1, "other": "x"}, {"a": Integer(1), "b": Integer(1)})
    with pytest.raises(ValueError, match=r"group\.a is 0; allowed: an integer >= 1"):
        check_all({"a": 0}, {"a": Integer(1)}, "group.")


def test_an_unknown_name_lists_the_known() -> None:
    check_names("bbo", ["a"], ["b", "a"])
    with pytest.raises(ValueError, match="bbo has no parameter 'c'; allowed: b, a"):
        check_names("bbo", ["a", "c"], ["b", "a"])


@dataclass(frozen=True)
class Base(Checked):
    n: int = 1
    allowed: ClassVar[dict[str, Constraint]] = {"n": Integer(0)}


@dataclass(frozen=True)
class Derived(Base):
    share: float = 0.5
    allowed: ClassVar[dict[str, Constraint]] = {"n": Integer(1), "share": Number(0, 1)}


def test_fields_are_checked_by_the_tables_of_all_classes_the_last_word_counts() -> None:
    assert Base(0).n == 0 and Derived(1, 1.0).share == 1
    with pytest.raises(ValueError, match="Derived: n is 0; allowed: an integer >= 1"):
        Derived(0)
    with pytest.raises(ValueError, match=r"Derived: share is 2; allowed: a number in \[0, 1\]"):
        Derived(share=2)
