"""The verdict in one sentence: what changed, and whether it is more than chance."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from stages.io import machine, provenance
from stages.tools import evidence, markup
from stages.tools.evidence import Evidence
from stages.tools.review import parameters
from stages.tools.review.claims import Claim
from stages.tools.review.figures import Figure
from stages.tools.review.metrics import Comparison
from stages.tools.review.parameters import Changes
from stages.tools.review.sides import Sides

CODE = re.compile(r"(modn|stages(?!/tools/|/config/))/.+\.py")


@dataclass(frozen=True)
class Causes:
    """What results depend on and differs from the base."""

    parameters: Changes
    code: list[str]
    data: list[str]
    packages: list[str]

    def phrases(self) -> list[str]:
        """One for each kind; none if nothing changed."""
        found = self._parameters()
        if self.code:
            found.append(f"code ({markup.some([markup.code(path) for path in self.code], 2)})")
        if self.data:
            found.append(f"data ({markup.count(len(self.data), 'file')})")
        if self.packages:
            found.append(
                f"versions of packages ({markup.some([markup.code(name) for name in self.packages])})"
            )
        return found

    def _parameters(self) -> list[str]:
        changes = self.parameters.causes
        profile = [change for change in changes if change.path == ("profile",)]
        others = [change for change in changes if change.path != ("profile",)]
        found = [f"the profile ({' to '.join(change.sides())})" for change in profile]
        if len(others) == 1:
            old, new = others[0].sides()
            how = f"{old} to {new}" if old and new else "added" if new else "removed"
            found.append(f"{markup.code(others[0].name)} ({how})")
        elif others:
            found.append(f"{len(others)} {'other ' if profile else ''}parameters")
        return found


def causes(sides: Sides, changed: list[str], sources: Collection[str]) -> Causes:
    """Sort the changed files into causes; the rest, such as documentation, are none.

    Without a list of the sources, all code of the library and the stages counts.
    """
    return Causes(
        parameters.compare(sides),
        code=[path for path in changed if (path in sources if sources else CODE.match(path))],
        data=[path for path in changed if path.startswith("data/raw/")],
        packages=_packages(sides),
    )


def _packages(sides: Sides) -> list[str]:
    """Those of which results tell the versions, and whose locked versions differ."""
    there, here = (evidence.locked((lock or b"").decode()) for lock in sides.both("requirements.lock"))
    names = sorted({*machine.PACKAGES, *provenance.PACKAGES})
    return [name for name in names if there.get(name) != here.get(name)]


@dataclass(frozen=True)
class Report:
    """One profile's report, compared with the base's."""

    profile: str
    base: str
    claims: list[Claim]
    metrics: Comparison | None
    figures: list[Figure]
    evidence: Evidence | None

    @property
    def current(self) -> bool:
        """Whether this code made it."""
        return self.evidence is not None and self.evidence.current

    def effects(self) -> str:
        """Metrics and claims; figures only if nothing else changed."""
        if self.metrics is None:
            return f"{markup.code(self.base)} has no report of this profile to compare with"
        moved, judged = _moved(self.metrics), _judged(self.claims)
        if not self.metrics.changed and self.figures and not judged:
            return f"{moved}, {markup.count(len(self.figures), 'figure')} did"
        return moved + judged

    @property
    def same(self) -> bool:
        """Whether nothing in it changed."""
        changed = any(claim.changed for claim in self.claims)
        return self.metrics is not None and not (self.metrics.changed or changed or self.figures)


def sentence(causes: Causes, report: Report) -> str:
    """Causes and effects."""
    phrases = causes.phrases()
    if not phrases:
        return f"**Nothing that results depend on changed; {report.effects()}.**"
    what = phrases[0] if len(phrases) == 1 else ", ".join(phrases[:-1]) + " and " + phrases[-1]
    effects = report.effects()
    if report.same and not report.current:
        effects = "the report has not been rerun since, so it cannot show the effect"
    return f"**{what[0].upper()}{what[1:]} changed: {effects}.**"


def _moved(compared: Comparison) -> str:
    n, changed, moved = len(compared.metrics), len(compared.changed), compared.moved
    if not changed:
        return "no metric changed"
    if moved:
        most, up = moved[0], sum(metric.change > 0 for metric in moved)
        interval = f"{markup.signed(most.low)} to {markup.signed(most.high)}"
        return (
            f"{len(moved)} of {n} metrics moved by more than chance ({up} up, {len(moved) - up} down; most: "
            f"{markup.code(most.name)} {markup.signed(most.change)}, 95 % interval {interval})"
        )
    if compared.too_few:
        return f"{changed} of {n} metrics moved, with too few runs to tell whether by more than chance"
    return f"{changed} of {n} metrics moved, none by more than chance"


def _judged(claims: list[Claim]) -> str:
    flipped = sum(claim.flipped for claim in claims)
    other = sum(claim.changed for claim in claims) - flipped
    phrases = [f"; {markup.count(flipped, 'claim')} flipped"] if flipped else []
    noun = "other verdict" if flipped else "verdict"
    phrases += [f"; {markup.count(other, noun)} changed"] if other else []
    return "".join(phrases)
