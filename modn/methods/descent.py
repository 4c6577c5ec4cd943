"""Descent: a MODN trained by its exact gradient, the filter included; empty cells in the paper's Table 3.

The paper cannot follow a gradient where P is Boolean, and where it can, the gradient dies. What helps
(docs/training.md has the numbers):

- Features in standard units, so that one step size fits all; the result depends on neither alpha.
- Each dendrite starts open around a training sample of "its" class, with random slopes; no two are alike.
- The loss is that of softmax(U) instead of softmax(tanh U): it has the same arg max, and a slope where tanh
  has none. At the end w_t and theta_t are scaled so that the outputs lie in tanh's range again.
- P starts as the partition of MODNP, is relaxed to sigmoid(logits) and moves with the parameters; the logits'
  scale grows until, after a share of the steps, P is rounded for good and the parameters settle around it.
- An update of the parameters sees a batch of the samples; a step is one update, of many samples several.
- The synapses' weights decay. The rate is chosen among a few by cross-validation within the training set, by
  the loss at the best temperature: overconfidence, which changes no decision, does not count. The rates race:
  after the second fold, and after each that follows, only the better half stays.

Labels and numbers (`modn.targets`) are trained alike, but by the loss of their own target cell, and without
the scaling at the end. Where dendrites have strengths, P starts full.
"""

from collections import deque
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from scipy.special import expit

from modn import filters
from modn.calibration import best_temperature
from modn.constraints import Constraint, Integer, IsA, ListOf, Number, check
from modn.methods.base import Array, Filter, HeldOut, Method, OnStep, Start, Steps, Training, Work
from modn.methods.problems import FixedFilter, LearnedFilter
from modn.methods.standard import MANY_FEATURES, Batches, Rows, StandardUnits
from modn.optimizers.adam import Adam
from modn.targets import SOFTMAX
from modn.validation import boolean_filter

CERTAINTY = 2.0  # logit of P at the start: 0.88 where the partition has a 1, 0.12 where it has a 0
LAST_SCALE = 4.0  # of the logits before they are rounded: what is left undecided is then within 1 / e^4
FINALISTS = 2  # rates that stay in the race to its end
EPOCH = 50  # batches grow so that about so many updates see all samples ...
LARGEST_BATCH = 4096  # ... up to here
UPDATE_ROWS, MOST_UPDATES = 5000, 8  # a step is an update for every so many samples, up to so many
SMALLEST_SIZE = 1e-3  # of a feature's weights: below, a selection's pull fades
SQUASHED_SHARE = 0.95  # of all potentials on the training set ...
SQUASHED_SIZE = 2.0  # ... are brought within +-2, where tanh still tells them apart


