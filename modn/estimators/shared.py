"""What the classifiers share: scikit-learn's conventions around a problem, a method and a neuron."""

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted
from tqdm import tqdm

from modn import methods
from modn.calibration import best_temperature, probabilities
from modn.constraints import Constraint, Flag, Integer, Number, Options, OrNone, check_all
from modn.dnm import DNM
from modn.estimators.parameters import ClassWeight, Jobs, RandomState, Solver, Verbosity
from modn.estimators.samples import merged, read_samples, read_training_set, weights_of
from modn.inputs import Inputs
from modn.methods import HeldOut, Method, Start, Training
from modn.neuron import Neuron
from modn.training import default_budget

DENDRITES_PER_CLASS = 10  # M = 10 C, as in the paper's comparison of optimizers

Array = NDArray[np.float64]


class DendriticClassifier(ClassifierMixin, BaseEstimator):
    """A classifier around a neuron; a subclass adds the problem to solve and the neuron of its solution."""

    inputs_: Inputs
    neurons_: list[Any]

    allowed: ClassVar[dict[str, Constraint]] = {
        "solver": Solver(),
        "n_dendrites": OrNone(Integer(1)),
        "alpha_s": Number(0, ends="(]"),
        "max_iter": OrNone(Integer(1)),
        "population_size": OrNone(Integer(1)),
        "solver_options": OrNone(Options()),
        "class_weight": OrNone(ClassWeight()),
        "n_estimators": Integer(1),
        "n_init": Integer(1),
        "n_jobs": OrNone(Jobs()),
        "warm_start": Flag(),
        "random_state": RandomState(),
        "verbose": Verbosity(),
    }

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on samples X (N, D) with labels y (N,) and, optionally, weights (N,).

        X is an array or a pandas data frame; texts, categories and Booleans are encoded, NaN and None are
        missing values. A sample with weight 2 counts as two equal samples, one with weight 0 is ignored. The
        order of the samples does not matter. If an error occurs, the model stays as it was.
        """
        before = self.__dict__.copy()
        try:
            return self._fit(X, y, sample_weight)
        except BaseException:
            self.__dict__ = before
            raise

    def decision_function(self, X: ArrayLike) -> Array:
        """The mean potentials of the neurons (N, C); for two classes, their difference (N,)."""
        U = self._potentials(X)
        return U[:, 1] - U[:, 0] if len(self.classes_) == 2 else U

    def predict_proba(self, X: ArrayLike) -> Array:
        """The probability of each class (N, C), in the order of `classes_`.

        These are calibrated: the softmax of the potentials at the temperature that `fit` found.
        `neuron_.predict_proba(inputs_.transform(X))` is the paper's Eq. 9.
        """
        return probabilities(self._potentials(X), self.temperature_)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The most probable class (N,) of each sample."""
        proba = self.predict_proba(X)
        return self.classes_[proba.argmax(axis=1)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    @abstractmethod
    def _problem(self, X: Array, codes: NDArray[np.int64], weights: Array, n_classes: int) -> Any:
        """What is minimised, for inputs X and classes coded as 0..C-1."""

    @abstractmethod
    def _neuron(self, trained: Training, n_inputs: int) -> Neuron | DNM:
        """The neuron with the parameters that training found."""

    @abstractmethod
    def _potentials_of(self, neuron: Any, X: Array) -> Array:
        """U (N, C) of inputs X: the softmax is taken of these."""

    @abstractmethod
    def _rescaled(self, neuron: Any, factor: float) -> Any:
        """The neuron with all potentials multiplied by a factor."""

    def _method(self, keep: int) -> Method:
        """The method that trains it."""
        return self._make_method(None, keep)

    def _first(self, problem: Any, method: Method, rng: np.random.Generator) -> Start | None:
        """Where a training begins; None: where the method itself would."""
        return None

    def _potentials(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        inputs = self.inputs_.transform(read_samples(self, X))
        return np.mean([self._potentials_of(neuron, inputs) for neuron in self.neurons_], axis=0)

    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        check_all(self.get_params(deep=False), self.allowed, f"{type(self).__name__}: ")
        continues = self.warm_start and hasattr(self, "neurons_")
        samples, labels, weights = read_training_set(self, X, y, sample_weight, reset=not continues)
        check_classification_targets(labels)
        counted = weights > 0
        classes, codes = np.unique(labels[counted], return_inverse=True)
        self._check_classes(classes, labels)
        # A warm start keeps the inputs: the neuron would not know others.
        inputs = self.inputs_ if continues else Inputs.fit(samples, self._feature_names(), weights)
        own = weights[counted] * weights_of(self.class_weight, classes, codes, weights[counted])
        encoded = inputs.transform(samples)
        rows, codes, own = merged(encoded if counted.all() else encoded[counted], codes, own)
        starts: list[Start | None] = self._starts(classes) if continues else [None] * self.n_estimators
        trainings = self._train(self._problem(rows, codes, own, len(classes)), starts)
        self.neurons_, self.temperature_ = self._calibrated(trainings, inputs, rows, codes, own)
        self.neuron_, self.inputs_, self.classes_ = self.neurons_[0], inputs, classes
        self.loss_curve_ = trainings[0].curve
        self.n_iter_ = max(1, len(self.loss_curve_) - 1)
        return self

    def _calibrated(
        self, trainings: list[Training], inputs: Inputs, X: Array, codes: NDArray[np.int64], weights: Array
    ) -> tuple[list[Any], float]:
        """The neurons that training found, and the temperature of their potentials.

        It is fitted to samples that took no part in a training, or to the training set if there are none.
        """
        neurons, temperatures = [], []
        for trained in trainings:
            neuron = self._neuron(trained, X.shape[1])
            # The weight of an input that is always 0 has no effect: 0 says so.
            neuron = replace(neuron, w_s=np.where(inputs.silent[:, None], 0.0, neuron.w_s))
            known = trained.held_out or HeldOut(self._potentials_of(neuron, X), codes, weights)
            temperatures.append(best_temperature(*known))
            # One temperature for all: the others are brought to the scale of the first.
            factor = temperatures[-1] / temperatures[0]
            neurons.append(neuron if factor == 1.0 else self._rescaled(neuron, factor))
        return neurons, temperatures[0]

    def _feature_names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{i}" for i in range(self.n_features_in_)] if names is None else [str(n) for n in names]

    def _check_classes(self, classes: NDArray[Any], labels: NDArray[Any]) -> None:
        if len(classes) < 2:
            name, only = type(self).__name__, classes.tolist()[0]
            raise ValueError(f"{name} needs samples of at least 2 classes; y has 1 class, {only!r}")

    def _starts(self, classes: NDArray[Any]) -> list[Start | None]:
        """The present neurons to continue from, and None for each that is to be added."""
        M = self._n_dendrites(len(classes))
        for what, before, now in (
            ("classes", self.classes_.tolist(), classes.tolist()),
            ("n_dendrites", self.neuron_.w_s.shape[1], M),
        ):
            if before != now:
                raise ValueError(f"warm_start: {what} is {now}; allowed: {before}, as in the fit before")
        present = [Start(neuron.parameters(), getattr(neuron, "P", None)) for neuron in self.neurons_]
        return [*present, *[None] * self.n_estimators][: self.n_estimators]

    def _train(self, problem: Any, starts: list[Start | None]) -> list[Training]:
        """A training for each start, the best of `n_init`; they do not depend on the number of jobs."""
        method = self._method(keep=1 if any(starts) else len(starts))
        if getattr(method, "keep", 1) == len(starts):  # all in one training, side by side
            starts = starts[:1]
        budget = default_budget(method) if self.max_iter is None else int(self.max_iter)
        n_trainings = len(starts) * self.n_init
        seeds = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=n_trainings)
        begins = [start for start in starts for _ in range(self.n_init)]
        steps = sum(method.work(problem, budget, begin is not None).steps for begin in begins)
        with tqdm(total=steps, desc="training", unit="step", disable=not self.verbose) as bar:

            def advance(step: int, loss: float) -> None:
                bar.set_postfix(loss=f"{loss:.4f}", refresh=False)
                bar.update()

            def train_once(seed: int, start: Start | None) -> Training:
                rng = np.random.default_rng(seed)
                first = self._first(problem, method, rng) if start is None else start
                return method.train(problem, budget, rng, advance, first)

            # Threads suffice: the compiled loss releases the interpreter's lock, and nothing is copied.
            trainings = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
                delayed(train_once)(*job) for job in zip(seeds, begins, strict=True)
            )
        rounds = [trainings[k : k + self.n_init] for k in range(0, n_trainings, self.n_init)]
        best = [min(several, key=lambda training: training.loss) for several in rounds]
        return [training for one in best for training in (one, *one.others)]

    def _make_method(self, filter: str | None, keep: int) -> Method:
        options = dict(self.solver_options or {})
        known = methods.parameters(self.solver, filter is not None)
        if self.population_size is not None:
            population = {"population": self.population_size}
            if "first" in known:  # a pair: the population is that of its first part
                population = {"first": options.get("first", {}) | population}
            options |= population
        if "keep" in known:
            options = {"keep": keep} | options
        return methods.make(self.solver, filter, **options)

    def _n_dendrites(self, n_classes: int) -> int:
        return DENDRITES_PER_CLASS * n_classes if self.n_dendrites is None else int(self.n_dendrites)
