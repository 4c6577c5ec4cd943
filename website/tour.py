"""examples/tour.py as a page: its cells, what they print, and the pictures that they write."""

import re
import tempfile
from functools import cache
from pathlib import Path

import jupytext

from website.links import ROOT
from website.outputs import printed

SCRIPT = ROOT / "examples" / "tour.py"


@cache
def render() -> tuple[str, dict[str, bytes]]:
    """The page, and its pictures by their path below docs/."""
    cells = jupytext.read(SCRIPT).cells
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    with tempfile.TemporaryDirectory() as folder:
        outputs = iter(printed(code, Path(folder)))
        parts, pictures, shown = [], {}, set()
        for cell in cells:
            if cell.cell_type == "markdown":
                parts.append(cell.source)
                continue
            parts.append(f"```python\n{cell.source}\n```")
            if text := next(outputs).strip("\n"):
                parts.append(f"```text\n{text}\n```")
            for name in re.findall(r'"([\w-]+\.png)"', cell.source):
                if name not in shown:
                    pictures[f"{SCRIPT.parent.name}/{name}"] = Path(folder, name).read_bytes()
                    parts.append(f"![{Path(name).stem}]({name})")
                    shown.add(name)
    return "\n\n".join(parts) + "\n", pictures
