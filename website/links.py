"""Where the files of the repository are on the site.

Pages link to files by relative paths, as a code host wants it. On the site, docs/ is the root; other Markdown
files are pages, sources and data are pages that show their text, folders are pages that list their files.
"""

import ast
import os
import re
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
PAGES = {"README.md": "index.md", "examples/tour.py": "tour.md"}
PICTURES = (".png", ".svg")
LANGUAGES = {".cff": "yaml", ".json": "json", ".py": "python", ".toml": "toml", ".yaml": "yaml"}
HIDDEN = ("__pycache__", ".egg-info")
SOURCE = "source"
NO_SEARCH = "---\nsearch:\n  exclude: true\n---\n\n"
FENCE = re.compile(r"^(```|~~~).*?^\1", flags=re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#|<)([^)\s#]+)(#[^)\s]*)?(?=[)\s])")


def address(path: str) -> str:
    """The page of the site, or picture, on which a file of the repository is: its path below docs/."""
    if path in PAGES:
        return PAGES[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path.startswith("reports/") and path.endswith("/report.md"):
        return path.removesuffix("/report.md") + ".md"
    if path.endswith((".md", *PICTURES)):
        return path
    return f"{SOURCE}/{path}/index.md" if (ROOT / path).is_dir() else f"{SOURCE}/{path}.md"


def targets(text: str, home: str) -> list[str]:
    """The files of the repository to which the page at `home` links."""
    return [resolved(link[1], home) for link in LINK.finditer(FENCE.sub("", text))]


def relative(text: str, home: str) -> str:
    """The page at `home` with its links as they are on the site; code is left alone."""
    here = PurePosixPath(address(home)).parent

    def changed(link: re.Match[str]) -> str:
        path = os.path.relpath(address(resolved(link[1], home)), here)
        return path.replace(os.sep, "/") + (link[2] or "")

    parts, end = [], 0
    for fence in FENCE.finditer(text):
        parts += [LINK.sub(changed, text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, LINK.sub(changed, text[end:])])


def resolved(link: str, home: str) -> str:
    """A link of the page at `home` as a path from the root of the repository."""
    return os.path.normpath(PurePosixPath(home).parent / link).replace(os.sep, "/")


def source_page(path: str) -> str:
    """A page that shows a file, or lists a folder."""
    place = ROOT / path
    if not place.is_dir():
        text = place.read_text(encoding="utf-8")
        return f"{NO_SEARCH}# `{path}`\n\n````{LANGUAGES.get(place.suffix, 'text')}\n{text.rstrip()}\n````\n"
    names = [f"- [`{name}`]({_from_page(path, name)}){_about(place / name)}" for name in listed(place)]
    return f"{NO_SEARCH}# `{path}/`\n\n" + "\n".join(names) + "\n"


def listed(folder: Path) -> list[str]:
    """What a page of a folder lists: folders end in a slash."""
    entries = [entry for entry in sorted(folder.iterdir()) if not entry.name.endswith(HIDDEN)]
    shown = [entry for entry in entries if entry.is_dir() or _is_text(entry)]
    return [f"{entry.name}/" if entry.is_dir() else entry.name for entry in shown]


def _about(path: Path) -> str:
    """What the docstring of a source says first."""
    if path.suffix != ".py":
        return ""
    first = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n\n")[0]
    return f": {' '.join(first.split())}" if first else ""


def _from_page(folder: str, name: str) -> str:
    return os.path.relpath(address(f"{folder}/{name.rstrip('/')}"), f"{SOURCE}/{folder}")


def _is_text(path: Path) -> bool:
    try:
        path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return False
    return True
