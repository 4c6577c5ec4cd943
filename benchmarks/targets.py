"""MODN for numbers and labels beside common models, all with default parameters, and the speed of its heads.

    python -m benchmarks.targets [--repeats 10] [--only numbers|labels|functions|speed] [--models MODN ...]

Numbers: R2 of 5-fold cross-validation, the mean over `repeats`, of scikit-learn's diabetes and linnerud
(three outputs), of the datasets in data/raw/targets, and of make_friedman1 to 3 (500 samples, with noise). R2
is that of all folds' predictions together: a fold of linnerud has four samples. Labels: micro F1 of the
datasets in data/raw/targets, of make_multilabel_classification, and of labels that depend on products of
features. All folds are the same for all models. Seconds: CPU time of a fit.

Functions: R2 on the training samples and on others, of functions of known form, 1,000 samples and 4 features
each; the mean of three seeds, for MODNRegressor as it is and with other settings.

Speed: the loss and the gradient of a population of 100 on 500 samples x 10 features, M = 30, for each target
cell, as ratios to plain NumPy, one individual at a time.
"""

import argparse
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
import yaml
from sklearn.datasets import (
    load_diabetes,
    load_linnerud,
    make_friedman1,
    make_friedman2,
    make_friedman3,
    make_multilabel_classification,
)
from sklearn.ensemble import (
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import f1_score, r2_score
from sklearn.model_selection import RepeatedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from modn import MODNClassifier, MODNRegressor, gradients
from modn.fast.objective import Objective
from modn.neuron import Neuron
from modn.targets import TARGETS, Target

ROOT = Path(__file__).resolve().parents[1]

Data = dict[str, tuple[np.ndarray, np.ndarray]]
Models = dict[str, Callable[[], Any]]


class Scaled:
    """A regressor of numbers scaled to mean 0 and deviation 1, features too: what SVR and MLP need."""

    def __init__(self, model: Any) -> None:
        self.model, self.scaler = make_pipeline(StandardScaler(), model), StandardScaler()

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Scaled":
        """Fit."""
        self.model.fit(X, self.scaler.fit_transform(y))
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Predict, in the units of y."""
        return self.scaler.inverse_transform(self.model.predict(X).reshape(len(X), -1))


REGRESSORS: Models = {
    "MODN": lambda: MODNRegressor(random_state=0),
    "ridge": lambda: Scaled(RidgeCV(np.logspace(-3, 3, 7))),
    "random forest": lambda: RandomForestRegressor(random_state=0),
    "boosting": lambda: MultiOutputRegressor(HistGradientBoostingRegressor(random_state=0)),
    "MLP": lambda: Scaled(MLPRegressor(random_state=0)),
    "SVR": lambda: Scaled(MultiOutputRegressor(SVR())),
    "MODN, 8 neurons": lambda: MODNRegressor(n_estimators=8, random_state=0),
    "MODN, no strengths": lambda: MODNRegressor(strengths=False, random_state=0),
}

FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "XOR": lambda X: ((X[:, 0] > 0) != (X[:, 1] > 0)) * 1.0,
    "additive": lambda X: np.sin(3 * X[:, 0]) + X[:, 1] ** 2 + X[:, 2],
    "multiplicative": lambda X: X[:, 0] * X[:, 1] * (1 + X[:, 2]),
}

SHORT: dict[str, Any] = {"max_iter": 500, "solver_options": {"learning_rate": 0.05}}
SETTINGS: dict[str, dict[str, Any]] = {
    "default: 1,000 steps of at most 0.2": {},
    "2,000 steps of at most 0.2": {"max_iter": 2000},
    "500 steps of at most 0.05": SHORT,
    "500 steps of at most 0.05, 60 dendrites": SHORT | {"n_dendrites": 60},
}

CLASSIFIERS: Models = {
    "MODN": lambda: MODNClassifier(random_state=0),
    "one-vs-rest logistic": lambda: OneVsRestClassifier(
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    ),
    "random forest": lambda: RandomForestClassifier(random_state=0),
    "MLP": lambda: make_pipeline(StandardScaler(), MLPClassifier(random_state=0)),
    "MODN, no strengths": lambda: MODNClassifier(strengths=False, random_state=0),
}


def bundled(task: str) -> Data:
    """The datasets of the study `targets` for a task."""
    found = {}
    for path in sorted((ROOT / "conf/datasets/targets").glob("*.yaml")):
        described = yaml.safe_load(path.read_text(encoding="utf-8"))
        if described["task"] == task:
            frame = pd.read_csv(ROOT / described["file"])
            X, y = frame.drop(columns=described["targets"]), frame[described["targets"]]
            found[path.stem] = (X.to_numpy(float), y.to_numpy())
    return found


def numbers() -> Data:
    """The regression datasets."""
    data = {
        "diabetes": load_diabetes(return_X_y=True),
        "linnerud": load_linnerud(return_X_y=True),
        **bundled("regression"),
        "friedman1": make_friedman1(500, noise=1.0, random_state=0),
        "friedman2": make_friedman2(500, noise=100.0, random_state=0),
        "friedman3": make_friedman3(500, noise=0.1, random_state=0),
    }
    return {name: (X, y.reshape(len(y), -1)) for name, (X, y) in data.items()}


def labels() -> Data:
    """The multi-label datasets."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (600, 5))
    products = [X[:, 0] * X[:, 1] > 0, X[:, 0] + X[:, 2] > 0.3, X[:, 0] * X[:, 1] + X[:, 3] > 0.2]
    noisy = np.stack(products, axis=1) ^ (rng.random((600, 3)) < 0.03)
    return {
        **bundled("labels"),
        "10 features, 4 labels": make_multilabel_classification(
            600, n_features=10, n_classes=4, random_state=0
        ),
        "20 features, 5 labels": make_multilabel_classification(
            600, n_features=20, n_classes=5, random_state=1
        ),
        "products, 3 labels": (X, noisy.astype(int)),
    }


def compare(models: Models, data: Data, score: Callable[..., float], repeats: int) -> None:
    """Print a table of mean scores and CPU seconds."""
    print("| model |", " | ".join(data), "| mean | seconds |")
    print("| --- |", "---: | " * (len(data) + 2))
    for name, make in models.items():
        means, begin, fits = [], process_time(), 0
        for X, y in data.values():
            scores = []
            predicted = np.empty(y.shape)
            folds = RepeatedKFold(n_splits=5, n_repeats=repeats, random_state=0).split(X)
            for k, (train, test) in enumerate(folds):
                with warnings.catch_warnings():
                    for category in (ConvergenceWarning, DataConversionWarning):
                        warnings.simplefilter("ignore", category)
                    y_train = y[train, 0] if y.shape[1] == 1 and "forest" in name else y[train]
                    model = make().fit(X[train], y_train)
                predicted[test] = model.predict(X[test]).reshape(y[test].shape)
                if k % 5 == 4:  # all samples have been predicted once
                    scores.append(score(y, predicted))
                fits += 1
            means.append(float(np.mean(scores)))
        seconds = (process_time() - begin) / fits
        row = " | ".join(f"{mean:.4f}" for mean in [*means, float(np.mean(means))])
        print(f"| {name} | {row} | {seconds:.2f} |", flush=True)


def micro_f1(y: np.ndarray, predicted: np.ndarray) -> float:
    """F1 over all labels."""
    return float(f1_score(y, predicted, average="micro"))


def functions(seeds: int = 3) -> None:
    """Print how well functions of known form are fitted: R2 on the training samples / on others."""
    print("| setting |", " | ".join(FUNCTIONS), "| seconds |")
    print("| --- |", "---: | " * (len(FUNCTIONS) + 1))
    for setting, options in SETTINGS.items():
        cells, begin = [], process_time()
        for function in FUNCTIONS.values():
            scores = []
            for seed in range(seeds):
                X, unseen = np.random.default_rng(seed).uniform(-1, 1, (2, 1000, 4))
                model = MODNRegressor(random_state=seed, **options).fit(X, function(X))
                scores.append([model.score(part, function(part)) for part in (X, unseen)])
            cells.append(" / ".join(f"{mean:.3f}" for mean in np.mean(scores, axis=0)))
        seconds = (process_time() - begin) / (seeds * len(FUNCTIONS))
        print(f"| {setting} | {' | '.join(cells)} | {seconds:.2f} |", flush=True)


def speed(rounds: int = 5) -> None:
    """Print how many times faster than plain NumPy the kernels are, by target cell."""
    rng = np.random.default_rng(0)
    N, D, M, C, S = 500, 10, 30, 3, 100
    X = rng.random((N, D))
    wanted = {
        "softmax": rng.integers(C, size=N),
        "sigmoid": rng.integers(2, size=(N, C)),
        "identity": rng.normal(size=(N, C)),
    }
    P = np.ones((M, C), dtype=bool)
    print("| target cell | loss | gradient |\n| --- | ---: | ---: |")
    for name, cell in TARGETS.items():
        y = wanted[name]
        objective = Objective(X, y, M, C, 10.0, 1.0, target=name, strengths=True)
        rows = rng.uniform(-1, 1, (S, objective.n_parameters))
        neurons = [Neuron.from_parameters(row, P, D, 10.0, 1.0, name, strengths=True) for row in rows[:5]]
        pairs = (
            (partial(objective.loss, rows, P), partial(plain_losses, cell, neurons, X, y)),
            (partial(objective.gradient, rows, P), partial(plain_gradients, neurons, X, y)),
        )
        ratios = []
        for fast, plain in pairs:
            fast()  # compile
            times = np.array([[_seconds(fast) / S, _seconds(plain) / len(neurons)] for _ in range(rounds)])
            fastest = times.min(axis=0)
            ratios.append(fastest[1] / fastest[0])
        print(f"| {name} | {ratios[0]:.0f}x | {ratios[1]:.0f}x |", flush=True)


def plain_losses(cell: Target, neurons: list[Neuron], X: np.ndarray, y: np.ndarray) -> list[float]:
    """The loss of each neuron by the readable equations."""
    return [float(cell.losses(neuron.potentials(X), y).mean()) for neuron in neurons]


def plain_gradients(neurons: list[Neuron], X: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """The gradient of each neuron by the readable equations."""
    return [gradients.exact(neuron, X, y) for neuron in neurons]


def _seconds(function: Callable[[], Any]) -> float:
    begin = process_time()
    function()
    return process_time() - begin


def main() -> None:
    """Run the comparisons."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--only", choices=["numbers", "labels", "functions", "speed"])
    parser.add_argument("--models", nargs="+", choices=[*REGRESSORS, *CLASSIFIERS], help="all by default")
    options = parser.parse_args()

    def chosen(models: Models) -> Models:
        return {name: make for name, make in models.items() if name in (options.models or models)}

    if options.only in (None, "speed"):
        speed()
    if options.only in (None, "functions"):
        functions()
    if options.only in (None, "numbers"):
        compare(chosen(REGRESSORS), numbers(), r2_score, options.repeats)
    if options.only in (None, "labels"):
        compare(chosen(CLASSIFIERS), labels(), micro_f1, options.repeats)


if __name__ == "__main__":
    main()
