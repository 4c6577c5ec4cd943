"""What the classifiers share: what scikit-learn expects around a neuron, its problem and its method."""

from abc import abstractmethod
from dataclasses import replace
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data
from tqdm import tqdm

from modn import methods
from modn.dnm import DNM
from modn.methods import Method, Start, Training
from modn.neuron import Neuron
from modn.scaling import to_unit
from modn.validation import positive_integer, sample_weights

DENDRITES_PER_CLASS = 10  # M = 10 C, as in the paper's comparison of optimizers
HEURISTIC_ITERATIONS = 300  # of a solver without a budget of its own; the paper's for small datasets

Array = NDArray[np.float64]


class DendriticClassifier(ClassifierMixin, BaseEstimator):
    """What both classifiers share: all but the objective and the neuron made of its best parameters."""

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on samples X (N, D) with labels y (N,) and, where given, weights (N,).

        A weight of 2 is the sample twice, a weight of 0 is none; the order of the samples does not matter.
        A fit that fails leaves the model as it was.
        """
        before = self.__dict__.copy()
        try:
            return self._fit(X, y, sample_weight)
        except BaseException:
            self.__dict__ = before
            raise

    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        go_on = self.warm_start and hasattr(self, "neuron_")
        samples, labels = validate_data(self, X, y, dtype=np.float64, reset=not go_on)
        check_classification_targets(labels)
        given = sample_weights("sample_weight", sample_weight, len(samples))
        weights = np.ones(len(samples)) if given is None else given
        samples, labels, weights = samples[weights > 0], labels[weights > 0], weights[weights > 0]
        classes, codes = np.unique(labels, return_inverse=True)
        self._check_classes(classes, labels)
        low, high = samples.min(axis=0), samples.max(axis=0)
        problem = self._problem(*_merged(to_unit(samples, low, high), codes, weights), len(classes))
        trained = self._train(problem, self._start(classes, low, high) if go_on else None)
        neuron = self._neuron(trained)
        # The input of a constant feature is 0, so that its w_s is as it was drawn: 0 says the same.
        self.neuron_ = replace(neuron, w_s=np.where((low == high)[:, None], 0.0, neuron.w_s))
        self.classes_, self.data_min_, self.data_max_ = classes, low, high
        self.loss_curve_ = trained.curve
        self.n_iter_ = max(1, len(trained.curve) - 1)
        return self

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
        """What is minimised."""

    @abstractmethod
    def _neuron(self, trained: Training) -> Neuron | DNM:
        """The neuron that training found."""

    @property
    def _filter(self) -> str | None:
        return None

    def _check_classes(self, classes: NDArray[Any], labels: NDArray[Any]) -> None:
        if len(classes) < 2:
            name, only = type(self).__name__, classes.tolist()[0]
            raise ValueError(f"{name} needs samples of at least 2 classes; y has 1 class, {only!r}")

    def _start(self, classes: NDArray[Any], low: Array, high: Array) -> Start:
        """The neuron of the fit before, for features scaled by the range of other data."""
        neuron, M = self.neuron_, self._n_dendrites(len(classes))
        for what, before, now in (
            ("classes", self.classes_.tolist(), classes.tolist()),
            ("n_dendrites", neuron.w_s.shape[1], M),
        ):
            if before != now:
                raise ValueError(f"warm_start needs the {what} of the fit before, {before}; now it is {now}")
        width = np.where(self.data_max_ > self.data_min_, self.data_max_ - self.data_min_, 1.0)
        w_s = neuron.w_s * ((high - low) / width)[:, None]
        theta_s = neuron.theta_s - neuron.w_s * ((low - self.data_min_) / width)[:, None]
        moved = replace(neuron, w_s=w_s, theta_s=theta_s)
        return Start(moved.parameters(), getattr(neuron, "P", None))

    def _train(self, problem: Any, start: Start | None) -> Training:
        """The best of `n_init` independent trainings; the number of jobs makes no difference to it."""
        method = self._method()
        budget = self._budget(method)
        random_state = check_random_state(self.random_state)
        seeds = random_state.randint(np.iinfo(np.int32).max, size=positive_integer("n_init", self.n_init))
        steps = method.work(problem, budget, start is not None).steps * len(seeds)
        with tqdm(total=steps, desc="training", unit="step", disable=not self.verbose) as bar:

            def advance(step: int, loss: float) -> None:
                bar.set_postfix(loss=f"{loss:.4f}", refresh=False)
                bar.update()

            def train_once(seed: int) -> Training:
                rng = np.random.default_rng(seed)
                first = self._first(problem, method, rng) if start is None else start
                return method.train(problem, budget, rng, advance, first)

            # Threads: the compiled loss releases the interpreter, and nothing has to be copied.
            trainings = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
                delayed(train_once)(seed) for seed in seeds
            )
        return min(trainings, key=lambda training: training.loss)

    def _method(self) -> Method:
        options = dict(self.solver_options or {})
        if self.population_size is not None:
            parameters = methods.parameters(self.solver)
            of_first = {"population": self.population_size}
            options |= {"first": options.get("first", {}) | of_first} if "first" in parameters else of_first
        return methods.make(self.solver, self._filter, **options)

    def _first(self, problem: Any, method: Method, rng: np.random.Generator) -> Start | None:
        """Where to begin, if not where the method itself would."""
        return None

    def _budget(self, method: Method) -> int:
        if self.max_iter is not None:
            return positive_integer("max_iter", self.max_iter)
        return HEURISTIC_ITERATIONS if method.iterations is None else method.iterations

    def _n_dendrites(self, n_classes: int) -> int:
        if self.n_dendrites is None:
            return DENDRITES_PER_CLASS * n_classes
        return positive_integer("n_dendrites", self.n_dendrites)


def _merged(X: Array, codes: NDArray[np.int64], weights: Array) -> tuple[Array, NDArray[np.int64], Array]:
    """The distinct samples in one order, equal ones merged: nothing later can tell a weight from copies."""
    rows, row_of = np.unique(np.column_stack([X, codes]), axis=0, return_inverse=True)
    merged = np.bincount(row_of.ravel(), weights).astype(np.float64)
    return rows[:, :-1], rows[:, -1].astype(np.int64), merged
