"""Descent: a MODN trained by its exact gradient, the filter included; empty cells in the paper's Table 3.

The paper cannot follow a gradient where P is Boolean, and where it can, the gradient dies. What helps
(docs/training.md has the numbers):

- Features in standard units, so that one step size fits all; the result depends on neither alpha.
- Each dendrite starts open around a training sample of "its" class, with random slopes; no two are alike.
- The loss is that of softmax(U) instead of softmax(tanh U): it has the same arg max, and a slope where tanh
  has none. At the end w_t and theta_t are scaled so that the outputs lie in tanh's range again.
- P starts as the partition of MODNP, is relaxed to sigmoid(logits) and moves with the parameters; the logits'
  scale grows until, after a share of the steps, P is rounded for good and the parameters settle around it.
- The synapses' weights decay. The rate is chosen among a few by cross-validation within the training set, by
  the loss at the best temperature: overconfidence, which changes no decision, does not count.

Labels and numbers (`modn.targets`) are trained alike, but by the loss of their own target cell, and without the
scaling at the end. Strengths, where a neuron has them, are small at first and of either sign.
"""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from modn import filters
from modn.constraints import Constraint, Integer, IsA, ListOf, Number, check
from modn.fast.objective import Objective
from modn.methods.base import Array, Filter, HeldOut, Method, OnStep, Start, Steps, Training, Work
from modn.methods.problems import FixedFilter, LearnedFilter
from modn.missing import mean_and_deviation
from modn.neuron import Neuron
from modn.optimizers.adam import Adam
from modn.targets import SOFTMAX
from modn.validation import boolean_filter, finite_array

FIRST_W_T = 3.0  # a dendrite that opens changes the odds of its class by e^3
FIRST_STRENGTH = (
    0.2  # ... where it has no strength; one that has changes the output by this, or by minus this
)
CERTAINTY = 2.0  # logit of P at the start: 0.88 where the partition has a 1, 0.12 where it has a 0
LAST_SCALE = 4.0  # of the logits before they are rounded: what is left undecided is then within 1 / e^4
SQUASHED_SHARE = 0.95  # of all potentials on the training set ...
SQUASHED_SIZE = 2.0  # ... are brought within +-2, where tanh still tells them apart


