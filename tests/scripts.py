"""The code of the pages and of the examples, run once for all tests that read what it prints."""

import json
import re
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

from packaging.requirements import Requirement

from website import outputs, tour

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
FIRST = ("README.md", "docs/quickstart.md")  # pages that say what to install
PRINTED = "printed.json"


def run(folder: Path) -> None:
    """Write what each block of each page prints, and each example but the tour, which the site runs.

    The first pages have nothing installed but what their first command installs.
    """
    scripts = {page: outputs.blocks(page) for page in outputs.pages()}
    for page in FIRST:
        scripts[page][0] = refusal(page) + scripts[page][0]
    scripts |= {path.stem: [path.read_text()] for path in EXAMPLES.glob("*.py") if path != tour.SCRIPT}
    (folder / PRINTED).write_text(json.dumps(outputs.printed(scripts, folder)))


def installed(requirement: str) -> set[str]:
    """The distributions that pip installs for a requirement: it, and all that it needs."""
    found: dict[str, set[str]] = {}
    queue = [Requirement(requirement)]
    while queue:
        one = queue.pop()
        extras = found.setdefault(one.name.lower().replace("_", "-"), {"-"})
        new = {*one.extras, ""} - extras
        extras |= new
        for text in distribution(one.name).requires or [] if new else []:
            needed = Requirement(text)
            if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in new):
                queue.append(needed)
    return set(found)


def refusal(page: str) -> str:
    """Code after which nothing can be imported but what the page's first command installs."""
    command = re.search(r'^pip install "?\.(\[[\w,]+\])?', outputs.text(page), flags=re.MULTILINE)
    assert command is not None
    there = installed(f"modn{command[1] or ''}")
    assert {"modn", "numpy", "scikit-learn"} <= there and "pytest" not in there
    absent = {
        package
        for package, homes in packages_distributions().items()
        if not there & {home.lower().replace("_", "-") for home in homes}
    }
    return (
        f"import sys\nABSENT = {absent!r}\n"
        "for name in [name for name in sys.modules if name.partition('.')[0] in ABSENT]:\n"
        "    del sys.modules[name]\n"
        "class Refuse:\n    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in ABSENT:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Refuse())\n"
    )
