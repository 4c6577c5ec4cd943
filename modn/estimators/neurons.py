"""What the estimators around a MODN share, whatever their target cell."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn import filters, methods
from modn.constraints import Constraint, Flag, Number, OneOf, OrNone
from modn.estimators.base import Array, DendriticEstimator
from modn.explain.contributions import contributions
from modn.fast.objective import Objective
from modn.fast.prediction import potentials
from modn.methods import FixedFilter, LearnedFilter, Method, Training
from modn.neuron import Neuron
from modn.targets import SOFTMAX


class MODNEstimator(DendriticEstimator):
    """An estimator whose neurons are `modn.Neuron`."""

    allowed: ClassVar[dict[str, Constraint]] = DendriticEstimator.allowed | {
        "filter": OneOf(filters.NAMES),
        "alpha_t": Number(0, ends="(]"),
        "strengths": OrNone(Flag()),
    }

    def contributions(self, X: ArrayLike) -> Array:
        """What each dendrite of `neuron_` adds to the potential of each output (N, M, C).

        Their sum over the dendrites, minus alpha_t theta_t, is the potential. That of a regressor's neuron is
        the number itself, in the units of y.
        """
        return contributions(self, X)

    def _method(self, keep: int, defaults: dict[str, Any]) -> Method:
        return self._make_method(self.filter, keep, defaults)

    def _problem(
        self, X: Array, wanted: NDArray[Any], weights: Array, n_outputs: int
    ) -> FixedFilter | LearnedFilter:
        target = self._target(wanted)
        objective = Objective(
            X,
            wanted,
            self._n_dendrites(n_outputs, target),
            n_outputs,
            self.alpha_s,
            self.alpha_t,
            weights,
            target,
            target != SOFTMAX.name if self.strengths is None else self.strengths,
        )
        return methods.neuron_problem(objective, self.filter)

    def _neuron(self, trained: Training, problem: FixedFilter | LearnedFilter) -> Neuron:
        o, P = problem.objective, np.asarray(trained.P)
        D = o.X.shape[1]
        return Neuron.from_parameters(
            trained.parameters, P, D, o.alpha_s, o.alpha_t, o.target.name, o.strengths
        )

    def _potentials_of(self, neuron: Neuron, X: Array) -> Array:
        return potentials(neuron, X)
