"""The cross-validations that a search asks for: folds of a training part, and the trainings on them."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from modn.folds import stratified_folds
from stages.config.schema import Parameters
from stages.io.entrypoint import StageError
from stages.io.work import Work
from stages.study import families, seeding
from stages.study.cells import TUNING, candidate, training_of
from stages.study.searching import Search, Trial

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """The search of one method on one dataset; X (N, D) and y (N,) are the training part."""

    parameters: Parameters
    model: str
    optimizer: str
    dataset: str
    n_classes: int
    X: np.ndarray
    y: np.ndarray

    def new_search(self) -> Search:
        """A search whose candidates suit the model and the number of classes."""
        block = self.parameters.models[self.model]
        family = families.get(block["family"])
        seed = self._rng(0, self.dataset, self.model, self.optimizer).integers(2**31)
        return Search(
            self.parameters.tune, family.tuned, family.multiple_of(block, self.n_classes), int(seed)
        )

    def add_trainings(self, search: Search, work: Work) -> None:
        """Add the trainings of the next repeat of each candidate that is at work."""
        for trial in search.at_work():
            repeat = len(trial.accuracies)
            cell = candidate(
                self.parameters, self.model, self.optimizer, self.dataset, self.n_classes, trial.values
            )
            for fold in range(self.parameters.tune.folds):
                seed = self.parameters.seed + repeat * self.parameters.tune.folds + fold
                held_out = self.folds(repeat) == fold
                task = (cell, *training_of(self.parameters, cell), seed, self.X, self.y, held_out)
                work.add(self._name(trial, repeat, fold), self.dataset, self.dataset, task)

    def tell(self, search: Search, work: Work) -> None:
        """Tell a search the accuracies of those trainings."""
        search.tell(
            {
                trial.number: [
                    float(arrays["acc"]) for arrays in self._results(trial, len(trial.accuracies), work)
                ]
                for trial in search.at_work()
            }
        )

    def trials(self, search: Search, work: Work) -> Arrays:
        """All candidates of a search, their accuracies, and the models of their first repeat.

        `acc` (T, R, K): by trial, repeat and fold; NaN: pruned before. `best`: the number of the chosen one.
        A model's array `name` is `<trial>/<fold>/<name>`.
        """
        shape = (len(search.trials), self.parameters.tune.repeats, self.parameters.tune.folds)
        found: Arrays = {"acc": np.full(shape, np.nan), "best": np.array(search.best().number)}
        found |= {
            name: np.array([trial.values[name] for trial in search.trials])
            for name in search.trials[0].values
        }
        for trial in search.trials:
            found["acc"][trial.number, : len(trial.accuracies)] = trial.accuracies
            for fold, arrays in enumerate(self._results(trial, 0, work)):
                found |= {
                    f"{trial.number}/{fold}/{name}": values
                    for name, values in arrays.items()
                    if name != "acc"
                }
        return found

    @cache  # noqa: B019 - as short-lived as the stage
    def folds(self, repeat: int) -> np.ndarray:
        """The fold (N,) of each row, the same for all methods; -1: never held out."""
        n_folds = self.parameters.tune.folds
        folds = stratified_folds(self.y, n_folds, self._rng(repeat, self.dataset))
        most = int((folds >= 0).sum())
        if most < n_folds:
            allowed = f"2 to {most}, since so many rows of {self.dataset} can be held out"
            raise StageError(f"tune.folds is {n_folds}; allowed: {allowed}")
        return folds

    def _rng(self, number: int, *name: str) -> np.random.Generator:
        return seeding.generator(self.parameters.seed + number, TUNING, *name)

    def _results(self, trial: Trial, repeat: int, work: Work) -> list[Arrays]:
        names = [self._name(trial, repeat, fold) for fold in range(self.parameters.tune.folds)]
        return [work.results[name].arrays for name in names]

    def _name(self, trial: Trial, repeat: int, fold: int) -> str:
        """The name of a candidate, by its values: one that is proposed twice is trained once."""
        values: dict[str, Any] = trial.values
        point = " ".join(f"{name}={value:g}" for name, value in values.items())
        return f"{TUNING}/{self.model}-{self.optimizer}/{self.dataset} {point}, repeat {repeat}, fold {fold}"
