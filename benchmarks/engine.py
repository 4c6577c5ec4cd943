"""MODNClassifier against a random forest: accuracy and CPU seconds of a fit, and rows predicted per second.

    python -m benchmarks.engine TABLES [--splits 5] [--only iris wine] [--dendrites 60]

TABLES is a folder of CSV files with a header, each with a column `class`. Categories become 0 and 1, missing
values the mean, for all. Test parts of 30 %, stratified; nothing was chosen by this table (the defaults of
`adam` were, by cross-validation within the training parts of the first split). One thread.
"""

import argparse
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from modn import MODNClassifier

TREES = 300


def numbers(table: Path) -> tuple[np.ndarray, np.ndarray]:
    """The features as numbers, and the labels."""
    frame = pd.read_csv(table)
    features = pd.get_dummies(frame.drop(columns="class"), dtype=float)
    return features.fillna(features.mean()).to_numpy(float), frame["class"].astype(str).to_numpy()


def judge(model: Any, parts: list[np.ndarray]) -> tuple[float, float, float]:
    """Accuracy, CPU seconds of the fit, and thousands of rows predicted in a CPU second."""
    X, X_test, y, y_test = parts
    begin = process_time()
    model.fit(X, y)
    fitted = process_time()
    many = np.resize(X_test, (2000, X.shape[1]))
    model.predict_proba(many)
    return model.score(X_test, y_test), fitted - begin, 2.0 / (process_time() - fitted)


def main() -> None:
    """Print a row for each dataset, and the means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tables", type=Path)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--dendrites", type=int, default=0, help="at least so many, and ten for each class")
    options = parser.parse_args()
    paths = sorted(options.tables.glob("*.csv"))
    paths = [path for path in paths if options.only is None or path.stem in options.only]
    if not paths:
        parser.error(f"{options.tables} has no such CSV files")
    rows = []
    columns = [f"{model} {what}" for what in ("ACC", "fit s", "krows/s") for model in ("MODN", "forest")]
    with threadpool_limits(limits=1):
        for path in paths:
            X, y = numbers(path)
            M = max(options.dendrites, 10 * len(np.unique(y)))
            judged = []
            for split in range(options.splits):
                parts = train_test_split(X, y, test_size=0.3, stratify=y, random_state=split)
                models = (
                    MODNClassifier(n_dendrites=M, random_state=split),
                    RandomForestClassifier(TREES, random_state=split),
                )
                judged.append(np.transpose([judge(model, parts) for model in models]).ravel())
            rows.append(pd.DataFrame([np.mean(judged, axis=0)], [path.stem], columns))
            print(rows[-1].round(3).to_string(header=len(rows) == 1), flush=True)
    table = pd.concat(rows)
    print(table.mean().rename("mean").to_frame().T.round(4).to_string())
    print(f"CPU of a fit: {table['MODN fit s'].sum() / table['forest fit s'].sum():.2f} times the forest's")


if __name__ == "__main__":
    main()
