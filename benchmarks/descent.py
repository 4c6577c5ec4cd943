"""What makes MODN learn by gradients: the parts of `modn.methods.descent` left out or changed, one at a time.

    dvc repro resplit && python -m benchmarks.descent [--resplits 2] [--only TEXT]

Accuracy by 3-fold cross-validation within the training parts of the first resplits; the defaults of `adam`
were chosen by such tables. No row is seen that is a test row of the same resplit; it may be one of another.
Mean over the datasets, and CPU seconds per fit.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any
from unittest.mock import patch

import numpy as np
from joblib import Parallel, delayed
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from benchmarks.training import ROOT
from modn import filters, methods, optimizers
from modn.fast.objective import Objective
from modn.neuron import Neuron

FOLDS = 3
ALPHAS = 10.0, 1.0  # the comparison's

Fit = Callable[[np.ndarray, np.ndarray, int, int], Any]  # X, y, n_classes, seed -> something that predicts


def by(solver: str, filter: str = "learned", per_class: int = 10, **parameters: Any) -> Fit:
    """MODN trained by a solver."""

    def fit(X: np.ndarray, y: np.ndarray, n_classes: int, seed: int) -> Neuron:
        objective = Objective(X, y, per_class * n_classes, n_classes, *ALPHAS)
        method = methods.make(solver, filter, **parameters)
        problem = methods.neuron_problem(objective, filter)
        found = method.train(problem, method.iterations or 300, np.random.default_rng(seed))
        return Neuron.from_parameters(found.parameters, np.asarray(found.P), X.shape[1], *ALPHAS)

    return fit


def plain_adam(X: np.ndarray, y: np.ndarray, n_classes: int, seed: int) -> Neuron:
    """Adam on Eq. 10 itself, from the authors' initial box, on MODNP."""
    objective = Objective(X, y, 10 * n_classes, n_classes, *ALPHAS)
    P = filters.partition(10 * n_classes, n_classes)
    problem = methods.FixedFilter(objective, P)
    found = methods.Search(optimizers.make("adam")).train(problem, 500, np.random.default_rng(seed))
    return Neuron.from_parameters(found.parameters, P, X.shape[1], *ALPHAS)


def untempered(X: np.ndarray, y: np.ndarray, n_classes: int, seed: int) -> Neuron:
    """The decay chosen by the plain loss, overconfidence included."""
    with patch("modn.targets.TEMPERATURES", np.ones(1)):
        return by("adam")(X, y, n_classes, seed)


def of(classifier: Callable[[int], Any]) -> Fit:
    """Another library's, at its defaults."""
    return lambda X, y, n_classes, seed: classifier(seed).fit(X, y)


VARIANTS: dict[str, Fit] = {
    "adam": by("adam"),
    "decay by the plain loss": untempered,
    **{f"decay fixed at {decay:g}": by("adam", decays=(decay,)) for decay in (0.0, 0.001, 0.01, 0.03, 0.1)},
    "P fixed: partition (MODNP)": by("adam", "partition"),
    "P fixed: full (MODNF)": by("adam", "full"),
    "P relaxed for 9 of 10 steps": by("adam", filter_share=0.9),
    "opening 0.5": by("adam", opening=0.5),
    "opening 0.9": by("adam", opening=0.9),
    "slope 0.3": by("adam", slope=0.3),
    "slope 3": by("adam", slope=3.0),
    "learning rate 0.02": by("adam", learning_rate=0.02),
    "learning rate 0.1": by("adam", learning_rate=0.1),
    "200 steps": by("adam", iterations=200),
    "1000 steps": by("adam", iterations=1000),
    "best of 4 descents": by("adam", population=4),
    "5 dendrites per class": by("adam", per_class=5),
    "20 dendrites per class": by("adam", per_class=20),
    "plain Adam on Eq. 10 (MODNP)": plain_adam,
    "BP, exact gradient (MODNP)": by("bp", "partition", gradient="exact"),
    "BP, printed gradient (MODNP)": by("bp", "partition", gradient="published"),
    "BBO": by("bbo"),
    "BBO+Adam": by("bbo+adam"),
    "random forest": of(lambda seed: RandomForestClassifier(random_state=seed)),
    "SVM (RBF)": of(lambda seed: SVC()),
    "logistic regression": of(lambda seed: LogisticRegression(max_iter=1000)),
}


def judge(fit: Fit, X: np.ndarray, y: np.ndarray, resplit: int) -> tuple[float, float]:
    """Mean accuracy over the folds, and CPU seconds of a fit."""
    right, spent = [], []
    n_classes = int(y.max()) + 1
    with threadpool_limits(limits=1):
        for fold, (seen, unseen) in enumerate(
            StratifiedKFold(FOLDS, shuffle=True, random_state=resplit).split(X, y)
        ):
            begin = process_time()
            model = fit(X[seen], y[seen], n_classes, 1000 * resplit + fold)
            spent.append(process_time() - begin)
            is_neuron = isinstance(model, Neuron)
            predictions = (
                model.predict_proba(X[unseen]).argmax(axis=1) if is_neuron else model.predict(X[unseen])
            )
            right.append(np.mean(predictions == y[unseen]))
    return float(np.mean(right)), float(np.mean(spent))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--resplits", type=int, default=2)
    parser.add_argument("--only", default="", help="variants whose name contains this")
    arguments = parser.parse_args()
    paths: list[Path] = sorted((ROOT / "data/resplits").glob("*.npz"))
    if not paths:
        parser.error("data/resplits is empty; make it by: dvc repro resplit")
    parts = {path.stem: np.load(path, allow_pickle=False) for path in paths}
    print(f"{'':<30} mean   seconds  " + " ".join(f"{name[:5]:<5}" for name in parts))
    with Parallel(n_jobs=-1) as pool:
        for name in VARIANTS:
            if arguments.only not in name:
                continue
            tasks = [
                (arrays["X_train"][k], arrays["y_train"][k], k)
                for arrays in parts.values()
                for k in range(arguments.resplits)
            ]
            judged = np.array(pool(delayed(judge_named)(name, *task) for task in tasks))
            each, seconds = judged.reshape(len(parts), arguments.resplits, 2).mean(axis=1).T
            row = " ".join(f"{accuracy:.3f}" for accuracy in each)
            print(f"{name:<30} {each.mean():.4f} {seconds.mean():6.2f}  {row}", flush=True)


def judge_named(name: str, X: np.ndarray, y: np.ndarray, resplit: int) -> tuple[float, float]:
    """`judge`, for another process: names travel, closures do not."""
    return judge(VARIANTS[name], X, y, resplit)


if __name__ == "__main__":
    main()
