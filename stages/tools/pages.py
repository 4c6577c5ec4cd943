"""Build the published pages of all reports from what is in git: python -m stages.tools.pages site."""

import argparse
import html
import json
from pathlib import Path

from stages.config import composition
from stages.io import entrypoint, files
from stages.io.entrypoint import StageError
from stages.study import making, page
from stages.study.making import Record

PROVENANCE = "provenance.json"
INDEX = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>MODN: reports</title>
<style>body {{ font: 1rem/1.5 system-ui, sans-serif; margin: 3rem auto; max-width: 40rem }}</style>
<h1>MODN: reports</h1>
<ul>
{entries}
</ul>
</html>
"""


def build(reports: Path, site: Path) -> list[str]:
    """Write <site>/<profile>/index.html for every report, and an index of them; the profiles."""
    found = sorted(path.parent for path in reports.glob("*/report.md"))
    if not found:
        raise StageError(f"{reports} holds no report; `dvc repro` makes one")
    for folder in found:
        text = (folder / "report.md").read_text(encoding="utf-8") + f"\n{making.section(_records(folder))}"
        rendered = page.render(text, f"MODN, profile {folder.name}", folder / "figures")
        files.write_text(site / folder.name / "index.html", rendered)
        made = (folder / PROVENANCE).read_text(encoding="utf-8")  # to which the report links
        files.write_text(site / folder.name / PROVENANCE, made)
    profiles = [folder.name for folder in found]
    entries = [f'<li><a href="{html.escape(name)}/">{html.escape(name)}</a></li>' for name in profiles]
    files.write_text(site / "index.html", INDEX.format(entries="\n".join(entries)))
    return profiles


def _records(folder: Path) -> list[Record]:
    """What the stage `report` knew of the trainings and fits, from the report's provenance."""
    path = folder / PROVENANCE
    try:
        made = json.loads(path.read_text(encoding="utf-8"))
        common = {key: made[key] for key in ("versions", "cores", "machine")}
        common |= {key: made[key] for key in ("processor",) if key in made}
        clocks = {**dict.fromkeys(made.get("restored", [])), **made["stages"]}
    except (ValueError, KeyError, TypeError):
        raise StageError(f"{path} is damaged; `dvc repro` restores it") from None
    records = []
    for stage, own in clocks.items():
        study, _, name = stage.partition(" ")
        records.append(Record(study, name, None if own is None else {**own, **common}))
    return records


def main() -> None:
    """Build the pages into the folder that is given."""
    parser = argparse.ArgumentParser(prog="python -m stages.tools.pages", description=__doc__)
    parser.add_argument("site", type=Path, help="the folder to write to, which the workflow publishes")
    site = parser.parse_args().site
    with entrypoint.reported("pages"):
        print("pages:", ", ".join(build(composition.ROOT / "reports", site)))


if __name__ == "__main__":
    main()
