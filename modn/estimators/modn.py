"""MODNClassifier: the multi-in and multi-out dendritic neuron as a classifier."""

from collections.abc import Mapping
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
    n_init : int
        Number of independent trainings; the one with the lowest training loss is kept.
    n_jobs : int, optional
        How many of them run at the same time, as in scikit-learn; the result does not depend on it.
    warm_start : bool
        Continue from the present neuron when `fit` is called again; classes and n_dendrites must be the same.
    random_state : int, RandomState or None
        Pass an int for reproducible results.
    verbose : bool
        Show a progress bar on the standard error stream.

    Attributes
    ----------
    neuron_ : modn.Neuron
        The trained neuron; its inputs are the features scaled to [0, 1].
    classes_ : ndarray (C,)
        The labels, sorted.
    data_min_, data_max_ : ndarray (D,)
        The range of the training data, by which features are scaled; values beyond it are clipped.
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

    def _method(self) -> Method:
        return self._make_method(self.filter)

    def _problem(
        self, X: Array, codes: NDArray[np.int64], weights: Array, n_classes: int
    ) -> methods.FixedFilter | methods.LearnedFilter:
        M = self._n_dendrites(n_classes)
        objective = Objective(X, codes, M, n_classes, self.alpha_s, self.alpha_t, sample_weight=weights)
        return methods.neuron_problem(objective, self.filter)

    def _neuron(self, trained: Training) -> Neuron:
        return Neuron.from_parameters(
            trained.parameters, np.asarray(trained.P), self.n_features_in_, self.alpha_s, self.alpha_t
        )

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
