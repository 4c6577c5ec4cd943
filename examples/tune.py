"""A search for dendrites and scaling factors by cross-validation, with Optuna, which prunes what lags behind.

pip install "modn[tune]"
python examples/tune.py
"""

import optuna
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold, train_test_split

from modn import MODNClassifier

X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X_train, y_train))


def model(parameters: dict[str, float]) -> MODNClassifier:
    """A classifier with the values of a candidate."""
    return MODNClassifier(max_iter=100, random_state=0, **parameters)


def accuracy(trial: optuna.Trial) -> float:
    """The mean accuracy over the folds."""
    candidate = model(
        {
            "n_dendrites": trial.suggest_int("n_dendrites", 4, 40, log=True),
            "alpha_s": trial.suggest_float("alpha_s", 1, 20, log=True),
            "alpha_t": trial.suggest_float("alpha_t", 0.1, 2, log=True),
        }
    )
    total = 0.0
    for done, (train, held_out) in enumerate(folds, start=1):
        fitted = clone(candidate).fit(X_train[train], y_train[train])
        total += fitted.score(X_train[held_out], y_train[held_out])
        trial.report(total / done, step=done)
        if trial.should_prune():
            raise optuna.TrialPruned
    return total / len(folds)


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(
    direction="maximize",
    sampler=optuna.samplers.TPESampler(seed=0),
    pruner=optuna.pruners.MedianPruner(n_startup_trials=3),
)
study.optimize(accuracy, n_trials=12)
pruned = sum(trial.state == optuna.trial.TrialState.PRUNED for trial in study.trials)
print(f"{len(study.trials)} candidates, {pruned} of them pruned")
print(f"the best: {study.best_params}, {study.best_value:.3f} in cross-validation")
best = model(study.best_params).fit(X_train, y_train)
print(f"on {len(y_test)} wines it has not seen: {best.score(X_test, y_test):.3f}")
