"""What pages quote from reports/paper: python -m website.quotes writes all of it again.

A page has a quotation between two marks, `<!-- paper: claims -->` and `<!-- /paper -->`. Also written are the
README's headline results, and its line about the evidence.
"""

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from stages.study import markdown
from stages.tools import evidence
from website import headline
from website.links import ROOT

REPORT = ROOT / "reports" / "paper"
BLOCK = re.compile(r"(?<=<!-- paper: )(?P<name>\w+)(?P<mark> -->\n).*?(?=<!-- /paper -->)", flags=re.DOTALL)


class Missing(LookupError):
    """What a report lacks cannot be quoted from it."""


def classifiers(report: Path) -> str:
    """MODN beside the usual classifiers: means over the datasets."""
    rows = [line.strip("| ").split(" | ") for line in _table(report, "| classifier | parameters |")]
    titles = set(pd.read_csv(report / "tables" / "table1.csv")["title"])
    width = next(place for place, name in enumerate(rows[0]) if name in titles)
    return "\n".join(f"| {' | '.join(row[:width])} |" for row in rows)


def protocols(report: Path) -> str:
    """MODN by Adam, under both protocols."""
    published = _means(report, "table3", model="modn", optimizer="adam")
    sound = _means(report, "baselines", baseline="modn", search="default")
    rows = [
        {
            "dataset": title,
            "published": f"{one:.3f}",
            "sound": f"{sound[title]:.3f}",
            "difference": f"{sound[title] - one:+.3f}",
        }
        for title, one in published.items()
    ]
    return markdown.table(rows)


def gradients(report: Path) -> str:
    """MODN by three solvers, and the best value that the paper has for any model."""
    names = {"MODN, Adam": "adam", "MODN, BBO+Adam": "bbo_adam", "MODN, BBO": "bbo"}
    ours = pd.DataFrame(
        {name: _means(report, "table3", model="modn", optimizer=slug) for name, slug in names.items()}
    )
    titles = pd.read_csv(report / "tables" / "table1.csv").set_index("dataset")["title"]
    rows = []
    for dataset, title in titles.items():
        best = headline.best_printed()[dataset]
        highest = max(best, ours.loc[title].max())
        cells = {
            name: f"**{mean:.4f}**" if mean == highest else markdown.number(mean)
            for name, mean in ours.loc[title].items()
        }
        rows.append({"dataset": title, **cells, "best printed": f"{best:.4f}"})
    return markdown.table(rows)


def tuned_values(report: Path) -> str:
    """Our own Table 4: MODN's values."""
    rows = [line.strip("| ").split(" | ") for line in _table(report, "| dataset | MODN+BBO M |")]
    return "\n".join(f"| {' | '.join(row[:4])} |" for row in rows)


def minutes(report: Path) -> str:
    """How long the run took, study by study, as its provenance has it."""
    made = _provenance(report)
    table = pd.DataFrame(
        {
            "study": stage.split()[0],
            "wall": stage_made["wall_seconds"] / 60,
            "core": sum(stage_made["core_seconds"].values()) / 60,
        }
        for stage, stage_made in made["stages"].items()
    )
    table = table.groupby("study")[["wall", "core"]].sum()
    is_paper = table.index.isin(OF_THE_PAPER)
    whole, paper, beyond = (part["wall"].sum() for part in (table, table[is_paper], table[~is_paper]))
    rows = [
        {"study": f"`{study}`", "minutes": f"{row.wall:.1f}", "core minutes": f"{row.core:.1f}"}
        for study, row in pd.concat([table[is_paper], table[~is_paper]]).iterrows()
    ]
    return (
        f"Training and fitting took {whole:.0f} minutes on {_cores(made)} for profile `{report.name}`: "
        f"{paper:.0f} for what the paper has and the other classifiers on its datasets, {beyond:.0f} for the "
        f"other studies.\n\n{markdown.table(rows)}"
    )


def searches(report: Path) -> str:
    """How long the stage `tune` took."""
    made = _provenance(report)
    found = {stage.split()[1]: own for stage, own in made["stages"].items() if stage.startswith("tuning ")}
    if not found:
        raise Missing(f"{report.name} has no searches")
    seconds = {name: sum(own["core_seconds"].values()) for name, own in found.items()}
    each = ", ".join(f"`{name}` {own:.0f}" for name, own in seconds.items())
    wall = sum(own["wall_seconds"] for own in found.values()) / 60
    n_searches = sum(len(own["core_seconds"]) for own in found.values())
    return (
        f"The {n_searches} searches of profile `{report.name}` took {wall:.1f} minutes on {_cores(made)}; "
        f"in core seconds, {each}."
    )


