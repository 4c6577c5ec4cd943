"""report: write the page a reviewer reads, from the tables, the figures and the provenance."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from stages.config.schema import Parameters
from stages.io import entrypoint, files
from stages.io.entrypoint import StageError
from stages.study import figures, markdown, page
from stages.study.figures import StudyFigure
from stages.study.sections import SECTIONS, TABLES, Record, Results, Section

CLOCKS = ("wall_seconds", "core_seconds", "fit_seconds")


def report(parameters: Parameters) -> None:
    """Read the report's tables/ and figures/, and data/provenance; write the rest of its folder."""
    folder = files.report_folder(parameters.profile)
    tables = {name: files.read_csv(folder / f"tables/{name}.csv") for name in TABLES}
    results = Results(parameters, tables, _records(parameters))
    drawn = figures.drawable(folder / "tables")
    _check_drawn(drawn, folder / "figures")
    text = compose(SECTIONS, results, drawn)
    files.write_json(folder / "provenance.json", provenance_of(parameters, results.records))
    files.write_text(folder / "report.md", text)
    title = f"MODN, profile {parameters.profile}"
    files.write_text(folder / "index.html", page.render(text, title, folder / "figures"))
    print(f"report: reports/{parameters.profile}/report.md and index.html")


def compose(sections: Sequence[Section], results: Results, drawn: Iterable[StudyFigure]) -> str:
    """The report in Markdown: every section that has text or figures, each figure in its section."""
    drawn = list(drawn)
    keys = [section.key for section in sections]
    for figure in drawn:
        if figure.section not in keys:
            raise ValueError(f"{figure.name}: section is {figure.section!r}; allowed: {', '.join(keys)}")
    blocks = [f"# MODN: report of profile `{results.parameters.profile}`"]
    for section in sections:
        text = section.write(results)
        images = [markdown.figure(f.name, f.caption) for f in drawn if f.section == section.key]
        if text or images:
            heading = f"## {section.title}" if section.title else ""
            blocks += [block for block in (heading, text, *images) if block]
    return "\n\n".join(blocks) + "\n"


def provenance_of(parameters: Parameters, records: Sequence[Record]) -> dict[str, Any]:
    """Versions, machine, parameters and times."""
    return {
        **{key: records[0].facts[key] for key in ("versions", "cores", "machine")},
        "parameters_sha256": parameters.derived["sha256"],
        "stages": {
            f"{record.study} {record.name}": {key: record.facts[key] for key in CLOCKS if key in record.facts}
            for record in records
        },
        "wall_seconds": sum(record.facts["wall_seconds"] for record in records),
    }


def _records(parameters: Parameters) -> list[Record]:
    trainings = parameters.derived["trainings"].values()
    trained = [(training["study"], f"{training['model']}-{training['optimizer']}") for training in trainings]
    fitted = [("baselines", name) for name in parameters.baselines]
    return [
        Record(study, name, json.loads((files.PROVENANCE / study / f"{name}.json").read_text("utf-8")))
        for study, name in trained + fitted
    ]


def _check_drawn(drawn: Iterable[StudyFigure], folder: Path) -> None:
    for figure in drawn:
        path = folder / f"{figure.name}.png"
        if not path.is_file():
            raise StageError(f"{path} is missing, although its tables are there; dvc repro draws it")


if __name__ == "__main__":
    entrypoint.run("report", __doc__, report)
