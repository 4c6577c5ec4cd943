"""What a fit and a prediction of the classifier cost, beside the classifiers one would use instead.

On a few datasets of data/raw/extra, one resplit each, default parameters, one thread, CPU seconds. How
accurate they are is measured by `benchmarks.classifiers`, on all of the datasets.
"""

import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from benchmarks.classifiers import CLASSIFIERS, load, measure, warm_up

DATASETS = ("pima", "wdbc", "vehicle", "segment")


def measure_all(datasets: tuple[str, ...] = DATASETS) -> list[dict[str, Any]]:
    """A row per classifier that is installed and dataset: CPU seconds of a fit, rows per CPU second."""
    rows = []
    for name, make in CLASSIFIERS.items():
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            try:
                warm_up(make)
            except ImportError as lacking:
                print(f"{name}: skipped, {lacking}", flush=True)
                continue
            for dataset in datasets:
                found = measure(make, dataset, 0)
                fit, speed = found["fit_seconds"], found["rows_per_second"]
                rows.append(
                    {"classifier": name, "dataset": dataset, "fit_seconds": fit, "rows_per_second": speed}
                )
                print(f"{name:<22}{dataset:<12}{fit:8.2f} s {speed:12,.0f} rows/s", flush=True)
    return rows


def shapes(datasets: tuple[str, ...] = DATASETS) -> dict[str, str]:
    """Rows, features and classes of each dataset."""
    found = {}
    for name in datasets:
        X, y = load(name)
        found[name] = f"{len(X)} x {X.shape[1]}, {y.max() + 1} classes"
    return found