def _provenance(report: Path) -> dict[str, Any]:
    made: dict[str, Any] = json.loads((report / "provenance.json").read_text(encoding="utf-8"))
    return made


def _cores(made: dict[str, Any]) -> str:
    return {1: "one core", 2: "two cores"}.get(made["cores"], f"{made['cores']} cores")


def _table(report: Path, header: str) -> list[str]:
    """The lines of the first table of the report whose header begins like this."""
    lines = (report / "report.md").read_text(encoding="utf-8").splitlines()
    start = next((place for place, line in enumerate(lines) if line.startswith(header)), None)
    if start is None:
        raise Missing(f"{report.name} has no table that begins with {header!r}")
    end = next(place for place in range(start, len(lines)) if not lines[place].startswith("|"))
    return lines[start:end]


def _whole_table(report: Path, header: str) -> str:
    return "\n".join(_table(report, header))


def _answer(report: Path, section: str) -> str:
    """The paragraph that opens a section, without the bold face."""
    text = (report / "report.md").read_text(encoding="utf-8")
    found = re.search(rf"^## [^\n]*{re.escape(section)}\n\n(.+)$", text, flags=re.MULTILINE)
    if found is None:
        raise Missing(f"{report.name} has no section {section!r}")
    return found[1].replace("**", "")


def _means(report: Path, table: str, **chosen: str) -> "pd.Series[float]":
    """Mean accuracies by the dataset's title."""
    frame = pd.read_csv(report / "tables" / f"{table}.csv")
    for column, value in chosen.items():
        frame = frame[frame[column] == value]
    return frame.set_index("title")["acc_mean"]


# Tables that are quoted as they are, by how their headers begin
TABLES = {
    "closeness": "| optimizer | cells |",
    "claims": "| claim |",
    "learned_filter": "| protocol | optimizer | MODN - MODNP |",
    "extra": "| classifier | mean ACC |",
    "extra_datasets": "| dataset | rows | features |",
    "arena": "| optimizer | loss, 1,000 |",
    "arena_means": "| optimizer | MODN, loss |",
    "circuits": "| model | mean ACC | to the neuron |",
    "circuit_datasets": "| dataset | Neuron | Circuit |",
    "circuit_sizes": "| model | 1 |",
    "optimism": "| method | datasets | in cross-validation |",
}
# Sections whose answer is quoted, by how their titles end
ANSWERS = {
    "learned_filter_answer": "Does the learned P help?",
    "extra_answer": "more datasets",
    "arena_answer": "which optimizer?",
    "circuits_answer": "neurons as circuits",
    "tuning_answer": "tuned without the test set",
}
COMPUTED = (classifiers, protocols, gradients, tuned_values, minutes, searches)
# Studies of the paper, or on its datasets with its runs; the others are beyond it
OF_THE_PAPER = ("baselines", "comparison", "sensitivity", "tuned")
QUOTES: dict[str, Callable[[Path], str]] = {
    **{name: partial(_whole_table, header=header) for name, header in TABLES.items()},
    **{name: partial(_answer, section=section) for name, section in ANSWERS.items()},
    **{quote.__name__: quote for quote in COMPUTED},
}


def updated(text: str, report: Path = REPORT) -> str:
    """A page with its quotations as the report has them."""
    text = headline.BLOCK.sub(lambda _: headline.block(), text)
    return BLOCK.sub(
        lambda block: f"{block['name']}{block['mark']}{QUOTES[block['name']](report)}\n",
        text,
    )


def pages() -> list[Path]:
    """The README and all pages of docs/."""
    return [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]


def main() -> None:
    """Bring all quotations up to date."""
    for page in pages():
        text = page.read_text(encoding="utf-8")
        new = updated(text)
        if new != text:
            page.write_text(new, encoding="utf-8")
            print(f"{page.relative_to(ROOT)}: updated")
    if evidence.update_readme(ROOT / "README.md", evidence.examine(ROOT, evidence.OF_README).line()):
        print("README.md: the line about the evidence is updated")


if __name__ == "__main__":
    main()
