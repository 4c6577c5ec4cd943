"""The paper's claims: which verdicts differ between the two sides."""

from dataclasses import dataclass

from stages.study.claims import FAILS, HOLDS
from stages.tools import markup
from stages.tools.review.sides import Sides, read_table

COLUMNS = ("claim", "ours", "verdict")
OPPOSITE = {HOLDS, FAILS}


@dataclass(frozen=True)
class Claim:
    """A claim with its verdict before and after; None where that side does not judge it."""

    claim: str
    before: str | None
    after: str | None
    evidence: str

    @property
    def changed(self) -> bool:
        """Whether both sides judge it, and differently."""
        return None not in (self.before, self.after) and self.before != self.after

    @property
    def flipped(self) -> bool:
        """Whether it held and does not any more, or the other way round."""
        return {self.before, self.after} == OPPOSITE


def compare(sides: Sides, folder: str) -> list[Claim]:
    """All claims, those of this side first."""
    path = f"{folder}/tables/claims.csv"
    there, here = sides.both(path)
    before = {} if there is None else _verdicts(f"{path} of {sides.base}", there)
    after = {} if here is None else _verdicts(path, here)
    return [
        Claim(claim, before.get(claim, (None, ""))[0], *after.get(claim, (None, "")))
        for claim in [*after, *(claim for claim in before if claim not in after)]
    ]


def section(claims: list[Claim], base: str) -> str:
    """Those whose verdict changed; flips first."""
    changed = sorted((claim for claim in claims if claim.changed), key=lambda claim: not claim.flipped)
    if not changed:
        return "No verdict changed."
    rows = [
        (
            markup.text(claim.claim),
            markup.text(claim.before),
            ("**{}**" if claim.flipped else "{}").format(markup.text(claim.after)),
            markup.text(claim.evidence),
        )
        for claim in changed
    ]
    return markup.table(
        ("claim", markup.text(base), "this branch", "in our runs"), rows, f"Verdicts changed: {len(rows)}"
    )


def summary(claims: list[Claim]) -> str:
    """Every claim as this side judges it."""
    rows = [
        (markup.text(claim.claim), markup.text(claim.evidence), markup.text(claim.after))
        for claim in claims
        if claim.after is not None
    ]
    grid = markup.grid(("claim", "in our runs", "verdict"), rows)
    return markup.folded(f"The paper's claims: {len(rows)}", grid) if rows else ""


def _verdicts(name: str, content: bytes) -> dict[str, tuple[str, str]]:
    frame = read_table(name, content, COLUMNS)
    return {row.claim: (row.verdict, row.ours) for row in frame.itertuples()}
