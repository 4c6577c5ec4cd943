"""Examples in docstrings as Markdown: a doctest becomes a code block."""

import re
from typing import Any

import griffe

DOCTEST = re.compile(r"^>>> .*(?:\n(?!\s*$).+)*", flags=re.MULTILINE)


class Doctests(griffe.Extension):
    """Fence the doctests of every docstring that is loaded."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Change the docstring, before it is parsed."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """A docstring with its doctests in code blocks."""
    return DOCTEST.sub(lambda example: f"```pycon\n{example[0]}\n```", text)
