"""Names and texts from data that are safe in source code of every target.

Names of features become identifiers of ASCII letters, digits and underscores that are no keyword of any
target. Texts appear in string literals, which each target escapes, and in comments, as `comment` writes them.
"""

import json
import re
import unicodedata
from collections.abc import Collection, Sequence
from typing import Any

from modn.export.keywords import KEYWORDS

LONGEST = 40  # characters of an identifier, before a number is added

# What the generated programs call their own parts.
OWN = re.compile(
    "(d|score|scores|count|best|class|decision|missing|category|text|rows|labels|"
    r"word|check|tested|expected|differences)_?\d*"
)


class Identifier:
    """A constraint: the name of a function or a module that is safe in every target."""

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        return isinstance(value, str) and bool(re.fullmatch("[A-Za-z][A-Za-z0-9_]*", value)) and free(value)

    def __str__(self) -> str:
        return "letters, digits and _, a letter first, and no keyword of C, JavaScript, Python or Verilog"


def identifiers(texts: Sequence[str], taken: Collection[str] = ()) -> list[str]:
    """An identifier for each text, in the same order, all different and none of those that are taken."""
    found: list[str] = []
    used = {name.lower() for name in taken}  # by lower case: some tools do not tell the cases apart
    for text in texts:
        plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
        stem = re.sub("[^A-Za-z0-9]+", "_", plain).strip("_")[:LONGEST].strip("_") or "feature"
        stem = stem if stem[0].isalpha() and free(stem) else f"feature_{stem}"
        name, k = stem, 1
        while name.lower() in used:
            k += 1
            name = f"{stem}_{k}"
        used.add(name.lower())
        found.append(name)
    return found


def free(name: str) -> bool:
    """Whether a name is neither a keyword nor a name of the generated program."""
    return name.lower() not in KEYWORDS and not OWN.fullmatch(name.lower())


def comment(text: str) -> str:
    """A text, quoted, that can end no comment: one line of ASCII without the characters / * ? and <."""
    return re.sub(r"[/*?<]", lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text))
