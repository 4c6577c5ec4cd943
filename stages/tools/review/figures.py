"""The figures that changed, before and after side by side."""

import re
from dataclasses import dataclass
from urllib.parse import quote

from stages.tools import markup
from stages.tools.review.sides import Sides

SUFFIXES = (".png", ".svg")
MOST = 24


@dataclass(frozen=True)
class Links:
    """Addresses to put before the paths of files; none for the base: its files have no path here."""

    here: str = ""
    there: str = ""

    def of(self, path: str) -> str:
        """Where this side's file is."""
        return _joined(self.here, path)

    def page(self, path: str) -> str:
        """Where this side's file is shown to a reader; code hosts have another address for that."""
        return re.sub(r"/raw/(?=[0-9a-f]{40}/)", "/blob/", self.of(path))

    def before(self, path: str) -> str | None:
        """Where the base's file is."""
        return _joined(self.there, path) if self.there else None


@dataclass(frozen=True)
class Figure:
    """A figure that is not the same on both sides."""

    path: str
    before: bool
    after: bool

    @property
    def name(self) -> str:
        """The file's name without its suffix."""
        return self.path.rpartition("/")[2].rpartition(".")[0]


def compare(sides: Sides, folder: str) -> list[Figure]:
    """The figures whose bytes differ, by name."""
    there, here = sides.names(f"{folder}/figures")
    changed = []
    for name in sorted(there | here):
        if name.endswith(SUFFIXES):
            path = f"{folder}/figures/{name}"
            before, after = sides.both(path)
            if before != after:
                changed.append(Figure(path, before is not None, after is not None))
    return changed


def section(figures: list[Figure], sides: Sides, links: Links) -> str:
    """A table of pictures."""
    if not figures:
        return "No figure changed."
    rows = [
        (markup.code(figure.name), _before(figure, sides, links), _after(figure, links))
        for figure in figures[:MOST]
    ]
    body = markup.grid(("figure", markup.text(sides.base), "this branch"), rows)
    left_out = [markup.code(figure.name) for figure in figures[MOST:]]
    body += f"\n\nAlso changed: {markup.some(left_out, 40)}." if left_out else ""
    return markup.folded(f"Figures changed: {len(figures)}", body)


def _before(figure: Figure, sides: Sides, links: Links) -> str:
    if not figure.before:
        return "new"
    link = links.before(figure.path)
    return f"![before]({link})" if link else markup.code(f"git show {sides.commit[:7]}:{figure.path}")


def _after(figure: Figure, links: Links) -> str:
    return f"![after]({links.of(figure.path)})" if figure.after else "no longer drawn"


def _joined(address: str, path: str) -> str:
    return f"{address.rstrip('/')}/{quote(path)}" if address else quote(path)
