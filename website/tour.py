"""examples/tour.py as a page: its cells, what they print, and the pictures that they write."""

import io
import re
import tempfile
from contextlib import chdir, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

import jupytext

from website.links import ROOT

SCRIPT = ROOT / "examples" / "tour.py"


@cache
def render() -> tuple[str, dict[str, bytes]]:
    """The page, and its pictures by their path below docs/."""
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    names: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for cell in jupytext.read(SCRIPT).cells:
            if cell.cell_type == "markdown":
                parts.append(cell.source)
                continue
            parts.append(f"```python\n{cell.source}\n```")
            with redirect_stdout(io.StringIO()) as printed:
                exec(cell.source, names)
            if text := printed.getvalue().strip("\n"):
                parts.append(f"```text\n{text}\n```")
            for name in re.findall(r'"([\w-]+\.png)"', cell.source):
                path = f"{SCRIPT.parent.name}/{name}"
                if path not in pictures:
                    pictures[path] = Path(name).read_bytes()
                    parts.append(f"![{Path(name).stem}]({name})")
    return "\n\n".join(parts) + "\n", pictures
