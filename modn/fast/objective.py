"""The training loss (Eq. 10) and its gradients for whole populations of neurons, fast.

The same mathematics as `modn.neuron` and `modn.gradients`, which are the readable truth, computed in float32
by `modn.fast.kernels`. Single-threaded and without state: the same input gives the same bytes in any thread
or process.
"""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn.constraints import Flag, check
from modn.fast import heads, kernels
from modn.fast.distinct import Block, blocks_of
from modn.fast.packing import Scaling
from modn.gradients import DYING_THRESHOLD, check_published_filter
from modn.targets import SOFTMAX, Target, target_cell
from modn.validation import (
    boolean_filter,
    finite_array,
    positive_integer,
    positive_number,
    sample_weights,
)

Array = NDArray[np.float64]


class Objective:
    """The loss of MODN on one training set, as a function of a population's parameters and filters.

    X           (N, D); NaN where a value is missing
    y           what the target cell takes (`modn.targets`): classes (N,), or labels or numbers (N, C)
    parameters  (S, 2DM + 2C), rows [w_s row-major | theta_s | w_t | theta_t]; one row is a population of one.
                With `strengths`, the M C strengths of the dendrites are behind them.
    P           (M, C), one filter for all, or (S, M, C), one each. With one row of parameters and S filters,
                the dendrites are computed once and each filter costs a matrix product.

    >>> from modn import Objective, filters
    >>> X, y = [[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1]
    >>> objective = Objective(X, y, n_dendrites=2, n_classes=2, alpha_s=10.0, alpha_t=1.0)
    >>> population = np.random.default_rng(0).uniform(-1, 1, (5, objective.n_parameters))
    >>> objective.loss(population, filters.partition(2, 2)).shape
    (5,)
    """

    def __init__(
        self,
        X: ArrayLike,
        y: ArrayLike,
        n_dendrites: int,
        n_classes: int,
        alpha_s: float,
        alpha_t: float,
        sample_weight: ArrayLike | None = None,
        target: str = SOFTMAX.name,
        strengths: bool = False,
    ) -> None:
        self.X = finite_array("X", X, ("n_samples", "n_features"), missing=True)
        self.n_dendrites = positive_integer("n_dendrites", n_dendrites)
        self.n_classes = positive_integer("n_classes", n_classes)
        self.target = target_cell(target)
        self.y = self.target.check_y(y, len(self.X), self.n_classes)
        self.alpha_s = positive_number("alpha_s", alpha_s)
        self.alpha_t = positive_number("alpha_t", alpha_t)
        self.sample_weight = sample_weights("sample_weight", sample_weight, len(self.X))
        check("strengths", strengths, Flag())
        self.strengths = bool(strengths)

    # Made when first needed: a method that computes on parts of the samples never needs the whole.

    @cached_property
    def _scaling(self) -> Scaling:
        return feature_scaling(self.X, self.alpha_s, self.alpha_t)

    @cached_property
    def _blocks(self) -> list[Block]:
        y, weight = self.y, self.sample_weight
        return scaled_blocks(self.X, y, self.n_classes, weight, self._scaling, self.target)

    @property
    def _head(self) -> tuple[int, ...]:
        return getattr(heads, self.target.head)

    @property
    def n_parameters(self) -> int:
        """The length of a row of parameters."""
        return self._n_neuron + (self.n_dendrites * self.n_classes if self.strengths else 0)

    def loss(self, parameters: ArrayLike, P: ArrayLike) -> Array:
        """Return the loss (S,) of each individual."""
        rows, feeds, _ = self._fed(*self._population(parameters, P))
        loss = np.zeros(max(len(rows), len(feeds)))
        for block in self._blocks:
            if len(feeds) > len(rows):
                loss += kernels.filters_loss(block, rows, feeds, self._scaling, self._head)
            else:
                loss += kernels.population_loss(block, rows, feeds, self._scaling, self._head)
        return mean_loss(loss, self._blocks)

    def gradient(self, parameters: ArrayLike, P: ArrayLike) -> Array:
        """Return the exact gradient (as parameters) of each individual's loss."""
        return self.loss_and_gradient(parameters, P)[1]

    def loss_and_gradient(self, parameters: ArrayLike, P: ArrayLike) -> tuple[Array, Array]:
        """Return the loss (S,) and its exact gradient (as parameters), computed together."""
        loss, gradient, _ = self._loss_and_gradient(*self._population(parameters, P), self._head)
        return loss, gradient

    def published_gradient(self, parameters: ArrayLike, P: ArrayLike, filter: str) -> Array:
        """Return Eqs. 15-22 to the letter, as a gradient (S, 2DM + 2C) to descend (see `modn.gradients`).

        `filter` says whose equations: "partition" (MODNP: 15-18) or "full" (MODNF: 15, 16, 19-22).
        """
        if self.target is not SOFTMAX or self.strengths:
            raise ValueError(
                f"target is {self.target.name!r}, strengths is {self.strengths}; "
                "allowed: for the published gradient, 'softmax' and False"
            )
        parameters, P = self._population(parameters, P)
        check_published_filter(filter, P)
        head = heads.MODNP_PUBLISHED if filter == "partition" else heads.MODNF_PUBLISHED
        dying = 1.0 / DYING_THRESHOLD - 1.0  # exp(-a) of Y = 1 / (1 + exp(-a))
        return self._loss_and_gradient(parameters, P, head, dying)[1]

    def potential_loss_and_gradient(self, parameters: ArrayLike, P: ArrayLike) -> tuple[Array, Array, Array]:
        """Return the loss (S,) for a descent, and its gradients by the parameters and by P (S, M, C).

        For classes it is that of softmax(U), where U = alpha_t (w_t V - theta_t) is what Eq. 8 takes the tanh
        of: the order of the classes is that of Eq. 9, but the loss is not held above log(1 + (C - 1) / e^2).
        P (S, M, C) may be real here: a filter on its way to a Boolean one. For a Boolean P its gradient is
        not computed, but 0.
        """
        rows = population_rows(parameters, self.n_parameters)
        shape = (len(rows), self.n_dendrites, self.n_classes)
        boolean = np.asarray(P).dtype == np.bool_
        P = boolean_filter("P", P, shape) if boolean else finite_array("P", P, shape)
        head = getattr(heads, self.target.descent_head)
        return self._loss_and_gradient(rows, as_compiled_for(P), head)

    @property
    def _n_neuron(self) -> int:
        """2DM + 2C, the parameters that every neuron has."""
        return 2 * self.X.shape[1] * self.n_dendrites + 2 * self.n_classes

    def _fed(self, parameters: Array, P: NDArray[Any]) -> tuple[Array, NDArray[Any], Array | None]:
        """The rows that the kernels take, what each dendrite feeds each output, and the strengths."""
        if not self.strengths:
            return parameters, P, None
        rows = as_compiled_for(parameters[:, : self._n_neuron])
        strength = parameters[:, self._n_neuron :].reshape(-1, self.n_dendrites, self.n_classes)
        return rows, P * strength, strength

    def _loss_and_gradient(
        self, parameters: Array, P: NDArray[Any], head: tuple[int, ...], dying: float | None = None
    ) -> tuple[Array, Array, Array]:
        """The loss, its gradient by the parameters, and that by P, which is 0 for a Boolean P."""
        if len(P) > len(parameters):
            parameters = np.repeat(parameters, len(P), axis=0)
        rows, feeds, strength = self._fed(parameters, P)
        shape = (len(rows), self.n_dendrites, self.n_classes)
        dfeeds = None if feeds.dtype == np.bool_ else np.zeros(shape)
        loss, gradient = sum_gradients(self._blocks, rows, feeds, self._scaling, head, dying, dfeeds)
        if dfeeds is None:
            return loss, gradient, np.zeros(shape)
        dfeeds /= total_weight(self._blocks)
        if strength is None:
            return loss, gradient, dfeeds
        dstrength = (dfeeds * P).reshape(len(rows), -1)
        dP = np.zeros(shape) if P.dtype == np.bool_ else dfeeds * strength
        return loss, np.concatenate([gradient, dstrength], axis=1), dP

    def _population(self, parameters: ArrayLike, P: ArrayLike) -> tuple[Array, NDArray[np.bool_]]:
        """Check and return parameters (S or 1, n_parameters) and P (S or 1, M, C)."""
        parameters = population_rows(parameters, self.n_parameters)
        P = np.asarray(P)
        if P.ndim == 2:
            P = boolean_filter("P", P, (self.n_dendrites, self.n_classes))[None]
        else:
            S: int | str = "n_individuals" if len(parameters) == 1 else len(parameters)
            P = boolean_filter("P", P, (S, self.n_dendrites, self.n_classes))
        return parameters, as_compiled_for(P)


