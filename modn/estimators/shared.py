"""What the classifiers share: scikit-learn's conventions around a problem, a method and a neuron."""

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data
from tqdm import tqdm

from modn import methods
from modn.constraints import Constraint, Flag, Integer, Number, Options, OrNone, check_all
from modn.dnm import DNM
from modn.estimators.parameters import Jobs, RandomState, Solver, Verbosity
from modn.methods import Method, Start, Training
from modn.neuron import Neuron
from modn.scaling import to_unit
from modn.training import default_budget
from modn.validation import sample_weights

DENDRITES_PER_CLASS = 10  # M = 10 C, as in the paper's comparison of optimizers

Array = NDArray[np.float64]


class DendriticClassifier(ClassifierMixin, BaseEstimator):
    """A classifier around a neuron; a subclass adds the problem to solve and the neuron of its solution."""

    allowed: ClassVar[dict[str, Constraint]] = {
        "solver": Solver(),
        "n_dendrites": OrNone(Integer(1)),
        "alpha_s": Number(0, ends="(]"),
        "max_iter": OrNone(Integer(1)),
        "population_size": OrNone(Integer(1)),
        "solver_options": OrNone(Options()),
        "n_init": Integer(1),
        "n_jobs": OrNone(Jobs()),
        "warm_start": Flag(),
        "random_state": RandomState(),
        "verbose": Verbosity(),
    }

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on samples X (N, D) with labels y (N,) and, optionally, weights (N,).

        A sample with weight 2 counts as two equal samples, one with weight 0 is ignored. The order of the
        samples does not matter. If an error occurs, the model stays as it was.
        """
        before = self.__dict__.copy()
        try:
            return self._fit(X, y, sample_weight)
        except BaseException:
            self.__dict__ = before
            raise

    def predict_proba(self, X: ArrayLike) -> Array:
        """The probability of each class (N, C), in the order of `classes_`."""
        check_is_fitted(self)
        samples = validate_data(self, X, dtype=np.float64, reset=False)
        return self.neuron_.predict_proba(to_unit(samples, self.data_min_, self.data_max_))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The most probable class (N,) of each sample."""
        proba = self.predict_proba(X)
        return self.classes_[proba.argmax(axis=1)]

    @abstractmethod
    def _problem(self, X: Array, codes: NDArray[np.int64], weights: Array, n_classes: int) -> Any:
        """What is minimised, for scaled samples X and classes coded as 0..C-1."""

    @abstractmethod
    def _neuron(self, trained: Training) -> Neuron | DNM:
        """The neuron with the parameters that training found."""

    def _method(self) -> Method:
        """The method that trains it."""
        return self._make_method(filter=None)

    def _first(self, problem: Any, method: Method, rng: np.random.Generator) -> Start | None:
        """Where a training begins; None: where the method itself would."""
        return None

    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        check_all(self.get_params(deep=False), self.allowed, f"{type(self).__name__}: ")
        continues = self.warm_start and hasattr(self, "neuron_")
        samples, labels = validate_data(self, X, y, dtype=np.float64, reset=not continues)
        check_classification_targets(labels)
        given = sample_weights("sample_weight", sample_weight, len(samples))
        weights = np.ones(len(samples)) if given is None else given
        samples, labels, weights = samples[weights > 0], labels[weights > 0], weights[weights > 0]
        classes, codes = np.unique(labels, return_inverse=True)
        self._check_classes(classes, labels)
        low, high = samples.min(axis=0), samples.max(axis=0)
        problem = self._problem(*_merged(to_unit(samples, low, high), codes, weights), len(classes))
        trained = self._train(problem, self._warm_start(classes, low, high) if continues else None)
        neuron = self._neuron(trained)
        # The scaled value of a constant feature is 0, so its w_s has no effect: 0 says so.
        self.neuron_ = replace(neuron, w_s=np.where((low == high)[:, None], 0.0, neuron.w_s))
        self.classes_, self.data_min_, self.data_max_ = classes, low, high
        self.loss_curve_ = trained.curve
        self.n_iter_ = max(1, len(trained.curve) - 1)
        return self

    def _check_classes(self, classes: NDArray[Any], labels: NDArray[Any]) -> None:
        if len(classes) < 2:
            name, only = type(self).__name__, classes.tolist()[0]
            raise ValueError(f"{name} needs samples of at least 2 classes; y has 1 class, {only!r}")

    def _warm_start(self, classes: NDArray[Any], low: Array, high: Array) -> Start:
        """The present neuron, for features that are scaled by the range [low, high]."""
        neuron, M = self.neuron_, self._n_dendrites(len(classes))
        for what, before, now in (
            ("classes", self.classes_.tolist(), classes.tolist()),
            ("n_dendrites", neuron.w_s.shape[1], M),
        ):
            if before != now:
                raise ValueError(f"warm_start: {what} is {now}; allowed: {before}, as in the fit before")
        width = np.where(self.data_max_ > self.data_min_, self.data_max_ - self.data_min_, 1.0)
        w_s = neuron.w_s * ((high - low) / width)[:, None]
        theta_s = neuron.theta_s - neuron.w_s * ((low - self.data_min_) / width)[:, None]
        moved = replace(neuron, w_s=w_s, theta_s=theta_s)
        return Start(moved.parameters(), getattr(neuron, "P", None))

    def _train(self, problem: Any, start: Start | None) -> Training:
        """The best of `n_init` independent trainings; it does not depend on the number of jobs."""
        method = self._method()
        budget = default_budget(method) if self.max_iter is None else int(self.max_iter)
        seeds = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=self.n_init)
        steps = method.work(problem, budget, start is not None).steps * len(seeds)
        with tqdm(total=steps, desc="training", unit="step", disable=not self.verbose) as bar:

            def advance(step: int, loss: float) -> None:
                bar.set_postfix(loss=f"{loss:.4f}", refresh=False)
                bar.update()

            def train_once(seed: int) -> Training:
                rng = np.random.default_rng(seed)
                first = self._first(problem, method, rng) if start is None else start
                return method.train(problem, budget, rng, advance, first)

            # Threads suffice: the compiled loss releases the interpreter's lock, and nothing is copied.
            trainings = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
                delayed(train_once)(seed) for seed in seeds
            )
        return min(trainings, key=lambda training: training.loss)

    def _make_method(self, filter: str | None) -> Method:
        options = dict(self.solver_options or {})
        if self.population_size is not None:
            population = {"population": self.population_size}
            if "first" in methods.parameters(self.solver):  # a pair: the population is that of its first part
                population = {"first": options.get("first", {}) | population}
            options |= population
        return methods.make(self.solver, filter, **options)

    def _n_dendrites(self, n_classes: int) -> int:
        return DENDRITES_PER_CLASS * n_classes if self.n_dendrites is None else int(self.n_dendrites)


def _merged(X: Array, codes: NDArray[np.int64], weights: Array) -> tuple[Array, NDArray[np.int64], Array]:
    """The distinct samples, sorted, each with the sum of its weights: a weight of 2 equals two copies."""
    rows, row_of = np.unique(np.column_stack([X, codes]), axis=0, return_inverse=True)
    merged = np.bincount(row_of.ravel(), weights).astype(np.float64)
    return rows[:, :-1], rows[:, -1].astype(np.int64), merged
