"""SQL: one SELECT over a table or view whose columns are the features; NULL is a missing value.

Standard SQL, with names in double quotes; MySQL needs its mode ANSI_QUOTES. Categories are compared as text,
truth values as the texts True and False.
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from modn.constraints import ListOf
from modn.explain.circuit import AT_LEAST, BELOW, IS, Circuit, Condition
from modn.export.parts import Label, Parts, check_texts, conjunction, parts_of

KINDS = (Circuit,)

SAFE_DECIMALS = 4  # digits after the point that every database reads right


class Name:
    """A constraint: the name of a table or column."""

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        return isinstance(value, str) and value != "" and not re.search(r"[\0\\]", value)

    def __str__(self) -> str:
        return "a text without NUL characters and backslashes"


ALLOWED = {"table": Name(), "keep": ListOf(Name()), "prediction": Name()}


def write(
    circuit: Circuit,
    table: str = "samples",
    keep: Sequence[str] | None = None,
    prediction: str = "prediction",
) -> str:
    """A SELECT of the columns to keep (by default the features) and the prediction."""
    parts = parts_of(circuit, "sql")
    # A backslash begins an escape in some dialects, where it could end a string early.
    check_texts(parts, "sql", r"\0\\", "NUL characters and backslashes")
    names = [feature.name for feature in parts.features]
    _check_columns(names)
    kept = names if keep is None else list(keep)
    kept_lines = [f"s.{identifier(name)} AS kept_{k}" for k, name in enumerate(kept)]
    dendrites = [f"{_dendrite(parts, conditions)} AS d{j}" for j, conditions in parts.dendrites.items()]
    kept_on = [f"kept_{k}" for k in range(len(kept))]
    scores = [f"{score.source()} AS score_{c}" for c, score in enumerate(parts.scores)]
    columns = [f"kept_{k} AS {identifier(name)}" for k, name in enumerate(kept)]
    return f"""\
SELECT
  {_lines(columns, 2)},
{_decision(parts)} AS {identifier(prediction)}
FROM (
  SELECT
    {_lines([*kept_on, *scores], 4)}
  FROM (
    SELECT
      {_lines([*kept_lines, *dendrites], 6)}
    FROM {identifier(table)} AS s
  ) AS dendrites
) AS scores
"""


def identifier(name: str) -> str:
    """A quoted name."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: Label) -> str:
    """A text, a number or a truth value."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return number(value) if isinstance(value, float) else repr(value)


def number(value: float) -> str:
    """A double, exactly.

    A database may be wrong about the last bit of a decimal: SQLite divides by a power of ten in 64 bits and
    rounds again, which is right for up to four digits after the point. A fraction of two integers is exact.
    """
    decimals = -int(Decimal(repr(value)).normalize().as_tuple().exponent)
    numerator, denominator = value.as_integer_ratio()
    if decimals <= SAFE_DECIMALS or max(abs(numerator), denominator) >= 2**63:
        return repr(value)
    return f"CAST({numerator} AS DOUBLE PRECISION) / {denominator}"


def _check_columns(names: list[str]) -> None:
    """SQL does not tell upper from lower case in names."""
    seen: set[str] = set()
    for name in names:
        if not name or name.lower() in seen:
            raise ValueError(
                f"sql cannot express the feature {name!r}; allowed: names of columns that differ in more "
                "than case"
            )
        seen.add(name.lower())


def _dendrite(parts: Parts, conditions: Sequence[Condition]) -> str:
    terms = [_condition(parts, one) for one in conditions]
    return f"CASE WHEN {conjunction(terms, 'AND', '1 = 1')} THEN 1 ELSE 0 END"


def _condition(parts: Parts, condition: Condition) -> str:
    column = f"s.{identifier(parts.features[condition.feature].name)}"
    sign = condition.test if condition.test in (AT_LEAST, BELOW) else "=" if condition.test == IS else "<>"
    return f"{column} IS NULL OR {column} {sign} {literal(condition.value)}"


def _decision(parts: Parts) -> str:
    """The first class whose score no later one exceeds: earlier ones were exceeded, or had been chosen."""
    C = len(parts.labels)
    cases = [
        f"    WHEN {' AND '.join(f'score_{c} >= score_{k}' for k in range(c + 1, C))} THEN {label}\n"
        for c, label in enumerate(map(literal, parts.labels[:-1]))
    ]
    last = literal(parts.labels[-1])
    return f"  CASE\n{''.join(cases)}    ELSE {last}\n  END" if cases else f"  {last}"


def _lines(items: Sequence[str], indent: int) -> str:
    return f",\n{' ' * indent}".join(items)