def population_rows(parameters: ArrayLike, n_parameters: int) -> Array:
    """Check and return parameters (S, n_parameters), in the memory layout the kernels are compiled for."""
    rows = np.asarray(parameters)
    rows = finite_array("parameters", rows[None] if rows.ndim == 1 else rows, ("n_individuals", n_parameters))
    return as_compiled_for(rows)


def as_compiled_for(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array in the memory layout the kernels are compiled for."""
    return array if array.flags.carray else np.require(array, requirements=["C", "W", "A"])


def feature_scaling(X: Array, alpha_s: float, alpha_t: float) -> Scaling:
    """Return the scaling factors and the features' own.

    float32 keeps 7 digits: features are centred and scaled to [-1, 1] so that none is lost to an offset.
    """
    low, high = (np.nan_to_num(bound.reduce(X, axis=0)) for bound in (np.fmin, np.fmax))  # they skip NaN
    middle, half = low / 2 + high / 2, high / 2 - low / 2
    half[half == 0] = 1.0
    return Scaling(alpha_s, alpha_t, middle, half)


def scaled_blocks(
    X: Array, y: NDArray[Any], n_outputs: int, sample_weight: Array | None, scaling: Scaling, cell: Target
) -> list[Block]:
    """Return the training set as the kernels read it."""
    return blocks_of((X - scaling.middle) / scaling.half, y, n_outputs, sample_weight, cell)


def total_weight(blocks: list[Block]) -> float:
    """Return the number of samples, or the sum of their weights."""
    return sum(block.weight for block in blocks)


def mean_loss(sums: Array, blocks: list[Block]) -> Array:
    """Return the mean loss (S,) over the samples of all blocks, given the kernels' sums."""
    unavoidable = sum(block.unavoidable for block in blocks)
    return (sums + unavoidable) / total_weight(blocks)


def sum_gradients(
    blocks: list[Block],
    parameters: Array,
    P: NDArray[Any],
    scaling: Scaling,
    head: tuple[int, ...],
    dying: float | None = None,
    dP: Array | None = None,
) -> tuple[Array, Array]:
    """Return the mean loss (S,) and its gradient (as parameters) over the samples of all blocks.

    The sums of the gradient by P are added to `dP`, if given.
    """
    loss, gradient = np.zeros(len(parameters)), np.zeros(parameters.shape)
    # One type each, Boolean filter or not, wanted or not: the kernel is compiled once for all
    P = as_compiled_for(P.astype(np.float64))
    dP = np.empty((0, *P.shape[1:])) if dP is None else dP
    for block in blocks:
        kernels.population_gradient(block, parameters, P, scaling, head, dying, loss, gradient, dP)
    return mean_loss(loss, blocks), gradient / total_weight(blocks)
