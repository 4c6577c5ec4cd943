"""The comment: first the verdict, then what it rests on."""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from stages.io.entrypoint import StageError
from stages.tools import evidence, markup
from stages.tools.evidence import Evidence
from stages.tools.review import claims, figures, metrics, parameters, verdict
from stages.tools.review.figures import Links
from stages.tools.review.sides import Sides, against, read_mapping, read_table
from stages.tools.review.verdict import Causes, Report

MARKER = "<!-- modn-report -->"  # by which the workflow finds its comment again
LONGEST = 60_000  # of the 65,536 characters that a code host accepts; the workflow adds some lines
OMITTED = "Too long for a comment; `make review` prints it."
PROFILE = re.compile(r"[a-z0-9_]+")
CELL = ["study", "dataset", "model", "optimizer", *metrics.POINT]


@dataclass(frozen=True)
class Review:
    """Everything that the comment says."""

    sides: Sides
    causes: Causes
    report: Report
    others: list[Report]
    evidence: list[Evidence]


def examine(root: Path, base: str) -> Review:
    """Compare the report of params.yaml's profile with the base's, and other reports if they changed."""
    sides = against(root, base)
    profile = read_mapping("params.yaml", sides.here("params.yaml")).get("profile")
    if not isinstance(profile, str) or not PROFILE.fullmatch(profile):
        raise StageError(f"params.yaml: profile is {profile!r}; `make params` composes the file anew")
    if sides.here(f"reports/{profile}/report.md") is None:
        raise StageError(f"reports/{profile}/report.md is missing; `dvc repro` writes it")
    changed = sides.changed()
    found = {each.profile: each for each in evidence.examine_all(root)}
    others = sorted({path.split("/")[1] for path in changed if path.startswith("reports/")} - {profile})
    compared = [_report(sides, name, found.get(name)) for name in others if PROFILE.fullmatch(name)]
    return Review(
        sides=sides,
        causes=verdict.causes(sides, changed, _sources(found.get(profile))),
        report=_report(sides, profile, found.get(profile)),
        others=[other for other in compared if not other.same],
        evidence=list(found.values()),
    )


def _sources(made: Evidence | None) -> Collection[str]:
    return made.known if made else ()


def _report(sides: Sides, profile: str, made: Evidence | None) -> Report:
    folder = f"reports/{profile}"
    return Report(
        profile=profile,
        base=sides.base,
        claims=claims.compare(sides, folder),
        metrics=metrics.compare(sides, folder),
        figures=figures.compare(sides, folder),
        evidence=made,
    )


def write(review: Review, links: Links, pages: str = "") -> str:
    """The whole comment, in Markdown, short enough for a code host."""
    sides, report = review.sides, review.report
    against_base = f"against {markup.code(sides.base)} at {sides.commit[:7]}"
    blocks = [
        f"{MARKER}\n## Report {markup.code(report.profile)} {against_base}",
        verdict.sentence(review.causes, report),
        *_warning(report),
        *(f"Report {markup.code(other.profile)}: {other.effects()}." for other in review.others),
        "### Claims\n\n" + claims.section(report.claims, sides.base),
        "### Metrics\n\n" + metrics.section(report.metrics, sides.base),
        "### Figures\n\n" + figures.section(report.figures, sides, links),
        *(block for other in review.others for block in _other(other, sides, links)),
        "### Parameters\n\n" + parameters.section(review.causes.parameters, sides.base),
        "### Evidence\n\n" + _evidence(review.evidence),
        "### Summary\n\n" + _summary(review, links, pages),
    ]
    return _bounded(blocks)


def _warning(report: Report) -> list[str]:
    made = report.evidence
    if made is None or made.current:
        return []
    return [f"> **This report is out of date:** {made.markdown()} Run `make repro` and commit its results."]


def _other(report: Report, sides: Sides, links: Links) -> list[str]:
    """What changed in the report of another profile."""
    parts = [
        claims.section(report.claims, sides.base),
        metrics.section(report.metrics, sides.base),
        figures.section(report.figures, sides, links),
    ]
    return [f"### Report {markup.code(report.profile)}\n\n" + "\n\n".join(parts)]


def _evidence(found: list[Evidence]) -> str:
    return "\n".join(f"- {each.markdown()}" for each in found) or "No report says how it was made."


def _summary(review: Review, links: Links, pages: str) -> str:
    folder = f"reports/{review.report.profile}"
    blocks = [
        _run(review.sides, folder),
        _numbers(review.sides, folder),
        claims.summary(review.report.claims),
        f"[The whole report]({links.page(f'{folder}/report.md')})"
        + (f"; [the published reports]({pages.rstrip('/')}/), of the default branch." if pages else "."),
    ]
    return "\n\n".join(block for block in blocks if block)


def _run(sides: Sides, folder: str) -> str:
    path = f"{folder}/tables/runs.csv"
    runs = read_table(path, sides.here(path) or b"", metrics.TRAINED)
    sizes = runs.groupby(CELL).size()
    few, many = (int(sizes.min()), int(sizes.max())) if len(sizes) else (0, 0)
    number = markup.count(many, "run") if few == many else f"{few} to {many} runs"
    datasets = markup.count(runs["dataset"].nunique(), "dataset")
    return f"{datasets}, {markup.count(len(sizes), 'cell')}, {number} of each."


def _numbers(sides: Sides, folder: str) -> str:
    """The headline numbers of both sides."""
    path = f"{folder}/summary.json"
    try:
        before, after = (dict(_flat("", json.loads(content or b"{}"))) for content in sides.both(path))
    except (ValueError, RecursionError):
        raise StageError(f"{path} is damaged; `dvc repro` restores it") from None
    rows = [(markup.text(name), _shown(before.get(name)), _shown(value)) for name, value in after.items()]
    header = ("headline number", markup.text(sides.base), "this branch")
    return markup.table(header, rows, "Headline numbers") if rows else ""


def _shown(value: object) -> str:
    return "" if value is None else markup.values(value)


def _flat(path: str, value: object) -> list[tuple[str, object]]:
    if not isinstance(value, dict):
        return [(path, value)]
    inner = [(f"{path}.{key}" if path else str(key), item) for key, item in value.items()]
    return [pair for name, item in inner for pair in _flat(name, item)]


def _bounded(blocks: list[str]) -> str:
    """All blocks; of those that do not fit any more, only the headings."""
    kept: list[str] = []
    room = LONGEST - sum(len(block.partition("\n")[0]) + len(OMITTED) + 4 for block in blocks)
    for block in blocks:
        fits = len(block) <= room
        kept.append(block if fits else block.partition("\n")[0] + f"\n\n{OMITTED}")
        room -= len(block) if fits else 0
    return "\n\n".join(kept)
