"""Range checks of the optimizers' parameters: one sentence that names field, value and what is allowed."""

import math
from collections.abc import Sequence
from numbers import Integral, Real


def _refuse(owner: object, field: str, allowed: str) -> None:
    name = type(owner).__name__
    raise ValueError(f"{name}: {field}={getattr(owner, field)!r} is not allowed, it must be {allowed}")


def check_integer(owner: object, field: str, low: int, high: int | None = None) -> None:
    """Refuse anything but an integer in [low, high]."""
    value = getattr(owner, field)
    integer = isinstance(value, Integral) and not isinstance(value, bool)
    if not integer or int(value) < low or (high is not None and int(value) > high):
        upper = "" if high is None else f", at most {high}"
        _refuse(owner, field, f"an integer of at least {low}{upper}")


def check_number(owner: object, field: str, low: float, high: float = math.inf, ends: str = "[]") -> None:
    """Refuse anything but a finite number between low and high; `ends` as of an interval: "[]", "(]", ..."""
    value = getattr(owner, field)
    number = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    if not (
        number
        and (low < value if ends[0] == "(" else low <= value)
        and (value < high if ends[1] == ")" else value <= high)
    ):
        _refuse(owner, field, f"a number in {ends[0]}{low:g}, {high:g}{ends[1]}")


def check_choice(owner: object, field: str, allowed: tuple[str, ...]) -> None:
    """Refuse anything but one of the allowed words."""
    if getattr(owner, field) not in allowed:
        _refuse(owner, field, "one of " + ", ".join(repr(word) for word in allowed))


def check_flag(owner: object, field: str) -> None:
    """Refuse anything but True or False."""
    if not isinstance(getattr(owner, field), bool):
        _refuse(owner, field, "True or False")


def check_numbers(owner: object, field: str, low: float) -> None:
    """Refuse anything but one or more finite numbers of at least `low`; a list becomes a tuple."""
    values = getattr(owner, field)
    if not isinstance(values, Sequence) or isinstance(values, str) or not values:
        _refuse(owner, field, f"one or more numbers of at least {low:g}")
    for value in values:
        number = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
        if not number or value < low:
            _refuse(owner, field, f"numbers of at least {low:g}")
    object.__setattr__(owner, field, tuple(float(value) for value in values))