@dataclass(frozen=True)
class Descent(Method):
    """Adam on the loss of softmax(U), from a start that suits the neuron, with a decay of the weights."""

    optimizer: Adam = field(default_factory=Adam)  # its population: descents, of which the best are kept
    keep: int = 1  # neurons to return, each of a descent of its own, for ensembles
    decays: tuple[float, ...] = (0.0, 0.001, 0.01, 0.03, 0.1)  # of the synapses' weights, to choose from
    folds: int = 4  # of the cross-validation that chooses
    validation_rows: int = 5000  # samples that take part in it, at most
    filter_share: float = 0.5  # of the steps, the first, in which a learned P is relaxed
    slope: float = 1.0  # deviation of the synapses' first weights, for features in standard units
    opening: float = 0.5  # each dendrite's first output at the sample it starts around

    allowed: ClassVar[dict[str, Constraint]] = {
        "optimizer": IsA(Adam),
        "keep": Integer(1),
        "decays": ListOf(Number(0)),
        "folds": Integer(2),
        "validation_rows": Integer(2),
        "filter_share": Number(0, 1),
        "slope": Number(0),
        "opening": Number(0, 1, "()"),
    }

    @property
    def iterations(self) -> int | None:
        """Adam's own budget."""
        return self.optimizer.iterations

    @property
    def uses_gradient(self) -> bool:
        """Always; it draws a start of its own."""
        return True

    def train(
        self,
        problem: FixedFilter | LearnedFilter,
        budget: int,
        rng: np.random.Generator,
        on_step: OnStep | None = None,
        start: Start | None = None,
    ) -> Training:
        """Descend from filter P, which stays as it is unless it is learned.

        With a start, P is that of the start, and the decay is the middle one of `decays`.
        """
        check("budget", budget, Integer(0))
        objective = problem.objective
        P = problem.P if isinstance(problem, FixedFilter) else None
        if start is not None:
            start.check_filter(P)
            P = boolean_filter(
                "P of start", np.asarray(start.P), (objective.n_dendrites, objective.n_classes)
            )
        learn_P = P is None
        if P is None:
            first = filters.full if objective.strengths else filters.shared_out
            P = first(objective.n_dendrites, objective.n_classes)
        run = _Run(self, objective, P, learn_P, budget, Steps(on_step))
        if start is not None:
            return run.best(self._middle_decay, None, rng, start.parameters)
        return run.best(*run.choose_decay(rng), rng, None)

    def work(self, problem: FixedFilter | LearnedFilter | None, budget: int, started: bool = False) -> Work:
        """The descents that choose the decay, and those on the whole training set."""
        folds = 0 if started else self._n_folds(self.folds if problem is None else len(problem.objective.X))
        evaluations = (folds * len(self.decays) + self.n_descents) * (budget + 1)
        return Work(evaluations, (folds + 1) * (budget + 1))

    @property
    def n_descents(self) -> int:
        """How many descents are made on the whole training set."""
        return max(self.optimizer.population, self.keep)

    @property
    def _middle_decay(self) -> float:
        """The decay where none is chosen by cross-validation."""
        return self.decays[len(self.decays) // 2]

    def _n_folds(self, n_samples: int) -> int:
        """The folds of the cross-validation; 0: there is nothing to choose, or nothing to choose by."""
        folds = min(self.folds, self.validation_rows, n_samples)
        return folds if folds > 1 and len(self.decays) > 1 else 0


class _Run:
    """One training: the training set in standard units, and what was used so far."""

    def __init__(
        self, method: Descent, objective: Objective, P: Filter, learn_P: bool, iterations: int, steps: Steps
    ) -> None:
        self.method, self.objective, self.P, self.iterations = method, objective, P, iterations
        self.steps, self.evaluations = steps, 0
        self.filter_steps = round(method.filter_share * iterations) if learn_P else 0
        self.mean, self.deviation = mean_and_deviation(objective.X)
        self.X = (objective.X - self.mean) / self.deviation
        self.n_weights = self.X.shape[1] * len(P)

    def choose_decay(self, rng: np.random.Generator) -> tuple[float, HeldOut | None]:
        """The decay whose neurons, trained on all parts of the training set but one, judge that one best.

        With it comes what they say of those parts; None: there is nothing to choose by.
        """
        decays, weight = np.array(self.method.decays), self.objective.sample_weight
        rows = rng.permutation(len(self.X))[: self.method.validation_rows]
        n_folds = self.method._n_folds(len(self.X))
        if n_folds == 0:
            return self.method._middle_decay, None
        y = self.objective.y[rows]
        fold_of = np.empty(len(rows), dtype=np.int64)
        fold_of[np.lexsort(np.atleast_2d(y.T))] = np.arange(len(rows)) % n_folds  # each class in every fold
        potentials = np.empty((len(decays), len(rows), self.objective.n_classes))
        for fold in range(n_folds):
            seen, unseen = rows[fold_of != fold], rows[fold_of == fold]
            first = self._drawn(1, seen, rng)
            points, Ps, *_ = self._follow(self._problem(seen), np.repeat(first, len(decays), axis=0), decays)
            for k, (point, P) in enumerate(zip(points, Ps, strict=True)):
                potentials[k, fold_of == fold] = self._potentials(point, P, self.X[unseen])
        weights = None if weight is None else weight[rows]
        target = self.objective.target
        chosen = int(np.argmin([target.held_out_loss(U, y, weights) for U in potentials]))
        return float(decays[chosen]), HeldOut(potentials[chosen], y, weights)

    def best(
        self, decay: float, held_out: HeldOut | None, rng: np.random.Generator, start: Array | None
    ) -> Training:
        """The best of the descents on the whole training set, with as many others as are to be kept."""
        everything = np.arange(len(self.X))
        points = self._drawn(self.method.n_descents, everything, rng)
        if start is not None:
            points[0] = self._to_standard_units(start)
        decays = np.full(len(points), decay)
        points, Ps, losses, curve = self._follow(self._problem(everything), points, decays)
        kept = np.argsort(losses, kind="stable")[: self.method.keep]
        first, *others = (self._training(points[k], Ps[k], held_out, curve) for k in kept)
        return replace(first, evaluations=self.evaluations, others=tuple(others))

    def _training(self, point: Array, P: Filter, held_out: HeldOut | None, curve: Array) -> Training:
        """The neuron that a descent has reached, and the potentials held out on the same scale."""
        if self.objective.target is SOFTMAX:
            shift, scale = self._squashing(point, P)
            w, theta, w_t, theta_t, strength = self._layers(point)
            point = _joined(w, theta, scale * w_t, scale * (theta_t + shift), strength)
            if held_out is not None:
                held_out = held_out._replace(U=scale * (held_out.U - shift))
        parameters = self._to_objective_units(point)
        loss = float(self.objective.loss(parameters, P)[0])
        filter_steps = min(self.filter_steps, len(curve) - 1)
        return Training(parameters, P, loss, curve, filter_steps, 0, held_out)

    def _problem(self, rows: NDArray[np.int64]) -> Objective:
        """The loss on some of the samples, in standard units."""
        o = self.objective
        weight = None if o.sample_weight is None else o.sample_weight[rows]
        return Objective(
            self.X[rows],
            o.y[rows],
            o.n_dendrites,
            o.n_classes,
            1.0,
            1.0,
            weight,
            o.target.name,
            o.strengths,
        )

    def _drawn(self, n: int, rows: NDArray[np.int64], rng: np.random.Generator) -> Array:
        """Points (n, V): each dendrite puts out `opening` at a sample of the output it begins with."""
        D, (M, C) = self.X.shape[1], self.P.shape
        centres = np.empty((n, M), dtype=np.int64)
        for j, own in enumerate(filters.shared_out(M, C).argmax(axis=1)):
            own_rows = rows[self.objective.target.examples(self.objective.y[rows], int(own))]
            centres[:, j] = rng.choice(own_rows if own_rows.size else rows, size=n)
        w = rng.normal(0.0, self.method.slope, (n, D, M))
        # sigmoid(margin) ** D = opening
        margin = -np.log(np.expm1(-np.log(self.method.opening) / D))
        theta = w * np.nan_to_num(self.X[centres]).transpose(0, 2, 1) - margin  # a missing value: the mean
        first_w_t, n_strengths = (1.0, M * C) if self.objective.strengths else (FIRST_W_T, 0)
        telodendra = np.tile(np.repeat([first_w_t, 0.0], C), (n, 1))
        strength = rng.choice([-FIRST_STRENGTH, FIRST_STRENGTH], (n, n_strengths))
        return np.concatenate([w.reshape(n, -1), theta.reshape(n, -1), telodendra, strength], axis=1)

    def _follow(self, problem: Objective, points: Array, decays: Array) -> tuple[Array, Filter, Array, Array]:
        """Descend from points (S, V), each with its decay: the last points, filters, losses, and the curve.

        The logits of P are further variables of each point while it is relaxed; the losses include the decay.
        """
        S, n_parameters = points.shape
        P: Filter | None = np.tile(self.P, (S, 1, 1))
        if self.filter_steps:
            logits = np.tile(np.where(self.P, CERTAINTY, -CERTAINTY).ravel(), (S, 1))
            points, P = np.concatenate([points, logits], axis=1), None
        mean, mean_square = np.zeros_like(points), np.zeros_like(points)
        curve: list[float] = []
        for step in range(self.iterations + 1):
            if P is None and step == self.filter_steps:
                P = self._rounded(points[:, n_parameters:])
                points, mean, mean_square = (a[:, :n_parameters] for a in (points, mean, mean_square))
            scale = 1 + (LAST_SCALE - 1) * step / max(1, self.filter_steps)
            soft_P = expit(scale * points[:, n_parameters:]).reshape(S, *self.P.shape) if P is None else P
            losses, slopes, dP = problem.potential_loss_and_gradient(points[:, :n_parameters], soft_P)
            self.evaluations += S
            curve.append(min([float(losses.min()), *curve[-1:]]))
            if self.steps(step, curve[-1]) or step == self.iterations:
                break
            if P is None:
                dlogits = scale * soft_P * (1 - soft_P) * dP
                slopes = np.concatenate([slopes, dlogits.reshape(S, -1)], axis=1)
            slopes[:, : self.n_weights] += decays[:, None] * points[:, : self.n_weights]
            change, mean, mean_square = self.method.optimizer.change(slopes, mean, mean_square, step + 1)
            points = points - change * (1 + np.cos(np.pi * step / self.iterations)) / 2
        if P is None:
            P = self._rounded(points[:, n_parameters:])
        points = points[:, :n_parameters]
        penalties = decays * (points[:, : self.n_weights] ** 2).sum(axis=1) / 2
        return points, P, losses + penalties, np.array(curve)

    def _rounded(self, logits: Array) -> Filter:
        """The Boolean filters (S, M, C) the logits stand for."""
        return logits.reshape(-1, *self.P.shape) > 0

    def _potentials(self, point: Array, P: Filter, X: Array) -> Array:
        """U (N, C) of samples in standard units."""
        neuron = Neuron.from_parameters(point, P, X.shape[1], 1.0, 1.0, strengths=self.objective.strengths)
        return neuron.potentials(X)

    def _squashing(self, point: Array, P: Filter) -> tuple[float, float]:
        """By how much all potentials are lowered, then scaled, so that tanh keeps their order."""
        U = self._potentials(point, P, self.X)
        two_highest = np.sort(U, axis=1)[:, -2:]
        border = float(two_highest.mean())  # decisions are made here
        size = float(np.quantile(np.abs(U - border), SQUASHED_SHARE))
        return border, SQUASHED_SIZE / size if size > 0 else 1.0

    def _to_objective_units(self, point: Array) -> Array:
        """Standard units to the objective's features and scaling factors: the same neuron."""
        o = self.objective
        w, theta, w_t, theta_t, strength = self._layers(point)
        w = w / self.deviation[:, None]
        theta = theta + w * self.mean[:, None]
        return _joined(w / o.alpha_s, theta / o.alpha_s, w_t / o.alpha_t, theta_t / o.alpha_t, strength)

    def _to_standard_units(self, parameters: Array) -> Array:
        o = self.objective
        row = finite_array("start", parameters, (o.n_parameters,))
        w, theta, w_t, theta_t, strength = self._layers(row)
        theta = (theta - w * self.mean[:, None]) * o.alpha_s
        w = w * self.deviation[:, None] * o.alpha_s
        return _joined(w, theta, w_t * o.alpha_t, theta_t * o.alpha_t, strength)

    def _layers(self, parameters: Array) -> tuple[Array, ...]:
        """w_s and theta_s (D, M), w_t and theta_t (C,), and the strengths, if any."""
        M, C = self.P.shape
        w, theta, *rest = np.split(parameters, np.cumsum([self.n_weights, self.n_weights, C, C]))
        return w.reshape(-1, M), theta.reshape(-1, M), *rest


def _joined(*layers: Array) -> Array:
    """Layers as a row of parameters."""
    return np.concatenate([layer.ravel() for layer in layers])
