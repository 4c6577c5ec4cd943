"""The report's page as a text: complete, self-contained, and nothing in it that the report did not say."""

import base64
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from stages.study import page

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
REPORT = """# MODN, profile `quick`

- **Run:** 11 datasets & 3 runs <b>each</b>.

![Ours & the paper's "cells"](figures/accuracy.png)

## Table 3: accuracy

| dataset | ours | kind |
| --- | ---: | :---: |
| Iris | **0.94** (0.95) | a \\| b |
| Wine |  | <script>alert(1)</script> |

## Fig. 5

See [Table 3](#table-3-accuracy) and [the numbers](tables/table3.csv).

## Fig. 5

Again.
"""


class Elements(HTMLParser):
    """Every start tag with its attributes, and all text outside style and script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "link", "img", "br", "hr"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.words.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture
def figures(tmp_path: Path) -> Path:
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures/accuracy.png").write_bytes(PIXEL)
    return tmp_path / "figures"


def test_page_is_well_formed_and_says_what_the_report_says(figures: Path) -> None:
    elements = Elements(page.render(REPORT, "MODN & co", figures))
    assert elements.open == []
    words = " ".join("".join(elements.words).split())
    for phrase in (
        "MODN & co",
        "MODN, profile quick",
        "11 datasets & 3 runs",
        "0.94 (0.95)",
        "a | b",
        "Again.",
    ):
        assert phrase in words
    assert [tag for tag, _ in elements.tags if tag in {"h1", "h2"}] == ["h1", "h2", "h2", "h2"]
    assert len(elements.named("tr")) == 3


def test_images_are_inside_the_page_with_their_words(figures: Path) -> None:
    elements = Elements(page.render(REPORT, "MODN", figures))
    (image,) = elements.named("img")
    assert image["alt"] == 'Ours & the paper\'s "cells"'
    kind, _, data = str(image["src"]).partition(",")
    assert kind == "data:image/png;base64"
    assert base64.b64decode(data) == PIXEL
    assert len(elements.named("figure")) == len(elements.named("figcaption")) == 1
    assert elements.words.count(image["alt"]) == 1, "the alternative text is the caption"


@pytest.mark.parametrize(
    ("caption", "inside", "hidden"),
    [
        ("*All cells*", "All cells", True),
        ("*All `cells`, ours*", "All <code>cells</code>, ours", False),
        ("*All* of *them*", "All cells", True),
        ("Text.", "All cells", True),
    ],
)
def test_emphasised_paragraph_after_a_figure_is_its_caption(
    figures: Path, caption: str, inside: str, hidden: bool
) -> None:
    text = page.render(f"![All cells](figures/accuracy.png)\n\n{caption}\n\nThe end.", "MODN", figures)
    attribute = ' aria-hidden="true"' if hidden else ""
    assert f"<figcaption{attribute}>{inside}</figcaption></figure>" in text
    paragraphs = 1 if re.fullmatch(r"\*[^*]+\*", caption) else 2
    assert text.count("<p>") == paragraphs
    assert "<p>The end.</p>" in text


def test_nothing_is_asked_of_the_network(figures: Path) -> None:
    text = page.render(REPORT, "MODN", figures)
    assert not re.search(r"https?:|url\(|@import", text)
    elements = Elements(text)
    sources = [value for _, attributes in elements.tags for key, value in attributes.items() if key == "src"]
    assert all(str(source).startswith("data:") for source in sources)
    policy = next(m["content"] for m in elements.named("meta") if "http-equiv" in m)
    assert policy is not None
    assert policy.startswith("default-src 'none'; img-src data:; ")
    assert "unsafe" not in policy


def test_html_in_the_report_is_text(figures: Path) -> None:
    text = page.render(REPORT, "</title><script>alert(2)</script>", figures)
    assert len(Elements(text).named("script")) == 1, "the page's own"
    assert "<b>" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "&lt;script&gt;alert(2)" in text


def test_contents_lead_to_the_second_level_headings(figures: Path) -> None:
    text = page.render(REPORT, "MODN", figures)
    targets = [str(link["href"]) for link in Elements(text[: text.index("<main>")]).named("a")]
    assert targets == ["#table-3-accuracy", "#fig-5", "#fig-5-1"], "as code hosts spell them, none twice"
    ids = [heading["id"] for heading in Elements(text).named("h2")]
    assert [f"#{name}" for name in ids] == targets


def test_a_report_without_sections_has_no_contents(figures: Path) -> None:
    assert "<nav" not in page.render("# Alone\n", "MODN", figures)


def test_columns_keep_their_alignment(figures: Path) -> None:
    elements = Elements(page.render(REPORT, "MODN", figures))
    assert [cell.get("class") for cell in elements.named("th")] == [None, "right", "center"]
    assert [cell.get("class") for cell in elements.named("td")] == [None, "right", "center"] * 2
    assert all("style" not in attributes for _, attributes in elements.tags), "the policy would refuse it"


def test_the_same_report_gives_the_same_page(figures: Path) -> None:
    assert page.render(REPORT, "MODN", figures) == page.render(REPORT, "MODN", figures)


@pytest.mark.parametrize(
    "source", ["https://example.org/a.png", "figures/../secret.png", "a.png", "figures/a.svg", "/etc/a.png"]
)
def test_images_from_elsewhere_are_refused(figures: Path, source: str) -> None:
    with pytest.raises(ValueError, match=re.escape(source)) as refusal:
        page.render(f"![alt]({source})", "MODN", figures)
    assert "figures/<name>.png" in str(refusal.value)


def test_a_missing_figure_is_named(figures: Path) -> None:
    with pytest.raises(ValueError, match=r"figures/gone\.png is missing"):
        page.render("![alt](figures/gone.png)", "MODN", figures)
