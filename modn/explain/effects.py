"""What each dendrite adds to an output: "bmi > 27.1 and age < 50: adds +3.2 to risk".

For numbers, for labels, and for classes with strengths. As in `modn.explain.rules`, a dendrite is a
conjunction of thresholds on features. Here it also matters how far it opens: its effect is how much more it
adds to an output, on average, where its conditions hold than elsewhere.

>>> from sklearn.datasets import load_diabetes
>>> from modn import MODNRegressor
>>> X, y = load_diabetes(return_X_y=True, as_frame=True)
>>> model = MODNRegressor(n_dendrites=5, random_state=0).fit(X, y)
>>> text = str(effects(model, X=X, y=y))
>>> "to target" in text and "R2 on 442 samples" in text
True
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn.explain.rules import POINTS, Condition, conditions, named
from modn.targets import IDENTITY, SIGMOID

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Effect:
    """One dendrite: where all its conditions hold, it adds so much to each output.

    >>> import numpy as np
    >>> from modn import MODNRegressor
    >>> X = np.linspace(0, 10, 40)[:, None]
    >>> model = MODNRegressor(n_dendrites=4, random_state=0).fit(X, 3 * X[:, 0])
    >>> effect = effects(model, ["length"], X=X).effects[0]
    >>> len(effect.conditions) > 0
    True
    """

    dendrite: int
    conditions: tuple[Condition, ...]
    adds: tuple[float, ...]  # (C,)
    output_names: tuple[str, ...]
    share: float  # of the samples, where the conditions hold

    def __str__(self) -> str:
        outputs = zip(self.adds, self.output_names, strict=True)
        added = ", ".join(f"{number:+.3g} to {name}" for number, name in outputs if number)
        return f"{' and '.join(map(str, self.conditions))}: adds {added} ({self.share:.0%})"

    def holds(self, inputs: Array) -> NDArray[np.bool_]:
        """Whether all conditions hold (N,), given the neuron's inputs."""
        return np.all([part.holds(inputs) for part in self.conditions], axis=0)


class Score(NamedTuple):
    """How good the neuron and its effects alone are on the same samples.

    >>> import numpy as np
    >>> from modn import MODNRegressor
    >>> X = np.linspace(0, 10, 40)[:, None]
    >>> model = MODNRegressor(n_dendrites=4, random_state=0).fit(X, 3 * X[:, 0])
    >>> found = effects(model, X=X, y=3 * X[:, 0])
    >>> found.score.model > 0.9
    True
    """

    measure: str
    n_samples: int
    model: float
    effects: float


@dataclass(frozen=True, eq=False)
class Effects:
    """The effects of a neuron's dendrites, the largest first; `predict` adds them up.

    >>> import numpy as np
    >>> from modn import MODNRegressor
    >>> X = np.linspace(0, 10, 40)[:, None]
    >>> model = MODNRegressor(n_dendrites=4, random_state=0).fit(X, 3 * X[:, 0])
    >>> effects(model, X=X).predict(X).shape
    (40,)
    """

    effects: tuple[Effect, ...]
    model: Any
    output_names: tuple[str, ...]
    start: Array  # (C,) each output where no condition holds
    n_left_out: int  # dendrites without conditions that tell samples apart; their mean is in `start`
    measured: bool  # on samples; else on points spread over the features' ranges
    score: Score | None = None

    def outputs(self, X: ArrayLike) -> Array:
        """The potentials (N, C), for numbers the numbers, by the effects alone."""
        inputs = self.model.inputs_.transform(X)
        total = np.tile(self.start, (len(inputs), 1))
        for effect in self.effects:
            total += effect.holds(inputs)[:, None] * np.array(effect.adds)
        return total

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """What the model predicts, by the effects alone."""
        U, target = self.outputs(X), self.model.neuron_.target
        if target == IDENTITY.name:
            return U[:, 0] if U.shape[1] == 1 else U
        if target == SIGMOID.name:
            return (U > 0).astype(np.int64)
        return self.model.classes_[U.argmax(axis=1)]

    def __str__(self) -> str:
        target = self.model.neuron_.target
        what = {IDENTITY.name: "{} starts at", SIGMOID.name: "the log-odds of {} start at"}.get(
            target, "the score of {} starts at"
        )
        starts = zip(self.output_names, self.start, strict=True)
        where = "the samples" if self.measured else f"{POINTS} points spread over the features' ranges"
        lines = [
            *(f"{what.format(name)} {number:.4g}" for name, number in starts),
            *map(str, self.effects),
            "",
            f"{len(self.effects)} of {len(self.effects) + self.n_left_out} dendrites; the others are about "
            "the same everywhere and part of the start. In brackets: the share of "
            f"{where} where all conditions hold.",
            "A condition on a missing value, or on a category that training did not see, holds.",
            "A dendrite opens gradually: its effect is the difference of its mean where the conditions hold "
            "and elsewhere.",
        ]
        if self.score is not None:
            s = self.score
            lines.append(
                f"{s.measure} on {s.n_samples} samples: the neuron {s.model:.4f}, "
                f"these effects alone {s.effects:.4f}."
            )
        return "\n".join(lines)


