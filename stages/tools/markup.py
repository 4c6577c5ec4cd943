"""Markdown in which everything that was read from a file is text."""

import re
from collections.abc import Sequence
from typing import Any

LONGEST = 240  # characters of one text
OPEN_ROWS = 12  # a longer table is folded
MOST_ROWS = 60  # a code host refuses a comment of more than 65,536 characters
_NUMBER = re.compile(r"`?[-+<]? ?\d[\d.e-]*`?( \([-+\d. to]+\))?$")
_UNSEEN = "\u200b"  # a mention or a reference needs its sign and its name side by side


def text(value: object) -> str:
    """A text that reads as it is: no markup, no link, no mention."""
    plain = _one_line(value)
    plain = plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    plain = re.sub(r"([\\`*_\[\]|~$!])", r"\\\1", plain)
    plain = re.sub(r"(:)(?=//)|(?<=www)(\.)", r"\\\g<0>", plain, flags=re.IGNORECASE)
    return re.sub(r"[@#]", rf"\g<0>{_UNSEEN}", plain)


def code(value: object) -> str:
    """A name in the type of code; also within a table."""
    plain = _one_line(value).replace("`", "'").replace("|", "\\|")
    return f"`{plain}`" if plain else ""


def values(value: Any) -> str:
    """A parameter or a number."""
    if value is None:
        return code("null")
    return code(f"{value:.6g}" if isinstance(value, float) else value)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], heading: str) -> str:
    """A table; a long one is folded below its heading, and bounded."""
    if len(rows) <= OPEN_ROWS:
        return grid(header, rows)
    return folded(heading, grid(header, rows))


def grid(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The lines of a table, as many as a comment has room for; numbers are aligned to the right."""
    columns = list(zip(*rows, strict=True)) or [()] * len(header)
    aligned = ["---:" if column and all(map(_NUMBER.match, column)) else "---" for column in columns]
    shown = [header, aligned, *rows[:MOST_ROWS]]
    lines = ["| " + " | ".join(line) + " |" for line in shown]
    if len(rows) > MOST_ROWS:
        lines += ["", f"The first {MOST_ROWS} of {len(rows)}."]
    return "\n".join(lines)


def folded(heading: str, body: str) -> str:
    """Text that opens with a click."""
    return f"<details>\n<summary>{heading}</summary>\n\n{body}\n\n</details>"


def signed(value: float, digits: int = 4) -> str:
    """A change with its sign; one that rounds to zero has a plus."""
    return f"{round(value, digits) + 0.0:+.{digits}f}"


def some(names: Sequence[str], most: int = 3) -> str:
    """The first few of many names."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def count(number: int, what: str) -> str:
    """A number with its noun: 1 file, 2 files."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _one_line(value: object) -> str:
    plain = "".join(c if c.isprintable() else " " for c in str(value))
    plain = " ".join(plain.split())
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 1] + "…"
