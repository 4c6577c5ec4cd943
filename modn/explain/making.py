"""Make circuits: from a trained neuron, or from samples alone."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from modn.constraints import Constraint, OrNone, Signs, check_all
from modn.explain.circuit import Circuit, class_codes
from modn.explain.learning.coding import Coding
from modn.explain.learning.path import MAX_SIZE, CircuitPath, Problem, Size
from modn.explain.learning.teacher import Teacher
from modn.targets import SOFTMAX

ALLOWED: dict[str, Constraint] = {"size": Size(), "monotone": OrNone(Signs())}


def to_circuit(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    size: int | str | None = None,
    monotone: Mapping[str, int] | None = None,
    random_state: Any = 0,
) -> Circuit:
    """The circuit of a fitted MODNClassifier, learned from its training samples.

    `size` is the largest number of conditions; by default it is chosen by cross-validation, in which the
    neuron is trained again in each fold. "one_standard_error": the smallest size whose cross-validated
    accuracy is within one standard error of the highest. `monotone`: {"age": 1} allows only conditions
    "age >= ...", -1 only "age < ...".

    >>> import numpy as np
    >>> from modn import MODNClassifier
    >>> X = np.linspace(0, 10, 40)[:, None]
    >>> y = np.where(X[:, 0] > 6, "long", "short")
    >>> model = MODNClassifier(n_dendrites=2, random_state=0).fit(X, y)
    >>> circuit = to_circuit(model, X, y, size=1)
    >>> circuit.n_conditions, circuit.predict([[1.0], [9.0]]).tolist()
    (1, ['short', 'long'])
    """
    check_all({"size": size, "monotone": monotone}, ALLOWED)
    problem = _problem(model, X, y, monotone)
    return fitted_circuit(problem, X, y, size, random_state)


def circuit_path(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    monotone: Mapping[str, int] | None = None,
    random_state: Any = 0,
) -> CircuitPath:
    """The circuits of a fitted MODNClassifier from 1 condition on, with their cross-validated accuracy.

    >>> import numpy as np
    >>> from modn import MODNClassifier
    >>> X = np.linspace(0, 10, 40)[:, None]
    >>> y = np.where(X[:, 0] > 6, "long", "short")
    >>> model = MODNClassifier(n_dendrites=2, random_state=0).fit(X, y)
    >>> path = circuit_path(model, X, y)
    >>> path.circuit().predict([[1.0], [9.0]]).tolist()
    ['short', 'long']
    """
    check_all({"monotone": monotone}, ALLOWED)
    return _problem(model, X, y, monotone).path(MAX_SIZE, generator(random_state))


def fitted_circuit(
    problem: Problem, X: ArrayLike, y: ArrayLike, size: int | str | None, random_state: Any
) -> Circuit:
    """The circuit of the given or the chosen size, measured on its training samples."""
    rng = generator(random_state)
    if size is None or isinstance(size, str):
        return problem.path(MAX_SIZE, rng).circuit(size).measured(X, y)
    return problem.circuits(size, rng)[-1].measured(X, y)


def generator(random_state: Any) -> np.random.Generator:
    """A generator of random numbers from what scikit-learn takes as a random state."""
    return np.random.default_rng(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _problem(model: Any, X: ArrayLike, y: ArrayLike, monotone: Mapping[str, int] | None) -> Problem:
    if model.neuron_.target != SOFTMAX.name:
        raise ValueError("the model predicts several labels; allowed for circuits: one class for each sample")
    coding = Coding.of(X)
    labels: NDArray[Any] = np.asarray(y)
    codes = class_codes(model.classes_, labels)
    teacher = Teacher.of(model, X, labels, coding)
    return Problem(coding, coding.values(X), codes, model.classes_, teacher, monotone)
