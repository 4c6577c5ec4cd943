"""A small problem whose objective remembers what it was asked about."""

from typing import Any

import numpy as np

from modn import methods
from modn.fast.objective import Objective
from modn.loss import cross_entropy
from modn.methods import Training
from modn.neuron import Neuron

D, M, C = 4, 6, 3
ALPHA_S, ALPHA_T = 10.0, 1.0
BUDGET, FILTER_ITERATIONS = 8, 5
POPULATION = 12


class Witness(Objective):
    """An objective that keeps every individual whose loss (Eq. 10) it computed."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        y = np.arange(30) % C
        super().__init__(rng.random((30, D)) * 0.5 + 0.15 * y[:, None], y, M, C, ALPHA_S, ALPHA_T)
        self.seen: list[tuple[np.ndarray, np.ndarray, float]] = []

    def loss(self, parameters: np.ndarray, P: np.ndarray) -> np.ndarray:  # type: ignore[override]
        return self._keep(parameters, P, super().loss(parameters, P))

    def loss_and_gradient(  # type: ignore[override]
        self, parameters: np.ndarray, P: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        losses, gradient = super().loss_and_gradient(parameters, P)
        return self._keep(parameters, P, losses), gradient

    def _keep(self, parameters: np.ndarray, P: np.ndarray, losses: np.ndarray) -> np.ndarray:
        rows = np.broadcast_to(parameters, (len(losses), self.n_parameters))
        each = np.broadcast_to(P, (len(losses), M, C))
        self.seen += [
            (row.copy(), p.copy(), float(loss)) for row, p, loss in zip(rows, each, losses, strict=True)
        ]
        return losses

    @property
    def best(self) -> float:
        """The lowest loss seen."""
        return min(loss for *_, loss in self.seen)


def small(solver: str) -> dict[str, Any]:
    """Options for a small population, for a solver or for the first of two."""
    options = {"population": POPULATION}
    return {"first": options} if methods.JOINED in solver else options


def make(solver: str, filter: str | None, **options: Any) -> methods.Method:
    """A method that takes little time."""
    scheme = {"filter_iterations": FILTER_ITERATIONS} | options
    return methods.make(solver, filter, **(small(solver) | scheme))


def trained(
    solver: str = "bbo", filter: str = "learned", budget: int = BUDGET, seed: int = 0, **options: Any
) -> tuple[Training, Witness]:
    """What a method finds; `on_step`, `start` and the options of `methods.make`."""
    objective = Witness()
    passed = {name: options.pop(name) for name in ("on_step", "start") if name in options}
    problem = methods.neuron_problem(objective, filter)
    method = make(solver, filter, **options)
    return method.train(problem, budget, np.random.default_rng(seed), **passed), objective


def assert_consistent(result: Training, objective: Witness) -> None:
    """The reported loss is that of the returned neuron, by the readable equations too."""
    assert result.P is not None and result.P.shape == (M, C) and result.P.dtype == np.bool_
    assert result.parameters.shape == (objective.n_parameters,)
    loss = Objective.loss(objective, result.parameters, result.P)[0]
    np.testing.assert_allclose(loss, result.loss, atol=1e-6)
    neuron = Neuron.from_parameters(result.parameters, result.P, D, ALPHA_S, ALPHA_T)
    readable = cross_entropy(neuron.predict_proba(objective.X), objective.y)
    np.testing.assert_allclose(readable, result.loss, atol=1e-4)
