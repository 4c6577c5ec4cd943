"""The search for a dataset's values of M, alpha_s and alpha_t: Optuna proposes, cross-validation judges.

Optuna's tree-structured Parzen estimator (TPE) proposes candidates in batches of a fixed size, so nothing
depends on the number of workers. A batch is cross-validated once; candidates below the median are pruned, the
others are cross-validated again with other folds and seeds. The highest mean accuracy is chosen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, nan
from typing import Any

import numpy as np

from stages.config.schema import Tune
from stages.io.entrypoint import StageError

DIGITS = 2  # of an alpha: more would only look exact


@dataclass
class Trial:
    """A candidate, and what it reached: `accuracies` has a row per repeat, a column per fold."""

    number: int
    values: dict[str, Any]  # dendrites, and those of alpha_s and alpha_t that the model has
    accuracies: list[list[float]] = field(default_factory=list)

    @property
    def accuracy(self) -> float:
        """The mean of all folds so far."""
        return float(np.mean(self.accuracies)) if self.accuracies else nan


class Search:
    """A search on one dataset; `names`: what is tuned; M is a multiple of `multiple_of`."""

    def __init__(self, tune: Tune, names: Sequence[str], multiple_of: int, seed: int) -> None:
        low, high = tune.dendrites
        self.multiples = (ceil(low / multiple_of), high // multiple_of)
        if self.multiples[0] > self.multiples[1]:
            allowed = f"a range with a multiple of {multiple_of}, the number of classes"
            raise StageError(f"tune.dendrites is {list(tune.dendrites)}; allowed: {allowed}")
        self.tune, self.names, self.multiple_of = tune, names, multiple_of
        self.optuna = _optuna()
        self.study = self.optuna.create_study(
            direction="maximize",
            sampler=self.optuna.samplers.TPESampler(seed=seed),
            pruner=self.optuna.pruners.MedianPruner(),
        )
        self.trials: list[Trial] = []
        self.running: dict[int, Any] = {}  # Optuna's trials by number, until they are complete or pruned

    def ask(self, count: int) -> None:
        """Propose new candidates, which run from now on."""
        for _ in range(count):
            proposed = self.study.ask()
            self.running[proposed.number] = proposed
            self.trials.append(Trial(proposed.number, self._values(proposed)))

    def at_work(self) -> list[Trial]:
        """The candidates to be cross-validated next."""
        return [self.trials[number] for number in self.running]

    def tell(self, accuracies: Mapping[int, list[float]]) -> None:
        """The accuracies of one more repeat by trial; what is complete or pruned does not run any longer."""
        for number, of_folds in accuracies.items():
            trial = self.trials[number]
            trial.accuracies.append(of_folds)
            self.running[number].report(trial.accuracy, step=len(trial.accuracies))
        for number, proposed in list(self.running.items()):
            trial = self.trials[number]
            if len(trial.accuracies) == self.tune.repeats:
                self.study.tell(proposed, trial.accuracy)
            elif proposed.should_prune():
                self.study.tell(proposed, state=self.optuna.trial.TrialState.PRUNED)
            else:
                continue
            del self.running[number]

    def best(self) -> Trial:
        """The complete trial with the highest accuracy; the first of equals."""
        complete = [trial for trial in self.trials if len(trial.accuracies) == self.tune.repeats]
        return max(complete, key=lambda trial: trial.accuracy)

    def _values(self, proposed: Any) -> dict[str, Any]:
        multiple = proposed.suggest_int("multiple", *self.multiples, log=True)
        values: dict[str, Any] = {"dendrites": multiple * self.multiple_of}
        for name in self.names:
            if name != "dendrites":
                low, high = getattr(self.tune, name)
                rounded = float(f"{proposed.suggest_float(name, low, high, log=True):.{DIGITS}g}")
                values[name] = min(max(rounded, low), high)
        return values


def _optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise StageError("tune needs Optuna: pip install 'modn[tune]'") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
