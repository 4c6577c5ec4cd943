"""How the defaults of MODNClassifier were chosen: the table of docs/training.md.

    python -m benchmarks.defaults [--only TEXT] [--repeats 2] [--datasets NAME ...]

Cross-validation within the training part of the first resplit of `benchmarks.classifiers`, for each dataset
of data/raw/extra: 3 folds, `repeats` times. No row of the test part is seen. Means over datasets and folds;
seconds are CPU seconds of a fit.
"""

import argparse
from time import process_time
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, train_test_split
from threadpoolctl import threadpool_limits

from benchmarks.classifiers import DATA, TEST_SIZE, load
from modn import MODNClassifier, metrics
from modn.methods import Descent

# At least so many dendrites, iterations, and options of the solver
VARIANTS: dict[str, tuple[int, int | None, dict[str, Any]]] = {
    "10 dendrites for each class": (0, None, {"fold_share": 0.6}),
    "at least 60": (60, None, {"fold_share": 0.6}),
    "at least 60, the folds take 0.4 of the steps": (60, None, {"fold_share": 0.4}),
    "at least 100": (100, None, {"fold_share": 0.6}),
    "at least 60, 300 steps, in the folds too": (60, 300, {"fold_share": 1.0}),
    "at least 60, batches of 128": (60, None, {"fold_share": 0.6, "batch": 128}),
    "at least 60, learning rate 0.03": (60, None, {"fold_share": 0.6, "learning_rate": 0.03}),
    "default, learning rate 0.2": (60, None, {"fold_share": 0.4, "learning_rate": 0.2}),
    "default, 1,000 steps": (60, 1000, {"fold_share": 0.4}),
    "default, first slopes of 2": (60, None, {"fold_share": 0.4, "slope": 2.0}),
    "default, rates by 3 folds": (60, None, {"fold_share": 0.4, "folds": 3}),
    "default, rates by 8 folds": (60, None, {"fold_share": 0.4, "folds": 8}),
    **{f"fixed decay {rate:g}": (60, None, {"decays": (rate,)}) for rate in Descent().decays},
}


def judge(dataset: str, variant: str, repeats: int) -> list[tuple[float, ...]]:
    """Accuracy, log-loss, calibration error and CPU seconds of each fold."""
    least, iterations, options = VARIANTS[variant]
    X, y = load(dataset)
    X, _, y, _ = train_test_split(X, y, test_size=TEST_SIZE, stratify=y, random_state=0)
    M = max(least, 10 * len(np.unique(y)))
    judged = []
    for repeat in range(repeats):
        folds = StratifiedKFold(3, shuffle=True, random_state=repeat).split(X, y)
        for fold, (seen, unseen) in enumerate(folds):
            seed = 10 * repeat + fold
            model = MODNClassifier(
                n_dendrites=M, max_iter=iterations, solver_options=options, random_state=seed
            )
            begin = process_time()
            model.fit(X.iloc[seen], y[seen])
            seconds = process_time() - begin
            proba, truth = model.predict_proba(X.iloc[unseen]), y[unseen]
            measures = (metrics.accuracy, metrics.log_loss, metrics.calibration_error)
            judged.append((*(measure(truth, proba) for measure in measures), seconds))
    return judged


def main() -> None:
    """Print a row for each variant."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="variants whose name contains this")
    parser.add_argument("--repeats", type=int, default=2)
    everything = sorted(path.stem for path in DATA.glob("*.csv"))
    parser.add_argument("--datasets", nargs="*", default=everything, choices=everything, metavar="NAME")
    options = parser.parse_args()
    print("| | accuracy | log-loss | calibration error | seconds |\n| --- | ---: | ---: | ---: | ---: |")
    with threadpool_limits(1):
        for variant in VARIANTS:
            if options.only in variant:
                judged = [
                    row for dataset in options.datasets for row in judge(dataset, variant, options.repeats)
                ]
                accuracy, loss, error, seconds = np.mean(judged, axis=0)
                print(
                    f"| {variant} | {accuracy:.4f} | {loss:.4f} | {error:.3f} | {seconds:.2f} |", flush=True
                )


if __name__ == "__main__":
    main()
