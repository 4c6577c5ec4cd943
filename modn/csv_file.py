"""A CSV file as cells of text, each with its place in the file."""

import csv
import io

import pandas as pd


def parse(content: bytes, name: str, separator: str = ",") -> pd.DataFrame:
    """The cells of a CSV file as text; the index is the line in the file, the header being line 1.

    pandas' own reader renames repeated columns, fills up short rows and cuts long ones.
    """
    try:
        text = io.StringIO(content.decode("utf-8-sig"), newline="")
        reader = csv.reader(text, delimiter=separator, skipinitialspace=True, strict=True)
        rows = dict((reader.line_num, [cell.strip() for cell in row]) for row in reader if any(row))
    except (csv.Error, UnicodeDecodeError) as error:
        raise ValueError(f"{name} cannot be read as a CSV file: {error}") from None
    if not rows:
        raise ValueError(f"{name} is empty")
    header = rows.pop(min(rows))
    for line, row in rows.items():
        if len(row) != len(header):
            raise ValueError(f"{name}, line {line}: {len(row)} cells, but the header has {len(header)}")
    return pd.DataFrame(list(rows.values()), columns=header, index=list(rows), dtype=object)
