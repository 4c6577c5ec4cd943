"""What the code blocks of a page print: python -m website.outputs [PAGE ...] runs them and writes it.

The Python blocks of a page are run in their order, as one script, for one target (portable.py). A text block
right after one of them is what it prints. Scripts are forks of one process that has imported the libraries
that they share, which takes longer than most of them. Also drawn is the picture of the README's example.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from website import portable
from website.links import ROOT

MARK = "--- end of block ---"
SCRIPT = "script.py"
FORKS = f"""
import contextlib, gc, importlib, json, os, runpy, sys

libraries, folders = json.load(sys.stdin)
for library in libraries:
    with contextlib.suppress(ImportError):  # what only the folder of a script has
        importlib.import_module(library)
gc.freeze()  # a collection in a fork would copy what it looks at
for folder in folders:
    if os.fork() == 0:
        os.chdir(folder)
        runpy.run_path({SCRIPT!r}, run_name="__main__")
        sys.stdout.flush()
        os._exit(0)  # to tidy up takes longer than many a page
    if os.wait()[1]:
        sys.exit(f"{{folder}} failed")
"""
IMPORT = re.compile(r"^(?:from|import) ([\w.]+)", flags=re.M)
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


def blocks(page: str) -> list[str]:
    """The Python blocks of a page."""
    return [block["code"] for block in BLOCK.finditer(text(page))]


def printed(scripts: dict[str, list[str]], folder: Path) -> dict[str, list[str]]:
    """What each piece of each script prints, run in a folder of its own that has the repository's data."""
    for name, pieces in scripts.items():
        own = folder / name
        own.mkdir(parents=True)
        (own / "data").symlink_to(ROOT / "data")
        (own / SCRIPT).write_text(
            "".join(f"{piece}\nprint({MARK!r})\n" for piece in pieces), encoding="utf-8"
        )
    command = [sys.executable, "-c", FORKS]
    task = json.dumps([_shared(scripts), [str(folder / name) for name in scripts]])
    done = subprocess.run(command, input=task, env=portable.environment(), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    outputs = iter(done.stdout.split(f"{MARK}\n"))
    return {name: [next(outputs) for _ in pieces] for name, pieces in scripts.items()}


def _shared(scripts: dict[str, list[str]]) -> list[str]:
    """The libraries that several scripts import. They import the package themselves, as their readers do."""
    imports = Counter(
        library for pieces in scripts.values() for library in set(IMPORT.findall("".join(pieces)))
    )
    return [name for name, times in imports.items() if times > 1 and name.partition(".")[0] != "modn"]


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
    with tempfile.TemporaryDirectory() as folder:
        outputs = printed({page: blocks(page) for page in chosen}, Path(folder))
    for page in chosen:
        new = updated(page, outputs[page])
        if new != text(page):
            (ROOT / page).write_text(new, encoding="utf-8")
            print(f"{page}: updated")
    if "README.md" in chosen:
        command = [sys.executable, "-m", "website.picture"]
        subprocess.run(command, cwd=ROOT, env=portable.environment(), check=True)


if __name__ == "__main__":
    main()
