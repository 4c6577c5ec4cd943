"""MODNRegressor: the multi-in and multi-out dendritic neuron for numbers."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import Tags, check_array

from modn.constraints import Constraint
from modn.estimators.base import Array
from modn.estimators.neurons import MODNEstimator
from modn.estimators.samples import read_training_set
from modn.neuron import Neuron
from modn.targets import IDENTITY

# Of Adam: edges need steep synapses, and these more and longer steps; decays up to one that leaves little but
# the mean of y, which is all that a few noisy samples tell.
SOLVER = {"iterations": 1000, "learning_rate": 0.2, "decays": (0.0, 0.0003, 0.003, 0.03, 0.3)}
DENDRITES = 30  # for one output ...
DENDRITES_PER_OUTPUT = 10  # ... and for each further one


class MODNRegressor(RegressorMixin, MODNEstimator):
    """The multi-in and multi-out dendritic neuron as a regressor of one or several numbers.

    Each output is a weighted sum of dendrites, O = alpha_t (w_t V - theta_t), trained for the squared error.
    The numbers are scaled for training; the neuron's outputs are in their own units.

    Parameters
    ----------
    filter : {"learned", "partition", "full"}
        The filter P: which dendrites feed which output.
    solver : str
        The name of a solver (`modn.methods.solvers()`), such as "adam", which follows the exact gradient, or
        "bbo", a heuristic of the paper; or two joined by "+", such as "bbo+adam".
    n_dendrites : int, optional
        M; by default 30 for one output, and ten for each further one.
    alpha_s, alpha_t : float
        Scaling factors of the synapses and of the telodendra.
    strengths : bool, optional
        Whether each dendrite has a trained weight, of either sign, for each output. Without, as in the
        paper's classifier, all dendrites of an output have the same weight. By default, they have strengths.
    max_iter : int, optional
        Iterations on the parameters; by default 1,000 of Adam, 300 of the heuristics.
    population_size : int, optional
        Individuals of a heuristic, or descents of Adam; by default the solver's own.
    solver_options : mapping, optional
        Further parameters of the solver (`modn.methods.parameters(solver)`), such as
        {"learning_rate": 0.01}.
    n_estimators : int
        Number of neurons. The outputs of several are averaged, which is more accurate, but harder to read.
    n_init : int
        Number of independent trainings of each neuron; the one with the lowest training loss is kept. This
        pays for heuristics; for "adam" use `n_estimators`.
    n_jobs : int, optional
        Number of trainings at the same time, as in scikit-learn; the result does not depend on it.
    warm_start : bool
        Continue from the present neurons when `fit` is called again; the number of outputs and n_dendrites
        must be the same. Scalings and categories stay those of the first fit.
    random_state : int, RandomState or None
        Pass an int for reproducible results.
    verbose : bool
        Show a progress bar on the standard error stream.

    Attributes
    ----------
    neuron_ : modn.Neuron
        The trained neuron; `neuron_.outputs(inputs_.transform(X))` are numbers in the units of y.
    neurons_ : list of modn.Neuron
        All `n_estimators` of them, `neuron_` being the first.
    inputs_ : modn.inputs.Inputs
        What the neurons see of the features: numbers scaled to [0, 1], indicators of categories.
    output_names_ : list of str
        The names of y's columns, or "y" (of several: "y0", "y1", ...).
    n_outputs_ : int
        C, the number of outputs.
    loss_curve_ : ndarray
        The best training loss so far, after each iteration of the last `fit`: half of the squared errors,
        summed over the outputs, for y scaled to a standard deviation of 1.
    n_iter_ : int
        Number of iterations.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from modn import MODNRegressor
    >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    >>> model = MODNRegressor(random_state=0).fit(X, X[:, 0] * X[:, 1])
    >>> model.score(X, X[:, 0] * X[:, 1]) > 0.95
    True
    """

    n_outputs_: int

    allowed: ClassVar[dict[str, Constraint]] = MODNEstimator.allowed

    def __init__(
        self,
        filter: str = "learned",
        solver: str = "adam",
        n_dendrites: int | None = None,
        alpha_s: float = 10.0,
        alpha_t: float = 1.0,
        strengths: bool | None = None,
        max_iter: int | None = None,
        population_size: int | None = None,
        solver_options: Mapping[str, Any] | None = None,
        n_estimators: int = 1,
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
        self.strengths = strengths
        self.max_iter = max_iter
        self.population_size = population_size
        self.solver_options = solver_options
        self.n_estimators = n_estimators
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def predict(self, X: ArrayLike) -> Array:
        """The numbers of each sample: (N,) for one output, (N, C) for several."""
        numbers = self._potentials(X)
        return numbers[:, 0] if self.n_outputs_ == 1 else numbers

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        self._check_parameters()
        samples, numbers, weights = read_training_set(self, X, y, sample_weight, _as_numbers)
        n_outputs = numbers.shape[1]
        if self._continues:
            self._check_continuity(n_outputs, {"n_outputs": (self.n_outputs_, n_outputs)})
        counted = weights > 0
        weights_used, numbers = weights[counted], numbers[counted]
        mean = np.average(numbers, axis=0, weights=weights_used)
        deviation = np.sqrt(np.average((numbers - mean) ** 2, axis=0, weights=weights_used))
        deviation = np.where(deviation > 0, deviation, 1.0)
        starts = self._starts(lambda neuron: _unscaled(neuron, -mean / deviation, 1 / deviation))
        wanted = (numbers - mean) / deviation
        solution = self._solve(samples, weights, wanted, weights_used, n_outputs, starts)
        self._keep(solution, [_unscaled(neuron, mean, deviation) for neuron in solution.neurons])
        self.n_outputs_, self.output_names_ = n_outputs, _output_names(y, n_outputs)
        return self

    def _target(self, wanted: NDArray[Any]) -> str:
        return IDENTITY.name

    def _solver_defaults(self, problem: Any) -> dict[str, Any]:
        return dict(SOLVER)

    def _n_dendrites(self, n_outputs: int, target: str) -> int:
        default = DENDRITES + DENDRITES_PER_OUTPUT * (n_outputs - 1)
        return default if self.n_dendrites is None else int(self.n_dendrites)


def _unscaled(neuron: Neuron, mean: Array, deviation: Array) -> Neuron:
    """The neuron whose outputs are mean + deviation times those of the given one."""
    theta_t = deviation * neuron.theta_t - mean / neuron.alpha_t
    return replace(neuron, w_t=deviation * neuron.w_t, theta_t=theta_t)


def _as_numbers(y: Any) -> Array:
    """Numbers (N, C)."""
    numbers = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    return numbers.reshape(len(numbers), -1)


def _output_names(y: Any, n_outputs: int) -> list[str]:
    if hasattr(y, "columns"):
        return [str(name) for name in y.columns]
    if n_outputs == 1:
        return [str(getattr(y, "name", None) or "y")]
    return [f"y{c}" for c in range(n_outputs)]
