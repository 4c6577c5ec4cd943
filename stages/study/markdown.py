"""Markdown of a report: pipe tables, figures, and a number beside the one that the paper prints."""

from collections.abc import Iterable
from math import nan
from typing import Any

import pandas as pd


def table(rows: Iterable[dict[str, Any]]) -> str:
    """A pipe table; columns of numbers are aligned to the right."""
    rows = list(rows)
    columns = list(rows[0])
    texts = [[str(row[column]).replace("|", "\\|") for column in columns] for row in rows]
    right = [all(_is_number(text) for text in column) for column in zip(*texts, strict=True)]
    lines = [columns, ["---:" if numeric else "---" for numeric in right], *texts]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _is_number(text: str) -> bool:
    """Whether a cell is empty or begins with a digit, after a sign or asterisks."""
    return not text or text.lstrip("*+-")[:1].isdigit()


def number(value: float, decimals: int = 4) -> str:
    """A number; one that does not exist is left out."""
    return "" if pd.isna(value) else f"{value:.{decimals}f}"


def figure(name: str, caption: str) -> str:
    """An image of the report's folder with its caption."""
    return f"![{caption}](figures/{name}.png)\n\n*{caption}*"


def ours_and_paper(ours: float, paper: float, best: bool, spread: float = nan) -> str:
    """Our value, in bold if it is the best, with its spread, then the paper's and the difference."""
    text = f"**{ours:.3f}**" if best else f"{ours:.3f}"
    text += "" if pd.isna(spread) else f" ± {spread:.3f}"
    return text if pd.isna(paper) else f"{text} ({paper:.3f}; {ours - paper:+.3f})"


def with_paper(ours: float, paper: float, layout: str = "g") -> str:
    """Our value, then the paper's; a value that does not exist is left out."""
    text = "" if pd.isna(ours) else f"{ours:{layout}}"
    return text if pd.isna(ours) or pd.isna(paper) else f"{text} ({paper:{layout}})"