def effects(
    model: Any,
    feature_names: Sequence[str] | None = None,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
) -> Effects:
    """The effects of the dendrites of a fitted MODNRegressor or MODNClassifier.

    They are measured on samples X; without, on points spread over the features' ranges. With y, the score of
    the effects alone and of the neuron is measured as well. Of several neurons, they are those of the first.

    >>> import numpy as np
    >>> from modn import MODNRegressor
    >>> X = np.linspace(0, 10, 40)[:, None]
    >>> model = MODNRegressor(n_dendrites=4, random_state=0).fit(X, 3 * X[:, 0])
    >>> found = effects(model, ["length"], X=X, y=3 * X[:, 0])
    >>> "length" in str(found)
    True
    """
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    neuron, _, output_names = named(model, feature_names, getattr(model, "output_names_", None))
    if X is None:
        inputs = np.random.default_rng(0).random((POINTS, neuron.n_features))
    else:
        inputs = model.inputs_.transform(X)
    Z = neuron.dendrites(inputs)
    gains = neuron.alpha_t * neuron.w_t * neuron.feeds  # (M, C)
    start = -neuron.alpha_t * neuron.theta_t
    found = []
    for j, parts in enumerate(conditions(model, feature_names)):
        holds = np.all([np.ones(len(inputs), dtype=bool), *(part.holds(inputs) for part in parts)], axis=0)
        if holds.all() or not holds.any() or not gains[j].any():
            start = start + gains[j] * Z[:, j].mean()
            continue
        elsewhere = Z[~holds, j].mean()
        start = start + gains[j] * elsewhere
        adds = gains[j] * (Z[holds, j].mean() - elsewhere)
        found.append(Effect(j, parts, tuple(adds.tolist()), tuple(output_names), float(holds.mean())))
    size = np.abs(gains).sum(axis=0)  # outputs may have different units
    found.sort(key=lambda effect: -np.max(np.abs(effect.adds) / np.where(size > 0, size, 1.0)))
    left_out = neuron.n_dendrites - len(found)
    all_found = Effects(tuple(found), model, tuple(output_names), start, left_out, X is not None)
    return all_found if X is None or y is None else replace(all_found, score=_score(all_found, model, X, y))


def _score(found: Effects, model: Any, X: ArrayLike, y: ArrayLike) -> Score:
    wanted, by_model, by_effects = np.asarray(y), model.predict(X), found.predict(X)
    if wanted.ndim == 2 and wanted.shape[1] == 1:
        wanted = wanted[:, 0]
    if wanted.shape != by_model.shape:
        raise ValueError(
            f"y has the shape {wanted.shape}; allowed: {by_model.shape}, that of the predictions"
        )
    if model.neuron_.target == IDENTITY.name:
        from sklearn.metrics import r2_score

        return Score("R2", len(wanted), r2_score(wanted, by_model), r2_score(wanted, by_effects))
    measure = "Share of right labels" if model.neuron_.target == SIGMOID.name else "Accuracy"
    right = (float(np.mean(predicted == wanted)) for predicted in (by_model, by_effects))
    return Score(measure, len(wanted), *right)
