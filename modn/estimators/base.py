"""What all estimators share: scikit-learn's conventions around inputs, a problem, a method and neurons."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted
from tqdm import tqdm

from modn import methods
from modn.constraints import Constraint, Flag, Integer, Number, Options, OrNone, check_all
from modn.estimators.parameters import Jobs, RandomState, Solver, Verbosity
from modn.estimators.samples import merged, read_samples
from modn.inputs import Inputs
from modn.memory import check_room, training_bytes
from modn.methods import Method, Start, Training
from modn.targets import SOFTMAX
from modn.training import default_budget

Array = NDArray[np.float64]


class Solution(NamedTuple):
    """Trained neurons, and what they were trained on."""

    inputs: Inputs
    rows: Array  # (R, n_inputs) the distinct samples
    wanted: NDArray[Any]  # (R,) or (R, C) what they should have
    weights: Array  # (R,)
    trainings: list[Training]
    neurons: list[Any]


class DendriticEstimator(BaseEstimator):
    """An estimator around neurons; subclasses add what y is, the problem to solve, and its neuron."""

    inputs_: Inputs
    neurons_: list[Any]

    allowed: ClassVar[dict[str, Constraint]] = {
        "solver": Solver(),
        "n_dendrites": OrNone(Integer(1)),
        "alpha_s": Number(0, ends="(]"),
        "max_iter": OrNone(Integer(1)),
        "population_size": OrNone(Integer(1)),
        "solver_options": OrNone(Options()),
        "n_estimators": Integer(1),
        "n_init": Integer(1),
        "n_jobs": OrNone(Jobs()),
        "warm_start": Flag(),
        "random_state": RandomState(),
        "verbose": Verbosity(),
    }

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on samples X (N, D) with labels or numbers y and, optionally, weights (N,).

        X is an array or a pandas data frame; texts, categories and Booleans are encoded, NaN and None are
        missing values. A sample with weight 2 counts as two equal samples, one with weight 0 is ignored. The
        order of the samples does not matter. If an error occurs, the model stays as it was.
        """
        before = self.__dict__.copy()
        try:
            return self._fit(X, y, sample_weight)
        except BaseException as error:
            self.__dict__ = before
            # What Ctrl-C becomes where it hits the way into a compiled function
            if isinstance(error, SystemError) and isinstance(error.__cause__, KeyboardInterrupt):
                raise KeyboardInterrupt from error
            raise

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    @abstractmethod
    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        """Train; an error may leave the estimator in any state."""

    @abstractmethod
    def _problem(self, X: Array, wanted: NDArray[Any], weights: Array, n_outputs: int) -> Any:
        """What is minimised, for inputs X."""

    @abstractmethod
    def _neuron(self, trained: Training, problem: Any) -> Any:
        """The neuron with the parameters that training found."""

    @abstractmethod
    def _potentials_of(self, neuron: Any, X: Array) -> Array:
        """The potentials U (N, C) of inputs X, from which the outputs follow."""

    @abstractmethod
    def _target(self, wanted: NDArray[Any]) -> str:
        """The target cell of neurons that should put out `wanted`."""

    @abstractmethod
    def _n_dendrites(self, n_outputs: int, target: str) -> int:
        """M, by default suited to the outputs and their target cell."""

    def _solver_defaults(self, problem: Any) -> dict[str, Any]:
        """The solver's parameters for a problem, where they differ from its own defaults."""
        return {}

    def _method(self, keep: int, defaults: dict[str, Any]) -> Method:
        """The method that trains it."""
        return self._make_method(None, keep, defaults)

    def _first(self, problem: Any, method: Method, rng: np.random.Generator) -> Start | None:
        """Where a training begins; None: where the method itself would."""
        return None

    def _potentials(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        inputs = self.inputs_.transform(read_samples(self, X))
        return np.mean([self._potentials_of(neuron, inputs) for neuron in self.neurons_], axis=0)

    @property
    def _continues(self) -> bool:
        """Whether a fit continues from the one before."""
        return bool(self.warm_start) and hasattr(self, "neurons_")

    def _check_parameters(self) -> None:
        check_all(self.get_params(deep=False), self.allowed, f"{type(self).__name__}: ")

    def _check_continuity(self, n_outputs: int, outputs: dict[str, tuple[Any, Any]]) -> None:
        """Refuse to continue with other outputs (before, now) or dendrites."""
        target = getattr(self.neuron_, "target", SOFTMAX.name)
        dendrites = (self.neuron_.w_s.shape[1], self._n_dendrites(n_outputs, target))
        for what, (before, now) in {**outputs, "n_dendrites": dendrites}.items():
            if before != now:
                raise ValueError(f"warm_start: {what} is {now}; allowed: {before}, as in the fit before")

    def _starts(self, scaled: Callable[[Any], Any] = lambda neuron: neuron) -> list[Start | None]:
        """Where the training of each neuron begins; None: it is new.

        `scaled` turns a neuron of the fit before into what it is in training.
        """
        before = [scaled(n) for n in self.neurons_[: self.n_estimators]] if self._continues else []
        starts = [Start(neuron.parameters(), getattr(neuron, "P", None)) for neuron in before]
        return [*starts, *[None] * (self.n_estimators - len(starts))]

    def _solve(
        self,
        samples: Any,
        weights: Array,
        wanted: NDArray[Any],
        own_weights: Array,
        n_outputs: int,
        starts: list[Start | None],
    ) -> Solution:
        """Train on samples with weights (N,); those with a weight > 0 should have `wanted`.

        `own_weights` are how much these count in training.
        """
        counted = weights > 0
        # A warm start keeps the inputs: the neuron would not know others.
        inputs = self.inputs_ if self._continues else Inputs.fit(samples, self._feature_names(), weights)
        encoded = inputs.transform(samples)
        self._check_memory(encoded.shape[1], n_outputs, self._target(wanted))
        rows, wanted, own = merged(encoded if counted.all() else encoded[counted], wanted, own_weights)
        trainings, neurons = self._trained(rows, wanted, own, n_outputs, starts)
        # The weight of an input that is always 0 has no effect: 0 says so.
        neurons = [replace(n, w_s=np.where(inputs.silent[:, None], 0.0, n.w_s)) for n in neurons]
        return Solution(inputs, rows, wanted, own, trainings, neurons)

    def _trained(
        self,
        X: Array,
        wanted: NDArray[Any],
        weights: Array,
        n_outputs: int,
        starts: list[Start | None],
        **solver_defaults: Any,
    ) -> tuple[list[Training], list[Any]]:
        """The trainings on inputs X, and their neurons; the solver has these defaults beside its own."""
        problem = self._problem(X, wanted, weights, n_outputs)
        trainings = self._train(problem, starts, self._solver_defaults(problem) | solver_defaults)
        return trainings, [self._neuron(trained, problem) for trained in trainings]

    def _check_memory(self, n_inputs: int, n_outputs: int, target: str) -> None:
        """Refuse what the machine has no room for, before anything of that size is made."""
        M = self._n_dendrites(n_outputs, target)
        method = self._method(self.n_estimators, {})
        outputs = f"{n_outputs} outputs, {method.individuals(n_inputs)} at once"
        what = f"training {M} dendrites with {n_inputs} inputs and {outputs},"
        check_room(what, training_bytes(method, n_inputs, M, n_outputs))

    def _keep(self, solution: Solution, neurons: list[Any]) -> None:
        """Store what was trained."""
        self.inputs_, self.neurons_, self.neuron_ = solution.inputs, neurons, neurons[0]
        self.loss_curve_ = solution.trainings[0].curve
        self.n_iter_ = max(1, len(self.loss_curve_) - 1)

    def _feature_names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{i}" for i in range(self.n_features_in_)] if names is None else [str(n) for n in names]

    def _train(
        self, problem: Any, starts: list[Start | None], solver_defaults: dict[str, Any]
    ) -> list[Training]:
        """A training for each start, the best of `n_init`; they do not depend on the number of jobs."""
        method = self._method(1 if any(starts) else len(starts), solver_defaults)
        if getattr(method, "keep", 1) == len(starts):  # all in one training, side by side
            starts = starts[:1]
        budget = default_budget(method) if self.max_iter is None else int(self.max_iter)
        n_trainings = len(starts) * self.n_init
        seeds = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=n_trainings)
        begins = [start for start in starts for _ in range(self.n_init)]
        steps = sum(method.work(problem, budget, begin is not None).steps for begin in begins)
        with tqdm(total=steps, desc="training", unit="step", disable=not self.verbose) as bar:

            def advance(step: int, loss: float) -> None:
                if self.verbose:
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

    def _make_method(self, filter: str | None, keep: int, defaults: dict[str, Any]) -> Method:
        options = dict(self.solver_options or {})
        known = methods.parameters(self.solver, filter is not None)
        if self.population_size is not None:
            population = {"population": self.population_size}
            if "first" in known:  # a pair: the population is that of its first part
                population = {"first": options.get("first", {}) | population}
            options |= population
        own = dict(defaults) if defaults.keys() <= known.keys() else {}
        if "keep" in known:
            own["keep"] = keep
        options = own | options
        return methods.make(self.solver, filter, **options)
