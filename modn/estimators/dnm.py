"""DNMClassifier: the dendritic neuron model as a binary classifier."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils.multiclass import type_of_target

from modn.constraints import Constraint, Number
from modn.dnm import DNM
from modn.estimators.base import Array
from modn.estimators.shared import DendriticClassifier
from modn.fast.dnm import DNMObjective
from modn.fast.prediction import potentials
from modn.methods import Method, Start, Training
from modn.targets import SIGMOID


class DNMClassifier(DendriticClassifier):
    """The dendritic neuron model (Eqs. 1-4) as a binary classifier.

    Parameters
    ----------
    alpha_s, alpha_o, theta_o : float
        Scaling factors of the synapses and of the soma, and the soma's threshold (Eqs. 1, 4). The defaults
        were chosen by cross-validation within the training parts of the paper's five binary datasets.

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

    allowed: ClassVar[dict[str, Constraint]] = DendriticClassifier.allowed | {
        "alpha_o": Number(0, ends="(]"),
        "theta_o": Number(),
    }

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
        class_weight: str | Mapping[Any, float] | None = None,
        n_estimators: int = 1,
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
        self.class_weight = class_weight
        self.n_estimators = n_estimators
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
                f"{type_of_target(labels)}; it has {len(classes)} classes. MODNClassifier handles any number."
            )

    def _target(self, wanted: NDArray[Any]) -> str:
        return SIGMOID.name

    def _problem(self, X: Array, wanted: NDArray[Any], weights: Array, n_outputs: int) -> DNMObjective:
        M = self._n_dendrites(n_outputs, self._target(wanted))
        return DNMObjective(X, wanted, M, self.alpha_s, self.alpha_o, self.theta_o, sample_weight=weights)

    def _first(self, problem: DNMObjective, method: Method, rng: np.random.Generator) -> Start | None:
        return Start(problem.draw_open(rng)) if method.uses_gradient else None

    def _neuron(self, trained: Training, problem: DNMObjective) -> DNM:
        D = problem.X.shape[1]
        return DNM.from_parameters(trained.parameters, D, self.alpha_s, self.alpha_o, self.theta_o)

    def _potentials_of(self, neuron: DNM, X: Array) -> Array:
        U = potentials(neuron.neuron, X)
        return np.concatenate([np.zeros_like(U), U], axis=1)  # Eq. 4 is the softmax of these

    def _rescaled(self, neuron: DNM, factor: float) -> DNM:
        return replace(neuron, alpha_o=factor * neuron.alpha_o)
