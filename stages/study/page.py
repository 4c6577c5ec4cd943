"""The report as one self-contained HTML page: report.md, its figures, page.css and page.js in a single file.

The page's security policy forbids all requests, so the page looks the same from a disk, an attachment or a
server. Markdown is CommonMark with pipe tables; HTML inside it is shown as text.
"""

import base64
import hashlib
import re
from collections import Counter
from collections.abc import MutableMapping, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

Environment = MutableMapping[str, Any]

STYLE = Path(__file__).with_suffix(".css")
SCRIPT = Path(__file__).with_suffix(".js")

WIDE = 6  # columns: with more, names and numbers do not fit a phone side by side

TEMPLATE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div class="layout">
{contents}<main>
{body}</main>
</div>
<script>{script}</script>
</body>
</html>
"""


def render(markdown: str, title: str, figures: Path) -> str:
    """Render a report whose images are `figures/<name>.png`; `figures` is that folder."""
    parser = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable("table")
    tokens = parser.parse(markdown)
    contents = _name_headings(tokens)
    _caption_figures(tokens)
    _keep_numbers_together(tokens)
    style, script = STYLE.read_text(encoding="utf-8"), SCRIPT.read_text(encoding="utf-8")
    return TEMPLATE.format(
        policy=f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}",
        title=escape(title),
        style=style,
        contents=_contents(contents),
        body=parser.renderer.render(tokens, parser.options, {"figures": figures}),
        script=script,
    )


class _Renderer(RendererHTML):
    """HTML of the tokens, with tables in boxes that scroll and images embedded in the page."""

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Environment) -> str:
        token = tokens[idx]
        return (
            f'<img alt="{escape(_plain(token))}" src="{_data_uri(str(token.attrs["src"]), env["figures"])}">'
        )

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Environment) -> str:
        wide = ' class="wide"' if _is_wide(tokens, idx) else ""
        return f'<div class="table" tabindex="0" role="group" aria-label="Table">\n<table{wide}>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Environment) -> str:
        return "</table>\n</div>\n"

    def th_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Environment) -> str:
        return f'<th scope="col"{_alignment(tokens[idx])}>'

    def td_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Environment) -> str:
        return f"<td{_alignment(tokens[idx])}>"


def _alignment(cell: Token) -> str:
    """A class, since the page's policy allows no style attributes."""
    side = str(cell.attrs.get("style", "")).removeprefix("text-align:")
    return f' class="{side}"' if side in {"right", "center"} else ""


def _is_wide(tokens: Sequence[Token], start: int) -> bool:
    """Whether a table has two columns of names and many of numbers: the names stay in view."""
    row = next(k for k in range(start, len(tokens)) if tokens[k].type == "tr_close")
    sides = [_alignment(token) for token in tokens[start:row] if token.type == "th_open"]
    return len(sides) > WIDE and not any(sides[:2]) and any(sides[2:])


def _keep_numbers_together(tokens: Sequence[Token]) -> None:
    """Let a cell of numbers break before a bracket alone: 0.98 ± 0.01 (0.97; +0.01) takes two lines."""
    for opening, inline in pairwise(tokens):
        if opening.type == "td_open" and _alignment(opening):
            for child in inline.children or []:
                child.content = re.sub(r" (?!\()", "\N{NO-BREAK SPACE}", child.content)


def _name_headings(tokens: list[Token]) -> list[tuple[str, str]]:
    """Give headings the ids that code hosts give them; return (id, text) of each h2."""
    seen: Counter[str] = Counter()
    second_level = []
    for opening, inline in pairwise(tokens):
        if opening.type != "heading_open":
            continue
        text = _plain(inline)
        name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        seen[name] += 1
        if seen[name] > 1:
            name = f"{name}-{seen[name] - 1}"
        opening.attrs["id"] = name
        if opening.tag == "h2":
            second_level.append((name, text))
    return second_level


def _caption_figures(tokens: list[Token]) -> None:
    """Turn a paragraph that is one image into a figure, an emphasised paragraph after it into its caption.

    Without such a paragraph, the image's alternative text is the caption.
    """
    for start in [k for k, token in enumerate(tokens) if token.type == "paragraph_open"][::-1]:
        opening, inline, closing = tokens[start : start + 3]
        children = inline.children or []
        if [child.type for child in children] != ["image"]:
            continue
        caption = [Token("text", "", 0, content=_plain(children[0]))]
        following = tokens[start + 3 : start + 6]
        if following and following[0].type == "paragraph_open" and _is_emphasised(following[1]):
            caption = (following[1].children or [])[1:-1]
            del tokens[start + 3 : start + 6]
        # A caption that repeats the alternative text is hidden from screen readers, which have just read it.
        repeated = "".join(token.content for token in caption) == _plain(children[0])
        opening.tag = closing.tag = "figure"
        inline.children = [
            *children,
            Token("caption_open", "figcaption", 1, attrs={"aria-hidden": "true"} if repeated else {}),
            *caption,
            Token("caption_close", "figcaption", -1),
        ]


def _is_emphasised(inline: Token) -> bool:
    """Whether one pair of asterisks encloses the whole paragraph."""
    kinds = [child.type for child in inline.children or []]
    return kinds[0] == "em_open" and kinds.index("em_close") == len(kinds) - 1


def _contents(headings: list[tuple[str, str]]) -> str:
    if not headings:
        return ""
    items = "\n".join(f'<li><a href="#{escape(name)}">{escape(text)}</a></li>' for name, text in headings)
    return f'<nav aria-label="Contents">\n<p>Contents</p>\n<ul>\n{items}\n</ul>\n</nav>\n'


def _plain(token: Token) -> str:
    """The text of a heading, or the alternative text of an image, without markup."""
    return "".join(child.content for child in token.children or [])


def _data_uri(source: str, figures: Path) -> str:
    path = PurePosixPath(source)
    if path.parent != PurePosixPath("figures") or path.suffix != ".png":
        raise ValueError(f"an image of the report is {source}; allowed: figures/<name>.png")
    file = figures / path.name
    if not file.is_file():
        raise ValueError(f"{file} is missing: an image of the report")
    return "data:image/png;base64," + base64.b64encode(file.read_bytes()).decode()


def _hash(text: str) -> str:
    """The name under which a security policy allows an inline style or script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
