"""The reference: a page for each public module, as the modules' `__all__` say, and one for the command."""

import io
import sys
from contextlib import redirect_stdout, suppress
from functools import cache
from pathlib import Path
from types import ModuleType

import modn
from modn import cli

MARK = "<!-- the modules -->"
COMMAND = "reference/command.md"


def public() -> dict[str, list[str]]:
    """The public names of each public module; modules have pages of their own."""
    modules = [name for name in modn.__all__ if isinstance(getattr(modn, name), ModuleType)]
    names = {"modn": [name for name in modn.__all__ if name not in modules]}
    return names | {f"modn.{name}": list(getattr(modn, name).__all__) for name in modules}


@cache
def pages() -> dict[str, tuple[str, str]]:
    """The title and the text of each page, by its path below docs/."""
    found = {f"reference/{module}.md": (module, _page(module, names)) for module, names in public().items()}
    return found | {COMMAND: ("Command line", _command())}


def insert(markdown: str) -> str:
    """The page with a table of the modules at its mark."""
    rows = [f"| [{title}]({Path(name).name}) | {_summary(title)} |" for name, (title, _) in pages().items()]
    return markdown.replace(MARK, "\n".join(["| page | about |", "| --- | --- |", *rows]))


def _summary(title: str) -> str:
    """The first sentence of a module's docstring."""
    module = sys.modules.get(title, cli)
    return (module.__doc__ or "").splitlines()[0].split(". ")[0].rstrip(".")


def _page(module: str, names: list[str]) -> str:
    """A module, and each of its names where it is defined."""
    parts = [f"# {module}\n", _directive(module, members="[]", show_root_heading="false")]
    for name in sorted(names, key=lambda name: (name.startswith("_"), name.lower())):
        thing = getattr(sys.modules[module], name)
        home = getattr(thing, "__module__", "") if hasattr(thing, "__qualname__") else ""
        path = f"{home}.{name}" if home.startswith("modn") else f"{module}.{name}"
        parts.append(_directive(path, heading=f"{module}.{name}", toc_label=name))
    return "\n".join(parts)


def _directive(path: str, **options: str) -> str:
    """What mkdocstrings replaces by the documentation of an object."""
    return "\n".join(
        [f"::: {path}", "    options:", *(f"      {key}: {value}" for key, value in options.items()), ""]
    )


def _command() -> str:
    """What the command says of itself."""
    parts = ['# Command line\n\nThe command `modn` is part of the extra `cli`: `pip install ".[cli]"`.\n']
    for words in ((), *((name,) for name in cli.COMMANDS)):
        with redirect_stdout(io.StringIO()) as text, suppress(SystemExit):
            cli.main([*words, "--help"])
        parts.append(f"## {' '.join(('modn', *words))}\n\n```text\n{text.getvalue().rstrip()}\n```\n")
    return "\n".join(parts)
