"""How many dendrites by default: MODNClassifier with k dendrites for each class, on the paper's 11 datasets.

Five-fold cross-validation within a stratified 70 % of each dataset. Needs data/tables: python -m stages.fetch

    python -m benchmarks.dendrites [--per-class 2 5 10 20] [--split 0]
"""

import argparse
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline

from modn import MODNClassifier
from stages.study.cleaning import features_and_labels

TABLES = Path(__file__).parents[1] / "data" / "tables"


def training_part(table: Path, split: int) -> tuple[np.ndarray, np.ndarray]:
    """70 % of the rows, stratified."""
    X, y = features_and_labels(pd.read_csv(table, dtype=str, keep_default_na=False))
    X_train, _, y_train, _ = train_test_split(X, y, test_size=0.3, stratify=y, random_state=split)
    return X_train, y_train


def main() -> None:
    """Print a row for each dataset: the accuracy in cross-validation, and the seconds it took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--per-class", type=int, nargs="+", default=[2, 5, 10, 20])
    parser.add_argument("--split", type=int, default=0)
    options = parser.parse_args()
    columns = [f"k={k}" for k in options.per_class]
    accuracies = pd.DataFrame(columns=columns, dtype=float)
    seconds = accuracies.copy()
    for table in sorted(TABLES.glob("*.csv")):
        X, y = training_part(table, options.split)
        folds = StratifiedKFold(n_splits=5, shuffle=True, random_state=options.split)
        for k, column in zip(options.per_class, columns, strict=True):
            classifier = MODNClassifier(n_dendrites=k * len(np.unique(y)), random_state=options.split)
            begin = perf_counter()
            scores = cross_val_score(
                make_pipeline(SimpleImputer(strategy="median"), classifier), X, y, cv=folds
            )
            seconds.loc[table.stem, column] = perf_counter() - begin
            accuracies.loc[table.stem, column] = scores.mean()
        print(accuracies.loc[[table.stem]].round(4).to_string(header=len(accuracies) == 1), flush=True)
    print(accuracies.mean().rename("mean").to_frame().T.round(4).to_string())
    print(seconds.sum().rename("seconds").to_frame().T.round(1).to_string())


if __name__ == "__main__":
    main()
