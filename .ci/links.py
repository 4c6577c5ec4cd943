"""Check the links of the Markdown files that git has: files and anchors exist. Addresses are not visited.

python .ci/links.py [FOLDER]
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)")
HEADING = re.compile(r"^#{1,6} +(.*?)[ #]*$", re.MULTILINE)
EXAMPLES = "tests/"  # texts to compare with; their links belong to other places


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    found: list[str] = re.findall(r'<a (?:id|name)="([^"]+)"', text)
    fences = re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.DOTALL | re.MULTILINE)
    for title in HEADING.findall(fences):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        copies = sum(one == slug or re.fullmatch(rf"{re.escape(slug)}-\d+", one) is not None for one in found)
        found.append(f"{slug}-{copies}" if copies else slug)
    return set(found)


def broken(page: Path, root: Path) -> Iterator[str]:
    """What is wrong with a page's links."""
    text = page.read_text(encoding="utf-8")
    for link in LINK.findall(CODE.sub("", text)):
        path, _, anchor = link.partition("#")
        if "://" in link or link.startswith("mailto:"):
            continue
        target = (page.parent / path) if path else page
        if not target.exists() or root not in (target.resolve(), *target.resolve().parents):
            yield f"{link}: there is no such file"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text(encoding="utf-8")):
            yield f"{link}: there is no such heading"


def main(root: Path) -> int:
    """Print what is broken; returns the exit code."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.split("\n")
    pages = [
        root / name for name in listed if name and not name.startswith(EXAMPLES) and (root / name).exists()
    ]
    faults = [f"{page.relative_to(root)}: {what}" for page in pages for what in broken(page, root)]
    print("\n".join(faults), end="\n" if faults else "", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
