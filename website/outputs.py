"""What the code blocks of a page print: python -m website.outputs [PAGE ...] runs them and writes it.

The Python blocks of a page are run in their order, as one script, for one target (portable.py). A text block
right after one of them is what it prints. Also drawn is the picture of the README's example.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from website import portable
from website.links import ROOT

MARK = "--- end of block ---"
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?", flags=re.M | re.S)
# Pages of the documentation whose blocks are parts of programs: they need a cluster, or a model of one's own.
FRAGMENTS = ("docs/clusters.md", "docs/export.md")


def pages() -> list[str]:
    """The pages with Python blocks that can be run."""
    found = ["README.md", *(f"docs/{path.name}" for path in sorted(ROOT.glob("docs/*.md")))]
    return [page for page in found if page not in FRAGMENTS and BLOCK.search(text(page))]


def text(page: str) -> str:
    """A page as it is."""
    return (ROOT / page).read_text(encoding="utf-8")


def run(page: str, folder: Path) -> list[str]:
    """What each Python block of a page prints, run in a folder of its own that has the repository's data."""
    (folder / "data").symlink_to(ROOT / "data")
    blocks = [block["code"] for block in BLOCK.finditer(text(page))]
    return printed(blocks, folder)


def printed(blocks: list[str], folder: Path) -> list[str]:
    """What each piece of a script prints."""
    script = f"\nprint({MARK!r})\n".join(blocks)
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=folder, env=portable.environment(), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout.split(f"{MARK}\n")


def updated(page: str, outputs: list[str]) -> str:
    """A page with the text blocks that follow its Python blocks as these outputs."""
    given = iter(outputs)

    def new(block: re.Match[str]) -> str:
        output = next(given)
        whole = block[0]
        if block["output"] is None:
            return whole
        start, end = (place - block.start() for place in block.span("output"))
        return whole[:start] + output + whole[end:]

    return BLOCK.sub(new, text(page))


def main() -> None:
    """Bring the outputs and the picture up to date; arguments are the pages, by default all."""
    chosen = sys.argv[1:] or pages()
    for page in chosen:
        with tempfile.TemporaryDirectory() as folder:
            new = updated(page, run(page, Path(folder)))
        if new != text(page):
            (ROOT / page).write_text(new, encoding="utf-8")
            print(f"{page}: updated")
    if "README.md" in chosen:
        command = [sys.executable, "-m", "website.picture"]
        subprocess.run(command, cwd=ROOT, env=portable.environment(), check=True)


if __name__ == "__main__":
    main()
