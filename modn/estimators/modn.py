"""MODNClassifier: the multi-in and multi-out dendritic neuron as a classifier."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn import methods
from modn.constraints import Constraint
from modn.estimators.base import Array
from modn.estimators.labels import LabelsClassifier
from modn.estimators.neurons import MODNEstimator
from modn.estimators.selection import selected_features, with_all_features
from modn.explain import making
from modn.explain.circuit import Circuit
from modn.methods import Start, Training
from modn.neuron import Neuron
from modn.targets import SIGMOID, SOFTMAX

# For classes, by cross-validation (docs/training.md); for labels, both were worse than the usual defaults.
LEAST_DENDRITES = 60  # of a neuron that a gradient trains
FOLD_SHARE = 0.4  # of the steps, that the descents in the folds take

# From so many inputs on, a first training selects features, and has little but selections to choose from.
# It makes the weights of what it selects too small: a second one sees these alone, unless they are too many.
WIDE = 100
SELECTING: dict[str, Any] = {"decays": (0.03, 0.1), "selections": (3e-5, 1e-4, 3e-4)}
MOST_SELECTED = 0.5  # of all


class MODNClassifier(MODNEstimator, LabelsClassifier):
    """The multi-in and multi-out dendritic neuron (Eqs. 1, 2, 5, 8, 9) as a classifier.

    y holds a label for each sample or, for several at once, is an indicator matrix (N, L) of 0 and 1. Labels
    are then predicted as such a matrix, and their probabilities are (N, L).

    If 100 inputs or more are given and at most half of them help to tell classes apart, the others are left
    out: their synapses are always 1. (By "adam", unless `solver_options` set decays or selections.)

    Parameters
    ----------
    filter : {"learned", "partition", "full"}
        The preference filter P: learned (MODN) or fixed (MODNP, MODNF).
    solver : str
        The name of a solver (`modn.methods.solvers()`), such as "adam", which follows the exact gradient, or
        "bbo", a heuristic of the paper; or two joined by "+", such as "bbo+adam".
    n_dendrites : int, optional
        M; by default ten for each class or label, and for classes at least 60 where the solver follows a
        gradient. A partition needs a multiple of the number of classes.
    alpha_s, alpha_t : float
        Scaling factors of the synapses and of the telodendra.
    strengths : bool, optional
        Whether each dendrite has a trained weight, of either sign, for each output. By default, classes have
        none, as in the paper, and labels have.
    max_iter : int, optional
        Iterations on the parameters; by default the solver's own budget, 300 for the heuristics.
    population_size : int, optional
        Individuals of a heuristic, or descents of Adam; by default the solver's own.
    solver_options : mapping, optional
        Further parameters of the solver (`modn.methods.parameters(solver)`), such as
        {"learning_rate": 0.01}.
    class_weight : "balanced" or mapping, optional
        How much a sample of each class counts, beside `sample_weight`: {label: weight}, or "balanced": all
        classes count the same, whatever their number of samples. Probabilities are those of data so weighted.
    n_estimators : int
        Number of neurons. The potentials of several are averaged, which is more accurate, but harder to read.
    n_init : int
        Number of independent trainings of each neuron; the one with the lowest training loss is kept. This
        pays for heuristics; for "adam" use `n_estimators`.
    n_jobs : int, optional
        Number of trainings at the same time, as in scikit-learn; the result does not depend on it.
    warm_start : bool
        Continue from the present neurons when `fit` is called again; classes and n_dendrites must be the
        same. Scalings and categories stay those of the first fit.
    random_state : int, RandomState or None
        Pass an int for reproducible results.
    verbose : bool
        Show a progress bar on the standard error stream.

    Attributes
    ----------
    neuron_ : modn.Neuron
        The trained neuron; `neuron_.predict_proba(inputs_.transform(X))` is Eq. 9.
    neurons_ : list of modn.Neuron
        All `n_estimators` of them, `neuron_` being the first.
    inputs_ : modn.inputs.Inputs
        What the neurons see of the features: numbers scaled to [0, 1], indicators of categories.
    temperature_ : float
        `predict_proba` is the softmax of the potentials times this number. It was fitted to potentials of
        samples that took no part in training, where the solver made a cross-validation ("adam" does), and to
        those of the training set otherwise.
    classes_ : ndarray (C,)
        The classes, sorted; of an indicator matrix, the names of its columns, or 0 to L - 1.
    loss_curve_ : ndarray
        The best training loss so far, after each iteration of the last `fit`.
    n_iter_ : int
        Number of iterations.
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
    (4, 60)
    """

    allowed: ClassVar[dict[str, Constraint]] = LabelsClassifier.allowed | MODNEstimator.allowed

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
        class_weight: str | Mapping[Any, float] | None = None,
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
        self.class_weight = class_weight
        self.n_estimators = n_estimators
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def _target(self, wanted: NDArray[Any]) -> str:
        return (SOFTMAX if wanted.ndim == 1 else SIGMOID).name

    def _solver_defaults(self, problem: Any) -> dict[str, Any]:
        return {"fold_share": FOLD_SHARE} if problem.objective.target is SOFTMAX else {}

    def _n_dendrites(self, n_outputs: int, target: str) -> int:
        default = super()._n_dendrites(n_outputs, target)
        if self.n_dendrites is not None or target != SOFTMAX.name:
            return default
        return max(LEAST_DENDRITES, default) if self._method(1, {}).uses_gradient else default

    def _trained(
        self,
        X: Array,
        wanted: NDArray[Any],
        weights: Array,
        n_outputs: int,
        starts: list[Start | None],
        **solver_defaults: Any,
    ) -> tuple[list[Training], list[Neuron]]:
        problem = (wanted, weights, n_outputs, starts)
        if not self._selects_first(X.shape[1], wanted, starts):
            return super()._trained(X, *problem, **solver_defaults)
        _, first = super()._trained(X, *problem, **SELECTING)
        selected = selected_features(first, X)
        if not 0 < selected.sum() <= MOST_SELECTED * len(selected):
            return super()._trained(X, *problem)
        trainings, neurons = super()._trained(X[:, selected], *problem)
        return trainings, [with_all_features(neuron, selected) for neuron in neurons]

    def _selects_first(self, n_inputs: int, wanted: NDArray[Any], starts: list[Start | None]) -> bool:
        """Whether a first training is made only to select features; not where the user set its rates."""
        if n_inputs < WIDE or any(starts) or self._target(wanted) != SOFTMAX.name:
            return False
        return SELECTING.keys() <= methods.parameters(self.solver).keys() - set(self.solver_options or {})

    def _rescaled(self, neuron: Neuron, factor: float) -> Neuron:
        return replace(neuron, w_t=factor * neuron.w_t, theta_t=factor * neuron.theta_t)

    def to_circuit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        size: int | str | None = None,
        monotone: Mapping[str, int] | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> Circuit:
        """The neuron as a circuit of conditions; X, y are its training samples (`explain.to_circuit`)."""
        return making.to_circuit(self, X, y, size, monotone, random_state)
