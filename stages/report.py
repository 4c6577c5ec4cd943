"""report: write the page a reviewer reads, from the tables, the figures and the provenance."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from stages.config.schema import Parameters
from stages.io import entrypoint, files
from stages.io.entrypoint import StageError
from stages.study import figures, making, markdown, names, page
from stages.study.figures import StudyFigure
from stages.study.sections import SECTIONS, TABLES, Results, Section


def report(parameters: Parameters) -> None:
    """Read the report's tables/ and figures/, and data/provenance; write the rest of its folder.

    report.md has results alone: the same ones give the same bytes. How they were made is on the page and in
    provenance.json.
    """
    names.use(parameters.derived["titles"])
    folder = files.report_folder(parameters.profile)
    tables = {name: files.read_csv(folder / f"tables/{name}.csv") for name in TABLES}
    drawn = figures.drawable(folder / "tables")
    _check_drawn(drawn, folder / "figures")
    text = compose(SECTIONS, Results(parameters, tables), drawn)
    records = making.read(parameters)
    files.write_json(folder / "provenance.json", making.provenance_of(parameters, records))
    files.write_text(folder / "report.md", text)
    whole = f"{text}\n{making.section(records)}"
    title = f"MODN, profile {parameters.profile}"
    files.write_text(folder / "index.html", page.render(whole, title, folder / "figures"))
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


def _check_drawn(drawn: Iterable[StudyFigure], folder: Path) -> None:
    for figure in drawn:
        path = folder / f"{figure.name}.png"
        if not path.is_file():
            raise StageError(f"{path} is missing, although its tables are there; dvc repro draws it")


if __name__ == "__main__":
    entrypoint.run("report", __doc__, report)
