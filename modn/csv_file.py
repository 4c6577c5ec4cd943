"""A CSV file as cells of text, each with its place in the file."""

import csv
import io
import re

import pandas as pd

CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def check_labels(column: pd.Series) -> None:
    """Refuse labels with control characters, such as line breaks: tables and programs are made of them."""
    for line, text in column.items():
        if CONTROL.search(text):
            raise ValueError(
                f"line {line}, column {column.name!r}: {text!r}; allowed: a class without control characters"
            )


def parse(content: bytes, name: str, separator: str = ",") -> pd.DataFrame:
    """The cells of a CSV file as text; the index is the line in the file, the header being line 1.

    pandas' own reader renames repeated columns, fills up short rows and cuts long ones. Blank lines are
    allowed before the header and at the end only, so that each line below the header is a row.
    """
    if b"\0" in content:
        line = content[: content.index(b"\0")].count(b"\n") + 1
        raise ValueError(f"{name}, line {line}: a NUL character; allowed: text")
    try:
        text = io.StringIO(content.decode("utf-8-sig"), newline="")
        reader = csv.reader(text, delimiter=separator, skipinitialspace=True, strict=True)
        rows = dict((reader.line_num, [cell.strip() for cell in row]) for row in reader)
    except (csv.Error, UnicodeDecodeError) as error:
        raise ValueError(f"{name} cannot be read as a CSV file: {error}") from None
    filled = [line for line, row in rows.items() if row]
    if not filled:
        raise ValueError(f"{name} is empty")
    rows = {line: row for line, row in rows.items() if filled[0] <= line <= filled[-1]}
    header = rows.pop(filled[0])
    for line, row in rows.items():
        if not row:
            raise ValueError(f"{name}, line {line}: a blank line; allowed: at the end only")
        if len(row) != len(header):
            raise ValueError(f"{name}, line {line}: {len(row)} cells, but the header has {len(header)}")
    return pd.DataFrame(list(rows.values()), columns=header, index=list(rows), dtype=object)
