"""MODN and DNM as scikit-learn classifiers: scaling inside, any labels, `fit`, `predict`, `predict_proba`.

The neurons, their loss and their training are those of the rest of the package; here is what scikit-learn
expects around them.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data
from tqdm import tqdm

from modn import optimizers
from modn.dnm import DNM, DNMObjective
from modn.neuron import Neuron
from modn.objective import Objective
from modn.scaling import to_unit
from modn.training import Callback, Schedule, Training, n_callbacks, train
from modn.validation import positive_integer, sample_weights

DENDRITES_PER_CLASS = 10  # M = 10 C, as in the paper's comparison of optimizers
HEURISTIC_ITERATIONS = 300  # of a solver without a budget of its own; the paper's for small tables

Array = NDArray[np.float64]
Start = tuple[Array, NDArray[np.bool_] | None]  # parameters and P to go on from


class _DendriticClassifier(ClassifierMixin, BaseEstimator):
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
        objective = self._objective(*_merged(to_unit(samples, low, high), codes, weights), len(classes))
        trained = self._train(objective, self._start(classes, low, high) if go_on else None)
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
    def _objective(
        self, X: Array, codes: NDArray[np.int64], weights: Array, n_classes: int
    ) -> Objective | DNMObjective: ...

    @abstractmethod
    def _neuron(self, trained: Training) -> Neuron | DNM: ...

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
        return replace(neuron, w_s=w_s, theta_s=theta_s).parameters(), getattr(neuron, "P", None)

    def _train(
        self,
        objective: Objective | DNMObjective,
        start: Start | None,
    ) -> Training:
        """The best of `n_init` independent trainings; the number of jobs makes no difference to it."""
        chosen = {} if self.population_size is None else {"population": self.population_size}
        optimizer = optimizers.make(self.solver, **(dict(self.solver_options or {}) | chosen))
        random_state = check_random_state(self.random_state)
        seeds = random_state.randint(np.iinfo(np.int32).max, size=positive_integer("n_init", self.n_init))
        calls = n_callbacks(optimizer, Schedule(self._iterations(optimizer)), self._filter, start is not None)
        bar = tqdm(total=calls * len(seeds), desc="training", unit="step", disable=not self.verbose)
        with bar:

            def advance(iteration: int, loss: float) -> None:
                bar.set_postfix(loss=f"{loss:.4f}", refresh=False)
                bar.update()

            # Threads: the compiled loss releases the interpreter, and nothing has to be copied.
            trainings = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
                delayed(self._train_once)(objective, optimizer, np.random.default_rng(seed), advance, start)
                for seed in seeds
            )
        return min(trainings, key=lambda training: training.loss)

    def _train_once(
        self,
        objective: Any,
        optimizer: optimizers.Optimizer,
        rng: np.random.Generator,
        advance: Callback,
        start: Start | None,
    ) -> Training:
        return train(
            objective, optimizer, Schedule(self._iterations(optimizer)), rng, self._filter, advance, start
        )

    def _iterations(self, optimizer: optimizers.Optimizer) -> int:
        if self.max_iter is not None:
            return positive_integer("max_iter", self.max_iter)
        return HEURISTIC_ITERATIONS if optimizer.iterations is None else optimizer.iterations

    def _n_dendrites(self, n_classes: int) -> int:
        if self.n_dendrites is None:
            return DENDRITES_PER_CLASS * n_classes
        return positive_integer("n_dendrites", self.n_dendrites)


def _merged(X: Array, codes: NDArray[np.int64], weights: Array) -> tuple[Array, NDArray[np.int64], Array]:
    """The distinct samples in one order, equal ones merged: nothing later can tell a weight from copies."""
    rows, row_of = np.unique(np.column_stack([X, codes]), axis=0, return_inverse=True)
    merged = np.bincount(row_of.ravel(), weights).astype(np.float64)
    return rows[:, :-1], rows[:, -1].astype(np.int64), merged


class MODNClassifier(_DendriticClassifier):
    """The multi-in and multi-out dendritic neuron (Eqs. 1, 2, 5, 8, 9) as a classifier.

    Parameters
    ----------
    filter : {"learned", "partition", "full"}
        The preference filter P: learnt (MODN), or given beforehand (MODNP, MODNF).
    solver : str
        What trains it, by its name in `modn.optimizers`: "adam" follows the exact gradient; "bbo", "ga",
        "pso", "pbil" and "es" are the paper's heuristics, "bbo+adam" is both.
    n_dendrites : int, optional
        M; by default ten for each class. A partition needs a multiple of the number of classes.
    alpha_s, alpha_t : float
        Scaling factors of the synapses and of the telodendra.
    max_iter : int, optional
        Iterations on the parameters; by default the solver's own budget, 300 for the heuristics.
    population_size : int, optional
        Individuals, or descents, side by side; by default the solver's own.
    solver_options : mapping, optional
        Further parameters of the solver, say {"learning_rate": 0.01}.
    n_init : int
        Independent trainings from different seeds; the one with the lowest training loss is kept.
    n_jobs : int, optional
        How many of them run at the same time, as in scikit-learn; the result does not depend on it.
    warm_start : bool
        Begin a further `fit` at the neuron of the one before; classes and n_dendrites must be the same.
    random_state : int, RandomState or None
        Of an int the result is a function.
    verbose : bool
        Show a progress bar on the standard error stream.

    Attributes
    ----------
    neuron_ : modn.Neuron
        The trained neuron; its inputs are the features scaled to [0, 1].
    classes_ : ndarray (C,)
        The labels, sorted.
    data_min_, data_max_ : ndarray (D,)
        The training data's range, by which features are scaled; values beyond it are clipped.
    loss_curve_ : ndarray
        The best training loss so far, after each iteration of the last `fit`.
    n_iter_ : int
        Iterations done.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from modn import MODNClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MODNClassifier(random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    >>> model.predict_proba(X).shape
    (150, 3)
    >>> model.neuron_.synapse_states().shape
    (4, 30)
    """

    def __init__(
        self,
        filter: str = "learned",
        solver: str = "adam",
        n_dendrites: int | None = None,
        alpha_s: float = 10.0,
        alpha_t: float = 1.0,
        max_iter: int | None = None,
        population_size: int | None = None,
        solver_options: Mapping[str, Any] | None = None,
        n_init: int = 1,
        n_jobs: int | None = None,
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
        verbose: bool = False,
    ) -> None:
        self.filter = filter
        self.solver = solver
        self.n_dendrites = n_dendrites
        self.alpha_s = alpha_s
        self.alpha_t = alpha_t
        self.max_iter = max_iter
        self.population_size = population_size
        self.solver_options = solver_options
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    @property
    def _filter(self) -> str:
        return self.filter

    def _objective(self, X: Array, codes: NDArray[np.int64], weights: Array, n_classes: int) -> Objective:
        M = self._n_dendrites(n_classes)
        return Objective(X, codes, M, n_classes, self.alpha_s, self.alpha_t, sample_weight=weights)

    def _neuron(self, trained: Training) -> Neuron:
        return Neuron.from_parameters(
            trained.parameters, np.asarray(trained.P), self.n_features_in_, self.alpha_s, self.alpha_t
        )


class DNMClassifier(_DendriticClassifier):
    """The dendritic neuron model (Eqs. 1-4) as a classifier of two classes.

    Parameters
    ----------
    alpha_s, alpha_o, theta_o : float
        Scaling factors of the synapses and of the soma, and the soma's threshold (Eqs. 1, 4). By default
        among the best of a cross-validation on the training parts of the paper's five binary tables.

    The other parameters and the attributes are those of `MODNClassifier`; `neuron_` is a `modn.dnm.DNM`.

    Examples
    --------
    >>> import numpy as np
    >>> from modn import DNMClassifier
    >>> X = np.random.default_rng(0).random((200, 2))
    >>> y = np.where((X[:, 0] > 0.5) & (X[:, 1] < 0.7), "inside", "outside")
    >>> DNMClassifier(random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        solver: str = "adam",
        n_dendrites: int | None = None,
        alpha_s: float = 2.0,
        alpha_o: float = 3.0,
        theta_o: float = 0.5,
        max_iter: int | None = None,
        population_size: int | None = None,
        solver_options: Mapping[str, Any] | None = None,
        n_init: int = 1,
        n_jobs: int | None = None,
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
        verbose: bool = False,
    ) -> None:
        self.solver = solver
        self.n_dendrites = n_dendrites
        self.alpha_s = alpha_s
        self.alpha_o = alpha_o
        self.theta_o = theta_o
        self.max_iter = max_iter
        self.population_size = population_size
        self.solver_options = solver_options
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _check_classes(self, classes: NDArray[Any], labels: NDArray[Any]) -> None:
        super()._check_classes(classes, labels)
        if len(classes) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(labels)}; it has {len(classes)} classes. MODNClassifier takes any number."
            )

    def _objective(self, X: Array, codes: NDArray[np.int64], weights: Array, n_classes: int) -> DNMObjective:
        M = self._n_dendrites(n_classes)
        return DNMObjective(X, codes, M, self.alpha_s, self.alpha_o, self.theta_o, sample_weight=weights)

    def _train_once(
        self,
        objective: DNMObjective,
        optimizer: optimizers.Optimizer,
        rng: np.random.Generator,
        advance: Callback,
        start: Start | None,
    ) -> Training:
        if start is None and optimizer.uses_gradient:
            start = objective.draw_open(rng), None
        return super()._train_once(objective, optimizer, rng, advance, start)

    def _neuron(self, trained: Training) -> DNM:
        return DNM.from_parameters(
            trained.parameters, self.n_features_in_, self.alpha_s, self.alpha_o, self.theta_o
        )
