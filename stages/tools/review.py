"""Print the comment for a pull request: the report's summary, what changed since the base, and the figures.

It compares the files of this folder with the commit at which the branch left its base, as code hosts do, and
only reports of the same profile.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException

from stages.config import composition
from stages.config.composition import ROOT
from stages.io import files
from stages.io.entrypoint import StageError

USAGE = "python -m stages.tools.review base=main [links=https://...]"
ARGUMENTS = """base=...: the branch, tag or commit to compare with
links=...: an address to put before the figures' paths; without it they are relative to the project"""
OPEN_ROWS = 12  # a longer table is folded
MOST_ROWS = 200  # a code host refuses a comment of more than 65,536 characters
CAPTION = r"(\n\n\*[^*\n]+\*(?=\n))?"
LINK_WITHIN = re.compile(r"\]\((?!\w+:)(#?)")
IMAGE = re.compile(r"!\[([^\]]*)\]\((figures/[^)\s]+)\)")


def comment(base: str, links: str = "") -> str:
    """The whole comment, in Markdown."""
    commit = _left_at(base)
    profile = composition.compose_stage([]).profile
    folder = f"reports/{profile}"
    path = files.report_folder(profile) / "report.md"
    if not path.is_file():
        raise StageError(f"{folder}/report.md is missing; `dvc repro` writes it")
    report = path.read_text(encoding="utf-8")
    metrics = _dvc("metrics", "diff", "--json", "--targets", f"{folder}/metrics.json", "--", commit)
    place = f"{links.rstrip('/')}/{folder}" if links else folder
    return "\n\n".join(
        [
            f"## Report `{profile}`, against `{base}` at {commit[:7]}",
            *_warnings(_dvc("status", "--json")),
            _summary(report, place),
            "### Parameters\n\n" + _parameters(_dvc("params", "diff", "--json", commit), base),
            "### Metrics\n\n" + _metrics(metrics.get(f"{folder}/metrics.json", {}), base),
            "### Figures\n\n" + _figures(report, place),
        ]
    )


def _left_at(base: str) -> str:
    """The commit at which this branch left its base."""
    if _git("rev-parse", "--is-inside-work-tree").returncode:
        raise StageError(f"{ROOT} is not in a git repository: there is nothing to compare with")
    if _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}").returncode:
        raise StageError(f"base={base}: git knows no such revision; allowed: a branch, a tag or a commit")
    common = _git("merge-base", base, "HEAD")
    if common.returncode:
        raise StageError(f"base={base} and this branch have no commit in common; a shallow clone lacks them")
    return common.stdout.strip()


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)


def _dvc(*arguments: str) -> Any:
    """The JSON output of a DVC command."""
    done = subprocess.run([sys.executable, "-m", "dvc", *arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise StageError(f"dvc {' '.join(arguments)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def _summary(report: str, place: str) -> str:
    """The text before the report's first section, without its title and figures."""
    opening = re.split(r"^## ", report, maxsplit=1, flags=re.MULTILINE)[0]
    text = re.sub(IMAGE.pattern + CAPTION, "", re.sub(r"\A# .*\n", "", opening))
    linked = LINK_WITHIN.sub(lambda link: f"]({place}/" + ("report.md#" if link[1] else ""), text)
    return re.sub(r"\n{3,}", "\n\n", linked).strip()


def _warnings(status: dict[str, list[Any]]) -> list[str]:
    """Warn when the report was not made with this code and these parameters.

    Missing files do not count: a fresh clone lacks the data between the stages.
    """
    changed: set[str] = set()
    for reasons in status.values():
        for reason in reasons:
            if isinstance(reason, str):
                changed.add(reason)
                continue
            for name, state in (pair for kind in reason.values() for pair in kind.items()):
                if isinstance(state, dict):  # parameters: name -> state
                    changed.update(state)
                elif state in {"modified", "new"}:
                    changed.add(name)
    if not changed:
        return []
    names = ", ".join(f"`{name}`" for name in _without_derived(sorted(changed)))
    return [
        f"> **This report is out of date:** {names} changed after it was made. Run `make repro` to update it."
    ]


def _parameters(difference: dict[str, dict[str, dict[str, Any]]], base: str) -> str:
    changes = {name: change for file in difference.values() for name, change in file.items()}
    if not changes:
        return "No parameter changed."
    rows = [
        (f"`{name}`", _cell(changes[name]["old"]), _cell(changes[name]["new"]))
        for name in _without_derived(sorted(changes))
    ]
    return _table(("parameter", base, "this branch"), rows, f"Parameters changed: {len(rows)}")


def _without_derived(names: list[str]) -> list[str]:
    """Derived values follow from the others; alone, they show that the derivation changed."""
    return [name for name in names if not name.startswith("derived")] or names


def _metrics(changes: dict[str, dict[str, Any]], base: str) -> str:
    if not changes:
        return "No metric changed."
    if all(change["old"] is None for change in changes.values()):
        return f"`{base}` has no report of this profile to compare with."
    by_size = sorted(changes, key=lambda name: (-abs(changes[name].get("diff", 0)), name))
    rows = []
    for name in by_size[:MOST_ROWS]:
        change = changes[name]
        by = f"{change['diff']:+.4f}" if "diff" in change else ""
        rows.append((f"`{name}`", _cell(change["old"]), _cell(change["new"]), by))
    heading = f"Metrics changed: {len(changes)}, most of all {by_size[0]}" + (
        f"; the {MOST_ROWS} largest changes" if len(changes) > MOST_ROWS else ""
    )
    return _table(("metric", base, "this branch", "change"), rows, heading)


def _figures(report: str, place: str) -> str:
    images = [f"![{alt}]({place}/{path})" for alt, path in dict.fromkeys(IMAGE.findall(report))]
    if not images:
        return "The report has no figures."
    return _folded(f"Figures: {len(images)}", "\n\n".join(images))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|").replace("\n", " ")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], heading: str) -> str:
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return table if len(rows) <= OPEN_ROWS else _folded(heading, table)


def _folded(heading: str, body: str) -> str:
    return f"<details>\n<summary>{heading}</summary>\n\n{body}\n\n</details>"


def main() -> None:
    """Print the comment, or an error message."""
    parser = argparse.ArgumentParser(
        prog="python -m stages.tools.review",
        usage=USAGE,
        description=__doc__,
        epilog=ARGUMENTS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("arguments", nargs="*", help=argparse.SUPPRESS)
    given = dict(argument.partition("=")[::2] for argument in parser.parse_args().arguments)
    composition.register()
    try:
        unknown = sorted(given.keys() - {"base", "links"})
        if unknown:
            raise StageError(f"there is no argument {unknown[0]!r}; allowed:\n{ARGUMENTS}")
        if not given.get("base"):
            raise StageError("base=... is missing: the branch, tag or commit to compare with")
        print(comment(**given))
    except (StageError, ValueError, HydraException, OmegaConfBaseException) as error:
        sys.exit(f"review: {error}")


if __name__ == "__main__":
    main()
