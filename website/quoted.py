"""Tables of reports/paper that pages quote: python -m website.quoted copies them again, after a new run."""

import re

import pandas as pd

from website.links import ROOT

REPORT = ROOT / "reports" / "paper"
# By page: how the headers begin. Columns from the first dataset on are left out.
QUOTES = {
    "docs/reproduction.md": ("| optimizer | cells |", "| claim |"),
    "docs/training.md": ("| classifier | parameters |",),
}
PROTOCOLS = "| dataset | published | sound | difference |"
BEST = "| dataset | MODN, Adam | MODN, BBO+Adam | MODN, BBO | best printed |"
TABLE = r"^{}.*\n(?:\|.*\n)+"


def updated(page: str) -> str:
    """A page with its quoted tables as the report has them."""
    text = (ROOT / page).read_text(encoding="utf-8")
    report = (REPORT / "report.md").read_text(encoding="utf-8")
    for header in QUOTES[page]:
        found = re.search(TABLE.format(re.escape(header)), report, flags=re.MULTILINE)
        if found is None:
            raise ValueError(f"{REPORT.name}: the report has no table {header!r}")
        text = _replaced(text, header, _without_datasets(found[0]))
    for header, table in ((PROTOCOLS, two_protocols()), (BEST, best_printed())):
        text = _replaced(text, header, table)
    return text


def two_protocols() -> str:
    """The accuracies of MODN by Adam under both protocols, dataset by dataset; they stand in two tables."""
    published = _means("table3", model="modn", optimizer="adam")
    sound = _means("baselines", baseline="modn", search="default")
    lines = [PROTOCOLS, "| --- | ---: | ---: | ---: |"]
    for title, one in published.items():
        two = sound[title]
        lines.append(f"| {title} | {one:.3f} | {two:.3f} | {two - one:+.3f} |")
    return "\n".join(lines) + "\n"


def best_printed() -> str:
    """MODN by three optimizers beside the best value that the paper prints; bold: Adam is above it."""
    printed = [pd.read_csv(path) for path in sorted((ROOT / "data/raw/paper").glob("table[35]_*.csv"))]
    best = pd.concat(printed).groupby("dataset")["acc"].max()
    ours = [_means("table3", model="modn", optimizer=name) for name in ("adam", "bbo_adam", "bbo")]
    lines = [BEST, "| --- | ---: | ---: | ---: | ---: |"]
    for dataset, title in pd.read_csv(REPORT / "tables/table1.csv")[["dataset", "title"]].to_numpy():
        adam, *others = (mean[title] for mean in ours)
        first = f"**{adam:.4f}**" if adam > best[dataset] else f"{adam:.4f}"
        numbers = [first, *(f"{number:.4f}" for number in [*others, best[dataset]])]
        lines.append(f"| {title} | {' | '.join(numbers)} |")
    return "\n".join(lines) + "\n"


def _means(name: str, **chosen: str) -> "pd.Series[float]":
    frame = pd.read_csv(REPORT / "tables" / f"{name}.csv")
    for column, value in chosen.items():
        frame = frame[frame[column] == value]
    return frame.set_index("title")["acc_mean"]


def _without_datasets(table: str) -> str:
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    titles = set(pd.read_csv(REPORT / "tables/table1.csv")["title"])
    width = next((k for k, name in enumerate(lines[0]) if name in titles), len(lines[0]))
    return "".join(f"| {' | '.join(line[:width])} |\n" for line in lines)


def _replaced(text: str, header: str, table: str) -> str:
    """The text with another table in the place of the one with this header; pages without it stay."""
    pattern = TABLE.format(re.escape(header))
    return re.sub(pattern, lambda _: table, text, flags=re.MULTILINE)


def main() -> None:
    """Write the pages whose tables changed."""
    for page in QUOTES:
        path, new = ROOT / page, updated(page)
        if new != path.read_text(encoding="utf-8"):
            path.write_text(new, encoding="utf-8")
            print(f"{page}: updated")


if __name__ == "__main__":
    main()