@dataclass(frozen=True)
class Descent(Method):
    """Adam on the loss of softmax(U), from a start that suits the neuron, with a decay of the weights.

    >>> from modn import Objective
    >>> from modn.methods import Descent, neuron_problem
    >>> objective = Objective([[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1], 2, 2, alpha_s=10.0, alpha_t=1.0)
    >>> problem = neuron_problem(objective, "learned")
    >>> trained = Descent(decays=(0.001,), selections=()).train(problem, 20, np.random.default_rng(0))
    >>> trained.loss < 0.6
    True
    """

    optimizer: Adam = field(default_factory=Adam)  # its population: descents, of which the best are kept
    keep: int = 1  # neurons to return, each of a descent of its own, for ensembles
    batch: int = 256  # samples in an update, at least; where there are fewer, all
    decays: tuple[float, ...] = (1e-5, 1e-4, 0.001, 0.01, 0.03, 0.1)  # of the synapses' weights ...
    selections: tuple[float, ...] = (3e-5, 1e-4)  # ... and of features, where they are many; one is chosen
    folds: int = 4  # of the cross-validation that chooses
    fold_share: float = 0.6  # of the steps, that a fold's descents take
    validation_rows: int = 20_000  # samples that take part in it, at most
    filter_share: float = 0.5  # of the steps, the first, in which a learned P is relaxed
    slope: float = 1.0  # deviation of the synapses' first weights, for features in standard units
    opening: float = 0.1  # each dendrite's first output at the sample it starts around

    allowed: ClassVar[dict[str, Constraint]] = {
        "optimizer": IsA(Adam),
        "keep": Integer(1),
        "batch": Integer(1),
        "decays": ListOf(Number(0)),
        "selections": ListOf(Number(0), empty=True),
        "folds": Integer(2),
        "fold_share": Number(0, 1),
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

    @property
    def plans_ahead(self) -> bool:
        """Always: steps become shorter towards the end of the budget, and P is rounded on the way."""
        return True

    @property
    def n_descents(self) -> int:
        """How many descents are made on the whole training set."""
        return max(self.optimizer.population, self.keep)

    def individuals(self, n_features: int) -> int:
        """How many descents there are at the same time: on the whole training set, or one for each rate."""
        return max(self.n_descents, len(self._rates(n_features)))

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
        run = _Run(self, StandardUnits(objective), P, learn_P, budget, Steps(on_step))
        if start is not None:
            return run.best(self._middle_rate, None, rng, start.parameters)
        return run.best(*run.choose_rate(rng), rng, None)

    def work(self, problem: FixedFilter | LearnedFilter | None, budget: int, started: bool = False) -> Work:
        """The descents that choose the decay, and those on the whole training set.

        Each evaluates its points once more at its end.
        """
        n_samples, n_features = (self.folds, 1) if problem is None else problem.objective.X.shape
        n_rates = len(self._rates(n_features))
        n_folds = 0 if started else self._n_folds(n_samples, n_rates)
        fold_steps = self._fold_steps(budget)
        evaluations = self.n_descents * (budget * _updates(n_samples) + 1)
        if started and (problem is None or problem.objective.target is SOFTMAX):
            evaluations += 1  # for the scale of its potentials
        for fold in range(n_folds):
            part = len(range(fold, min(n_samples, self.validation_rows), n_folds))
            seen = min(n_samples, self.validation_rows) - part
            evaluations += self._racing(fold, n_rates) * (fold_steps * _updates(seen) + 1)
        return Work(evaluations, n_folds * fold_steps + budget + 1)

    def _rates(self, n_features: int) -> Array:
        """The rates to choose from (K, 2), of weights and of features; with one decay, there is no choice."""
        selects = n_features >= MANY_FEATURES and len(self.decays) > 1
        of_features = [(0.0, rate) for rate in self.selections] if selects else []
        return np.array([(decay, 0.0) for decay in self.decays] + of_features)

    @property
    def _middle_rate(self) -> Array:
        """The rate where none is chosen by cross-validation: the middle one of `decays`."""
        return self._rates(1)[len(self.decays) // 2]

    def _n_folds(self, n_samples: int, n_rates: int) -> int:
        """The folds of the cross-validation; 0: there is nothing to choose, or nothing to choose by."""
        folds = min(self.folds, self.validation_rows, n_samples)
        return folds if folds > 1 and n_rates > 1 else 0

    def _fold_steps(self, budget: int) -> int:
        return round(self.fold_share * budget)

    def _racing(self, fold: int, n_rates: int) -> int:
        """How many of the rates are in the race at fold number `fold`."""
        left = n_rates
        for _ in range(1, fold):  # one fold alone does not tell which half is better
            left = max(min(left, FINALISTS), -(-left // 2))
        return left


class _Run:
    """One training: what does not change in it, and what was used so far."""

    def __init__(
        self, method: Descent, samples: StandardUnits, P: Filter, learn_P: bool, iterations: int, steps: Steps
    ) -> None:
        self.method, self.samples, self.P, self.learn_P = method, samples, P, learn_P
        self.iterations, self.steps, self.evaluations = iterations, steps, 0
        self.everything: Rows = np.arange(len(samples.objective.X))

    def choose_rate(self, rng: np.random.Generator) -> tuple[Array, HeldOut | None]:
        """The rate whose neurons, trained on all parts of the training set but one, judge that one best.

        With it comes what they say of those parts; None: there is nothing to choose by.
        """
        method, objective = self.method, self.samples.objective
        rates = method._rates(objective.X.shape[1])
        n_folds = method._n_folds(len(self.everything), len(rates))
        if n_folds == 0:
            return method._middle_rate, None
        rows = rng.permutation(self.everything)[: method.validation_rows]
        y = objective.y[rows]
        weight = None if objective.sample_weight is None else objective.sample_weight[rows]
        fold_of = np.empty(len(rows), dtype=np.int64)
        fold_of[np.lexsort(np.atleast_2d(y.T))] = np.arange(len(rows)) % n_folds  # each class in every fold
        potentials = np.empty((len(rates), len(rows), objective.n_classes))
        racing = np.arange(len(rates))
        for fold in range(n_folds):
            racing = racing[: method._racing(fold, len(rates))]
            first = self._drawn(1, rows[fold_of != fold], rng)
            points, Ps, _ = self._follow(
                self._batches(rows[fold_of != fold], rng),
                np.repeat(first, len(racing), axis=0),
                rates[racing],
                method._fold_steps(self.iterations),
            )
            for k, point, P in zip(racing, points, Ps, strict=True):
                potentials[k, fold_of == fold] = self.samples.potentials(point, P, rows[fold_of == fold])
            self.evaluations += len(racing)
            judged = fold_of <= fold
            judged_weight = None if weight is None else weight[judged]
            losses = [
                objective.target.held_out_loss(potentials[k, judged], y[judged], judged_weight)
                for k in racing
            ]
            racing = racing[np.argsort(losses, kind="stable")]
        return rates[racing[0]], HeldOut(potentials[racing[0]], y, weight)

    def best(
        self, rate: Array, held_out: HeldOut | None, rng: np.random.Generator, start: Array | None
    ) -> Training:
        """The best of the descents on the whole training set, with as many others as are to be kept."""
        points = self._drawn(self.method.n_descents, self.everything, rng)
        if start is not None:
            points[0] = self._tempered(self.samples.from_objective(start))
        rates = np.tile(rate, (len(points), 1))
        batches = self._batches(self.everything, rng)
        points, Ps, curve = self._follow(batches, points, rates, self.iterations)
        potentials = [
            self.samples.potentials(point, P, slice(None)) for point, P in zip(points, Ps, strict=True)
        ]
        self.evaluations += len(points)
        o = self.samples.objective
        losses = np.array(
            [np.average(o.target.descent_losses(U, o.y), weights=o.sample_weight) for U in potentials]
        )
        curve.append(min([float(losses.min()), *curve[-1:]]))
        self.steps(len(curve) - 1, curve[-1])
        kept = np.argsort(losses + self._penalties(points, rates), kind="stable")[: self.method.keep]
        first, *others = (self._training(points[k], Ps[k], potentials[k], held_out, curve) for k in kept)
        return replace(first, evaluations=self.evaluations, others=tuple(others))

    def _tempered(self, point: Array) -> Array:
        """The point with potentials of classes at their best scale: those of a neuron suit tanh, no loss."""
        o = self.samples.objective
        if o.target is not SOFTMAX:
            return point
        U = self.samples.potentials(point, self.P, slice(None))
        self.evaluations += 1
        return self.samples.squashed(point, 0.0, best_temperature(U, o.y, o.sample_weight))

    def _training(
        self, point: Array, P: Filter, U: Array, held_out: HeldOut | None, curve: list[float]
    ) -> Training:
        """The neuron that a descent has reached, whose potentials on the training set are U.

        All potentials of classes, those held out too, are shifted and scaled alike, so that tanh keeps their
        order.
        """
        o = self.samples.objective
        if o.target is SOFTMAX:
            border = float(np.sort(U, axis=1)[:, -2:].mean())  # of the two highest: decisions are made here
            size = float(np.quantile(np.abs(U - border), SQUASHED_SHARE))
            scale = SQUASHED_SIZE / size if size > 0 else 1.0
            point, U = self.samples.squashed(point, border, scale), scale * (U - border)
            if held_out is not None:
                held_out = held_out._replace(U=scale * (held_out.U - border))
        return Training(
            parameters=self.samples.to_objective(point),
            P=P,
            loss=float(np.average(o.target.losses(U, o.y), weights=o.sample_weight)),
            curve=np.array(curve),
            filter_steps=min(self._filter_steps(self.iterations), len(curve) - 1),
            evaluations=0,
            held_out=held_out,
        )

    def _drawn(self, n: int, rows: Rows, rng: np.random.Generator) -> Array:
        return self.samples.draw(n, rows, self.method.slope, self.method.opening, rng)

    def _batches(self, rows: Rows, rng: np.random.Generator) -> Batches:
        size = max(self.method.batch, min(len(rows) // EPOCH, LARGEST_BATCH))
        return Batches(self.samples.problem, rows, size, rng)

    def _filter_steps(self, iterations: int) -> int:
        return round(self.method.filter_share * iterations) if self.learn_P else 0

    def _follow(
        self, batches: Batches, points: Array, rates: Array, iterations: int
    ) -> tuple[Array, Filter, list[float]]:
        """Descend from points (S, V), each with its rate (S, 2): the last points, filters, and the curve.

        The logits of P are further variables of each point while it is relaxed.
        """
        S, n_parameters = points.shape
        updates = _updates(batches.n_samples)
        total, relaxed = updates * iterations, updates * self._filter_steps(iterations)
        P: Filter | None = np.tile(self.P, (S, 1, 1))
        if relaxed:
            logits = np.tile(np.where(self.P, CERTAINTY, -CERTAINTY).ravel(), (S, 1))
            points, P = np.concatenate([points, logits], axis=1), None
        mean, mean_square = np.zeros_like(points), np.zeros_like(points)
        epoch: deque[Array] = deque(maxlen=batches.count)
        curve: list[float] = []
        for update in range(total):
            if P is None and update == relaxed:
                P = self._rounded(points[:, n_parameters:])
                points, mean, mean_square = (a[:, :n_parameters].copy() for a in (points, mean, mean_square))
            scale = 1 + (LAST_SCALE - 1) * update / max(1, relaxed)
            soft_P = expit(scale * points[:, n_parameters:]).reshape(S, *self.P.shape) if P is None else P
            losses, slopes, dP = batches[update].potential_loss_and_gradient(points[:, :n_parameters], soft_P)
            self.evaluations += S
            epoch.append(losses)
            if update % updates == 0:
                lowest = float((sum(epoch, start=np.zeros(S)) / len(epoch)).min())
                curve.append(min([lowest, *curve[-1:]]))
                if self.steps(len(curve) - 1, curve[-1]):
                    break
            if P is None:
                dlogits = scale * soft_P * (1 - soft_P) * dP
                slopes = np.concatenate([slopes, dlogits.reshape(S, -1)], axis=1)
            slopes[:, : self.samples.n_weights] += self._decay(points, rates)
            change, mean, mean_square = self.method.optimizer.change(slopes, mean, mean_square, update + 1)
            points = points - change * ((1 + np.cos(np.pi * update / total)) / 2)
        if P is None:
            P = self._rounded(points[:, n_parameters:])
        return points[:, :n_parameters], P, curve

    def _weights_and_sizes(self, points: Array) -> tuple[Array, Array]:
        """The synapses' weights (S, D, M), and their root mean square in each feature (S, D, 1)."""
        S, M = len(points), len(self.P)
        w = points[:, : self.samples.n_weights].reshape(S, -1, M)
        return w, np.sqrt((w**2).mean(axis=2, keepdims=True) + SMALLEST_SIZE**2)

    def _decay(self, points: Array, rates: Array) -> Array:
        """The slope of the penalties by the weights (S, DM).

        A decay pulls each weight by its own size; a selection pulls all features alike, whatever their size,
        and those that do not help to 0 (a group lasso).
        """
        if not rates[:, 1].any():
            return rates[:, :1] * points[:, : self.samples.n_weights]
        decay, selection = rates.T[:, :, None, None]
        w, size = self._weights_and_sizes(points)
        return (decay * w + selection * w / size).reshape(len(points), -1)

    def _penalties(self, points: Array, rates: Array) -> Array:
        """What the decay adds to the losses (S,)."""
        decay, selection = rates.T
        w, size = self._weights_and_sizes(points)
        return decay * (w**2).sum(axis=(1, 2)) / 2 + selection * w.shape[2] * size.sum(axis=(1, 2))

    def _rounded(self, logits: Array) -> Filter:
        """The Boolean filters (S, M, C) the logits stand for."""
        return logits.reshape(-1, *self.P.shape) > 0


def _updates(n_samples: int) -> int:
    """The updates in each step."""
    return max(1, min(n_samples // UPDATE_ROWS, MOST_UPDATES))
