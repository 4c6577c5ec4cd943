"""What MODNClassifier makes of real-world inputs: the tables of docs/classifier.md.

    python -m benchmarks.inputs [scaling] [missing] [imbalance] [many] [wide] [rules] [probabilities]

scaling        accuracy on features with outliers, of log-normal distribution and with heavy tails (synthetic)
missing        values missing at random: they become the mean, or their synapses are 1
imbalance      classes 1:100 (synthetic): class_weight None and "balanced", beside a random forest
many           ten classes, and 500 features of which 10 are informative (synthetic), beside two rivals
wide           100 features or more of several kinds (synthetic), with and without a first training that
               selects, which was chosen by these
rules          training accuracy of a neuron and of its rules alone, by the number of dendrites
probabilities  log-loss and calibration error by Eq. 9, by the calibrated potentials, and of a random forest;
               and the calibration error that they show by chance: that of labels drawn from them

Without names, all of them. Means over stratified resplits, 30 % of the rows for testing. The datasets are
those of data/raw/extra, by which the scaling and what becomes of missing values were chosen.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from time import process_time
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score, f1_score, roc_auc_score
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from benchmarks.classifiers import CLASSIFIERS, DATA, TEST_SIZE, load, markdown
from modn import MODNClassifier, metrics, scaling
from modn.estimators import modn as classifier
from modn.explain import rules
from modn.inputs import Inputs

RESPLITS = 2
SYNTHETIC = 4  # datasets
FRESH = range(700, 703)  # seeds of datasets that no choice was made by
WIDE_SEEDS = (900, 901)
WIDE_ROWS = 1200
DRAWS = 20  # of labels
MISSING_SHARES = (0.05, 0.3)
MISSING_ROWS = 1000  # of each dataset, at most

Parts = tuple[Any, Any, np.ndarray, np.ndarray]


def forest() -> Any:
    """What people would use instead."""
    return RandomForestClassifier(300, random_state=0)


def ours(**parameters: Any) -> Any:
    """With its default parameters."""
    return MODNClassifier(random_state=0, **parameters)


def resplits(X: Any, y: np.ndarray) -> Iterator[Parts]:
    """Training and test parts."""
    for k in range(RESPLITS):
        yield train_test_split(X, y, test_size=TEST_SIZE, stratify=y, random_state=k)


def table(rows: list[dict[str, Any]], index: str, columns: str, value: str) -> str:
    """The means by two of the keys, in the order of the rows."""
    frame = pd.DataFrame(rows)
    means = frame.pivot_table(index=index, columns=columns, values=value, sort=False)
    means.columns = [str(name) for name in means.columns]
    return markdown(means, 3)


def scaling_table() -> str:
    """The same data four times: as they are, and with features of other shapes."""
    rows = []
    for seed in range(SYNTHETIC):
        X, y = make_classification(800, 10, n_informative=6, random_state=seed)
        rng = np.random.default_rng(seed)
        outliers = X.copy()
        outliers[rng.integers(len(X), size=10), np.arange(10)] = 1e6
        ranks = (X.argsort(axis=0).argsort(axis=0) + 0.5) / len(X)
        shapes = {
            "clean": X,
            "one cell of 1e6 in each feature": outliers,
            "log-normal: exp(3 x)": np.exp(3 * X),
            "heavy tails (Cauchy)": np.tan(np.pi * (ranks - 0.5)),
        }
        for shape, features in shapes.items():
            for seen, unseen, y_seen, y_unseen in resplits(features, y):
                with patch.object(scaling, "WIDEST", np.inf):
                    by_range = ours().fit(seen, y_seen)
                scores = {
                    "MODN": ours().fit(seen, y_seen).score(unseen, y_unseen),
                    "scaled by range only": by_range.score(unseen, y_unseen),
                    "random forest": forest().fit(seen, y_seen).score(unseen, y_unseen),
                }
                rows += [{"features": shape, "how": how, "accuracy": a} for how, a in scores.items()]
    return table(rows, "features", "how", "accuracy")


@contextmanager
def synapses_of_1() -> Iterator[None]:
    """Missing values reach the neuron as NaN."""
    fit: Callable[..., Inputs] = Inputs.fit

    def unfilled(*arguments: Any) -> Inputs:
        inputs = fit(*arguments)
        return replace(inputs, means=np.full_like(inputs.means, np.nan))

    with patch.object(Inputs, "fit", unfilled):
        yield


def missing_table() -> str:
    """Accuracy and log-loss on the extra datasets, with holes in training and test parts."""
    rows = []
    for path in sorted(DATA.glob("*.csv")):
        X, y = load(path.stem)
        rng = np.random.default_rng(0)
        chosen = rng.permutation(len(y))[:MISSING_ROWS]
        X, y = X.iloc[chosen], y[chosen]
        for share in MISSING_SHARES:
            holes = X.mask(rng.random(X.shape) < share)
            for seen, unseen, y_seen, y_unseen in resplits(holes, y):
                for how, context in (("the mean", nullcontext()), ("a synapse of 1", synapses_of_1())):
                    with context:
                        proba = ours().fit(seen, y_seen).predict_proba(unseen)
                    for name, value in {
                        "accuracy": metrics.accuracy(y_unseen, proba),
                        "log-loss": metrics.log_loss(y_unseen, proba),
                    }.items():
                        measure = f"{share:.0%} missing: {name}"
                        rows.append({"missing values become": how, "measure": measure, "value": value})
    return table(rows, "missing values become", "measure", "value")


def imbalance_table() -> str:
    """Two overlapping classes, one of them a hundredth."""
    rows = []
    contenders = {
        "MODN": ours,
        'MODN, class_weight="balanced"': lambda: ours(class_weight="balanced"),
        "random forest": forest,
    }
    for seed in range(SYNTHETIC):
        X, y = make_classification(
            5000, 10, n_informative=5, weights=[0.99], flip_y=0.0, class_sep=0.8, random_state=seed
        )
        for seen, unseen, y_seen, y_unseen in resplits(X, y):
            for name, make in contenders.items():
                proba = make().fit(seen, y_seen).predict_proba(unseen)
                predicted = proba.argmax(axis=1)
                values = {
                    "accuracy": metrics.accuracy(y_unseen, proba),
                    "balanced accuracy": balanced_accuracy_score(y_unseen, predicted),
                    "F1": f1_score(y_unseen, predicted),
                    "log-loss": metrics.log_loss(y_unseen, proba),
                    "AUC": roc_auc_score(y_unseen, proba[:, 1]),
                }
                rows += [{"classifier": name, "measure": m, "value": v} for m, v in values.items()]
    return table(rows, "classifier", "measure", "value")


def many_table() -> str:
    """Accuracy where classes or features are many."""
    shapes = {
        "10 classes, 20 features": {"n_features": 20, "n_classes": 10},
        "2 classes, 500 features": {"n_features": 500, "n_classes": 2},
    }
    contenders = {
        "MODN": ours,
        "random forest": forest,
        "hist. boosting": lambda: HistGradientBoostingClassifier(random_state=0),
    }
    rows = []
    for seed in FRESH:
        for shape, sizes in shapes.items():
            X, y = make_classification(2000, n_informative=10, random_state=seed, **sizes)
            seen, unseen, y_seen, y_unseen = next(resplits(X, y))
            for name, make in contenders.items():
                accuracy = make().fit(seen, y_seen).score(unseen, y_unseen)
                rows.append({"dataset": shape, "classifier": name, "accuracy": accuracy})
    return table(rows, "dataset", "classifier", "accuracy")


def linear(seed: int, n_features: int, n_informative: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes on the sides of a plane, with noise."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(WIDE_ROWS, n_features)), np.zeros(n_features)
    w[:n_informative] = rng.normal(size=n_informative)
    return X, (X @ w + rng.normal(size=WIDE_ROWS) * np.sqrt(n_informative) * 0.3 > 0).astype(int)


def correlated(seed: int, n_features: int, n_factors: int) -> tuple[np.ndarray, np.ndarray]:
    """Features that are noisy sums of a few factors, of which three decide."""
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(WIDE_ROWS, n_factors))
    X = factors @ rng.normal(size=(n_factors, n_features)) + rng.normal(size=(WIDE_ROWS, n_features))
    return X, ((factors[:, 0] * factors[:, 1] > 0) ^ (factors[:, 2] > 0.5)).astype(int)


def wide_table() -> str:
    """Accuracy, log-loss, CPU seconds and features used, where features are 100 or more."""
    shapes: dict[str, Callable[[int], Any]] = {
        "150 features, 60 informative": lambda seed: make_classification(
            WIDE_ROWS, 150, n_informative=60, random_state=seed
        ),
        "linear, all of 120": lambda seed: linear(seed, 120, 120),
        "linear, 20 of 120": lambda seed: linear(seed, 120, 20),
        "10 factors in 150 features": lambda seed: correlated(seed, 150, 10),
        "10 classes, 10 of 200": lambda seed: make_classification(
            2000, 200, n_informative=10, n_classes=10, random_state=seed
        ),
    }
    rows = []
    for shape, make in shapes.items():
        for how, wide in (("selected first", classifier.WIDE), ("all features", sys.maxsize)):
            for seed in WIDE_SEEDS:
                seen, unseen, y_seen, y_unseen = train_test_split(
                    *make(seed), test_size=TEST_SIZE, random_state=0
                )
                begin = process_time()
                with patch.object(classifier, "WIDE", wide):
                    model = ours().fit(seen, y_seen)
                seconds, proba = process_time() - begin, model.predict_proba(unseen)
                values = {
                    "accuracy": metrics.accuracy(y_unseen, proba),
                    "log-loss": metrics.log_loss(y_unseen, proba),
                    "CPU seconds": seconds,
                    "features used": float(model.neuron_.w_s.any(axis=1).sum()),
                }
                dataset = f"{shape}: {how}"
                rows += [{"dataset": dataset, "measure": m, "value": v} for m, v in values.items()]
    return table(rows, "dataset", "measure", "value")


def rules_table() -> str:
    """What is left of a neuron's accuracy where its synapses are taken as sharp thresholds."""
    rows = []
    for name, samples in (("iris", load_iris), ("wine", load_wine), ("breast cancer", load_breast_cancer)):
        X, y = samples(return_X_y=True)
        dendrites = {"default": None, "ten for each class": 10 * len(np.unique(y)), "6": 6}
        for size, n_dendrites in dendrites.items():
            for seed in range(SYNTHETIC):
                model = MODNClassifier(n_dendrites=n_dendrites, random_state=seed).fit(X, y)
                accuracy = rules(model, X=X, y=y).accuracy
                assert accuracy is not None  # X and y were given
                for what, value in (("neuron", accuracy.model), ("rules", accuracy.rules)):
                    rows.append({"dataset": name, "how": f"{what}, {size}", "accuracy": value})
    return table(rows, "dataset", "how", "accuracy")


