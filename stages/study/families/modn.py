"""MODN, MODNP and MODNF: they differ in the filter P, which is learned or fixed."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from modn import filters, methods
from modn.constraints import Constraint, OneOf
from modn.fast.objective import Objective
from modn.loss import cross_entropy
from modn.methods import FixedFilter, LearnedFilter, Method, TwoStep
from modn.neuron import Neuron
from stages.study.families import Arrays, Block, Family, method_of, register, stored

if TYPE_CHECKING:
    from stages.study.cells import Cell


SCHEME = ("filter_iterations", "rounds")  # of the two steps, where P is learned


@register
class MODN(Family):
    """The neuron of the paper."""

    name = "modn"
    allowed: ClassVar[Mapping[str, Constraint]] = {
        "filter": OneOf(filters.NAMES),
        **{name: TwoStep.allowed[name] for name in SCHEME},
    }
    defaults: ClassVar[Mapping[str, Any]] = {name: getattr(TwoStep, name) for name in SCHEME}

    def multiple_of(self, model: Block, n_classes: int) -> int:
        """A partition gives every class the same number of dendrites."""
        return n_classes if model["filter"] == "partition" else 1

    def method(self, model: Block, optimizer: Block, cap: int | None = None) -> Method:
        """If P is learned, the iterations on it are capped, too."""
        own = self.parameters(model)
        iterations = own["filter_iterations"] if cap is None else min(own["filter_iterations"], cap)
        return method_of(optimizer, own["filter"], filter_iterations=iterations, rounds=own["rounds"])

    def train(
        self,
        cell: "Cell",
        method: Method,
        budget: int,
        X: np.ndarray,
        y: np.ndarray,
        rng: np.random.Generator,
    ) -> Arrays:
        """The parameters and P."""
        found = method.train(problem_of(cell, X, y), budget, rng)
        return {"P": np.asarray(found.P), **stored(found)}

    def model(self, cell: "Cell", arrays: Arrays, n_features: int) -> Neuron:
        """The neuron by the readable equations."""
        return Neuron.from_parameters(
            arrays["parameters"], arrays["P"], n_features, cell.alpha_s, cell.alpha_t
        )

    def facts(self, model: Neuron, arrays: Arrays, X: np.ndarray, y: np.ndarray) -> dict[str, float]:
        """The loss is Eq. 10: a descent's curve follows another one."""
        return {"loss": cross_entropy(model.predict_proba(X), y), **self.filter_facts(arrays)}

    def filter_facts(self, arrays: Arrays) -> dict[str, float]:
        """Of its P."""
        P = arrays["P"]
        states = filters.dendrite_states(P)
        return {
            "inoperative": int((states == "inoperative").sum()),
            "communal": int((states == "communal").sum()),
            "moved": float((filters.shared_out(*P.shape) != P).mean()),
        }


def problem_of(
    cell: "Cell", X: np.ndarray, y: np.ndarray, objective: type[Objective] = Objective
) -> FixedFilter | LearnedFilter:
    """What the training of a cell minimises."""
    loss = objective(X, y, cell.n_dendrites, cell.n_classes, cell.alpha_s, cell.alpha_t)
    return methods.neuron_problem(loss, cell.settings["filter"])
