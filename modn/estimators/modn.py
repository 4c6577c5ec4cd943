"""MODNClassifier: the multi-in and multi-out dendritic neuron as a classifier."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn import filters, methods
from modn.constraints import Constraint, Number, OneOf
from modn.estimators.shared import Array, DendriticClassifier
from modn.explain import making
from modn.explain.circuit import Circuit
from modn.explain.contributions import contributions
from modn.fast.objective import Objective
from modn.fast.prediction import potentials
from modn.methods import Method, Training
from modn.neuron import Neuron


class MODNClassifier(DendriticClassifier):
    """The multi-in and multi-out dendritic neuron (Eqs. 1, 2, 5, 8, 9) as a classifier.

    Parameters
    ----------
    filter : {"learned", "partition", "full"}
        The preference filter P: learned (MODN) or fixed (MODNP, MODNF).
    solver : str
        The name of a solver (`modn.methods.solvers()`), such as "adam", which follows the exact gradient, or
        "bbo", a heuristic of the paper; or two joined by "+", such as "bbo+adam".
    n_dendrites : int, optional
        M; by default ten for each class. A partition needs a multiple of the number of classes.
    alpha_s, alpha_t : float
        Scaling factors of the synapses and of the telodendra.
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
        The labels, sorted.
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
    (4, 30)
    """

    allowed: ClassVar[dict[str, Constraint]] = DendriticClassifier.allowed | {
        "filter": OneOf(filters.NAMES),
        "alpha_t": Number(0, ends="(]"),
    }

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

    def _method(self, keep: int) -> Method:
        return self._make_method(self.filter, keep)

    def _problem(
        self, X: Array, codes: NDArray[np.int64], weights: Array, n_classes: int
    ) -> methods.FixedFilter | methods.LearnedFilter:
        M = self._n_dendrites(n_classes)
        objective = Objective(X, codes, M, n_classes, self.alpha_s, self.alpha_t, sample_weight=weights)
        return methods.neuron_problem(objective, self.filter)

    def _neuron(self, trained: Training, n_inputs: int) -> Neuron:
        P = np.asarray(trained.P)
        return Neuron.from_parameters(trained.parameters, P, n_inputs, self.alpha_s, self.alpha_t)

    def _potentials_of(self, neuron: Neuron, X: Array) -> Array:
        return potentials(neuron, X)

    def _rescaled(self, neuron: Neuron, factor: float) -> Neuron:
        return replace(neuron, w_t=factor * neuron.w_t, theta_t=factor * neuron.theta_t)

    def to_circuit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        size: int | None = None,
        monotone: Mapping[str, int] | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> Circuit:
        """The neuron as a circuit of conditions; X, y are its training samples (`explain.to_circuit`)."""
        return making.to_circuit(self, X, y, size, monotone, random_state)

    def contributions(self, X: ArrayLike) -> Array:
        """What each dendrite adds to the potential of each class (N, M, C) (`modn.explain.contributions`)."""
        return contributions(self, X)