def chance_calibration_error(proba: np.ndarray) -> float:
    """The calibration error of probabilities that are right: of labels drawn from them."""
    rng = np.random.default_rng(0)
    below = proba.cumsum(axis=1)[:, :-1]
    drawn = ((rng.random((len(proba), 1)) > below).sum(axis=1) for _ in range(DRAWS))
    return float(np.mean([metrics.calibration_error(y, proba) for y in drawn]))


def probability_table() -> str:
    """Log-loss and calibration error on the extra datasets."""
    rows = []
    for path in sorted(DATA.glob("*.csv")):
        X, y = load(path.stem)
        for seen, unseen, y_seen, y_unseen in resplits(X, y):
            model = ours().fit(seen, y_seen)
            several = ours(n_estimators=8).fit(seen, y_seen)
            probabilities = {
                "MODN by Eq. 9": model.neuron_.predict_proba(model.inputs_.transform(unseen)),
                "MODN, calibrated": model.predict_proba(unseen),
                "8 neurons, calibrated": several.predict_proba(unseen),
                "random forest": CLASSIFIERS["random forest (300)"]([])
                .fit(seen, y_seen)
                .predict_proba(unseen),
            }
            for name, proba in probabilities.items():
                values = {
                    "accuracy": metrics.accuracy(y_unseen, proba),
                    "log-loss": metrics.log_loss(y_unseen, proba),
                    "calibration error": metrics.calibration_error(y_unseen, proba),
                    "by chance": chance_calibration_error(proba),
                }
                rows += [{"probabilities": name, "measure": m, "value": v} for m, v in values.items()]
    return table(rows, "probabilities", "measure", "value")


TABLES = {
    "scaling": scaling_table,
    "missing": missing_table,
    "imbalance": imbalance_table,
    "many": many_table,
    "wide": wide_table,
    "rules": rules_table,
    "probabilities": probability_table,
}


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    options = parser.parse_args()
    for name in options.tables or TABLES:
        if name not in TABLES:
            parser.error(f"TABLE is {name!r}; allowed: {', '.join(TABLES)}")
        with threadpool_limits(1):
            print(f"{name}\n\n{TABLES[name]()}\n", flush=True)


if __name__ == "__main__":
    main()
