"""The site's home page has the README's example, which is written once."""

import re

from website import links

MARK = "<!-- the README's example -->"
EXAMPLE = re.compile(r"^## Try it\n.*?(?=^## )", flags=re.DOTALL | re.MULTILINE)


def insert(markdown: str) -> str:
    """The page with the example at its mark."""
    if MARK not in markdown:
        return markdown
    found = EXAMPLE.search((links.ROOT / "README.md").read_text(encoding="utf-8"))
    assert found is not None
    return markdown.replace(MARK, links.relative(found[0], "README.md"))
