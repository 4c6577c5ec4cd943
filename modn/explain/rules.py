"""A trained neuron as rules: each dendrite is a conjunction of thresholds on features.

A synapse with a threshold inside its feature's range is a condition: the feature is above x = theta_s / w_s
(excitatory) or below it (inhibitory; see `Neuron.synapse_states`). Constant-1 synapses have no effect and are
pruned; a constant-0 synapse shuts its dendrite, which is removed. The others form a rule: in the limit of
steep synapses, the dendrite (Eq. 2) is 1 where all conditions hold and 0 elsewhere. Sums and telodendra
(Eqs. 5, 8) then decide as in the neuron. For a missing value, a condition looks at the training set's mean.

>>> from sklearn.datasets import load_iris
>>> from modn import MODNClassifier
>>> X, y = load_iris(return_X_y=True, as_frame=True)
>>> model = MODNClassifier(random_state=0).fit(X, y)
>>> text = str(rules(model, X=X, y=y))
>>> "petal length (cm)" in text and "Accuracy on 150 samples" in text
True
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modn.inputs import Inputs
from modn.neuron import Neuron
from modn.targets import SOFTMAX

POINTS = 2000  # where rules are compared with their neuron if no samples are given

Array = NDArray[np.float64]


class Named(NamedTuple):
    """A neuron with the names of its inputs and outputs.

    >>> import numpy as np
    >>> from modn import MODNClassifier
    >>> X = np.linspace(0, 10, 40)[:, None]
    >>> y = np.where(X[:, 0] > 6, "long", "short")
    >>> model = MODNClassifier(n_dendrites=2, random_state=0).fit(X, y)
    >>> named(model, ["length"]).output_names
    ['long', 'short']
    """

    neuron: Neuron
    feature_names: list[str]
    output_names: list[str]


@dataclass(frozen=True)
class Condition:
    """One synapse: a feature above, or below, a threshold in the feature's own units, or in a category.

    >>> import numpy as np
    >>> from modn import MODNClassifier
    >>> X = np.linspace(0, 10, 40)[:, None]
    >>> y = np.where(X[:, 0] > 6, "long", "short")
    >>> model = MODNClassifier(n_dendrites=2, random_state=0).fit(X, y)
    >>> condition = rules(model, ["length"]).rules[0].conditions[0]
    >>> condition.name, 5 < condition.threshold < 7
    ('length', True)
    """

    feature: int
    name: str
    above: bool  # of a category: the feature is in it
    threshold: float
    width: float  # of the feature's range: three digits of it are shown
    category: str | None = None  # None: the feature is a number
    input: int = 0  # of the neuron
    level: float = 0.0  # the threshold as the neuron sees it

    def __str__(self) -> str:
        if self.category is not None:
            return f"{self.name} is {'' if self.above else 'not '}{self.category}"
        return f"{self.name} {'>' if self.above else '<'} {_rounded(self.threshold, self.width)}"

    def holds(self, inputs: Array) -> NDArray[np.bool_]:
        """Whether it holds (N,) for each sample, given the neuron's inputs (N, n_inputs)."""
        x = inputs[:, self.input]
        return x > self.level if self.above else x < self.level


@dataclass(frozen=True)
class Rule:
    """One dendrite: where all its conditions hold, it supports some classes and opposes others.

    >>> import numpy as np
    >>> from modn import MODNClassifier
    >>> X = np.linspace(0, 10, 40)[:, None]
    >>> y = np.where(X[:, 0] > 6, "long", "short")
    >>> model = MODNClassifier(n_dendrites=2, random_state=0).fit(X, y)
    >>> sorted(rule.supports for rule in rules(model, ["length"]).rules)
    [('long',), ('short',)]
    """

    dendrite: int
    conditions: tuple[Condition, ...]
    supports: tuple[str, ...]
    opposes: tuple[str, ...]  # classes whose telodendron has a negative weight

    def __str__(self) -> str:
        premise = " and ".join(map(str, self.conditions)) or "always"
        return f"{premise} -> {', '.join([*self.supports, *(f'not {name}' for name in self.opposes)])}"


class Accuracy(NamedTuple):
    """The accuracy of the neuron and of its rules on the same samples.

    >>> import numpy as np
    >>> from modn import MODNClassifier
    >>> X = np.linspace(0, 10, 40)[:, None]
    >>> y = np.where(X[:, 0] > 6, "long", "short")
    >>> model = MODNClassifier(n_dendrites=2, random_state=0).fit(X, y)
    >>> rules(model, X=X, y=y).accuracy.n_samples
    40
    """

    n_samples: int
    model: float
    rules: float
    agreement: float  # share of the samples where both predict the same


@dataclass(frozen=True, eq=False)
class Rules:
    """The rules of a classifier; `str()` is the text, `predict` decides by the rules alone.

    >>> import numpy as np
    >>> from modn import MODNClassifier
    >>> X = np.linspace(0, 10, 40)[:, None]
    >>> y = np.where(X[:, 0] > 6, "long", "short")
    >>> model = MODNClassifier(n_dendrites=2, random_state=0).fit(X, y)
    >>> rules(model).predict([[1.0], [9.0]]).tolist()
    ['short', 'long']
    """

    rules: tuple[Rule, ...]
    inputs: Inputs
    classes: NDArray[Any]
    start: Array  # (C,) the score of each class where no rule holds: -theta_t
    weights: Array  # (C,) what each rule that holds adds to the score of its classes: w_t
    votes: Array  # (rules, C) the weights, where the rule's dendrite feeds the output
    n_shut: int  # dendrites removed because of a constant-0 synapse
    n_inoperative: int  # dendrites removed because they feed no output
    n_pruned: int  # constant-1 synapses of the remaining dendrites
    agreement: float = math.nan  # share of POINTS where rules and neuron predict the same
    accuracy: Accuracy | None = None

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class (N,) by the rules, for samples in the features' own units."""
        return self.predict_inputs(self.inputs.transform(X))

    def predict_inputs(self, inputs: Array) -> NDArray[Any]:
        """The class (N,) by the rules, for inputs of the neuron."""
        always = np.ones(len(inputs), dtype=bool)
        Z = np.zeros((len(inputs), len(self.rules)))
        for k, rule in enumerate(self.rules):
            Z[:, k] = np.all([always, *(part.holds(inputs) for part in rule.conditions)], axis=0)
        return self.classes[(self.start + Z @ self.votes).argmax(axis=1)]

    def __str__(self) -> str:
        n_dendrites = len(self.rules) + self.n_shut + self.n_inoperative
        width = max(len(str(label)) for label in self.classes)
        lines = [
            *map(str, self.rules),
            f"no rule holds -> {self.classes[self.start.argmax()]}",
            "",
            f"{len(self.rules)} of {n_dendrites} dendrites are rules; {self.n_shut} are shut by a constant-0 "
            f"synapse, {self.n_inoperative} feed no class. {self.n_pruned} constant-1 synapses are left out.",
            "Missing values and unknown categories count as the mean of the training set.",
            "The class with the highest score wins; each rule that holds changes the score of its classes:",
            *(
                f"  {label!s:{width}}  starts at {start:+.3f}, each rule {weight:+.3f}"
                + (" (its rules speak against it)" if weight < 0 else "")
                for label, start, weight in zip(self.classes, self.start, self.weights, strict=True)
            ),
        ]
        if self.accuracy is None:
            lines.append(
                f"These rules alone decide as the neuron does on {self.agreement:.1%} of {POINTS} points "
                "spread over the features' ranges; given X and y, their accuracy is measured."
            )
        else:
            n, model, rules, agreement = self.accuracy
            lines.append(
                f"Accuracy on {n} samples: the neuron {model:.4f}, these rules alone {rules:.4f}; "
                f"they agree on {agreement:.1%}."
            )
        return "\n".join(lines)


def rules(
    model: Any,
    feature_names: Sequence[str] | None = None,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
) -> Rules:
    """The rules of a fitted MODNClassifier or DNMClassifier.

    `feature_names` are by default those that the model was fitted with. With samples X and labels y, the
    accuracy of the rules and of the neuron is measured; without, how often both agree. The rules of several
    neurons (`n_estimators`) are those of the first.

    >>> from modn import MODNClassifier
    >>> X = np.linspace(0, 10, 40)[:, None]
    >>> y = np.where(X[:, 0] > 6, "long", "short")
    >>> model = MODNClassifier(n_dendrites=2, random_state=0).fit(X, y)
    >>> found = rules(model, feature_names=["length"], X=X, y=y)
    >>> len(found.rules), found.accuracy.rules > 0.9
    (2, True)
    """
    if not hasattr(model, "classes_"):
        raise TypeError(
            f"model is a {type(model).__name__}; allowed: a fitted MODNClassifier or DNMClassifier"
        )
    neuron, _, outputs = named(model, feature_names)
    if neuron.target != SOFTMAX.name or neuron.strength is not None:
        raise TypeError("rules are for classes, without strengths; use `modn.explain.effects`")
    states = neuron.synapse_states()
    shut = (states == "constant-0").any(axis=0)
    votes = neuron.w_t * neuron.P
    silent = ~shut & (votes == 0).all(axis=1)
    of_dendrites = conditions(model, feature_names)

    # Sorted by the first class that they support or oppose.
    kept = np.array(
        sorted(np.flatnonzero(~shut & ~silent), key=lambda j: int((votes[j] != 0).argmax())), dtype=int
    )
    found = Rules(
        rules=tuple(
            Rule(
                int(j),
                of_dendrites[j],
                tuple(outputs[c] for c in np.flatnonzero(votes[j] > 0)),
                tuple(outputs[c] for c in np.flatnonzero(votes[j] < 0)),
            )
            for j in kept
        ),
        inputs=model.inputs_,
        classes=model.classes_,
        start=_per_class(-neuron.theta_t, model),
        weights=_per_class(neuron.w_t, model),
        votes=np.stack([_per_class(row, model) for row in votes])[kept],
        n_shut=int(shut.sum()),
        n_inoperative=int(silent.sum()),
        n_pruned=int((states[:, kept] == "constant-1").sum()),
    )
    return replace(found, agreement=_agreement(found, model)) if X is None else _measured(found, model, X, y)


def conditions(model: Any, feature_names: Sequence[str] | None = None) -> list[tuple[Condition, ...]]:
    """The conditions of each dendrite of a fitted model's neuron, one for each synapse with a threshold."""
    neuron, inputs = named(model, feature_names).neuron, model.inputs_
    features = inputs.feature_names if feature_names is None else [str(name) for name in feature_names]
    states = neuron.synapse_states()

    def condition(i: int, j: int) -> Condition:
        feature, category = inputs.columns[i]
        level = float(neuron.theta_s[i, j] / neuron.w_s[i, j])
        # The scaling may be steep here and flat there: a hundredth of [0, 1] around the threshold tells.
        low, threshold, high = inputs.unscaled(i, [level - 0.005, level, level + 0.005])
        above = bool(states[i, j] == "excitatory")
        width = float(f"{100 * (high - low):.6g}")
        return Condition(feature, features[feature], above, float(threshold), width, category, i, level)

    has_threshold = np.isin(states, ["excitatory", "inhibitory"])
    return [
        tuple(condition(int(i), j) for i in np.flatnonzero(has_threshold[:, j]))
        for j in range(neuron.n_dendrites)
    ]


def named(
    model: Any, feature_names: Sequence[str] | None = None, class_names: Sequence[str] | None = None
) -> Named:
    """The neuron of a fitted classifier, or the neuron itself; default names are the classifier's.

    >>> neuron = Neuron([[1.0]], [[0.5]], [[True]], [1.0], [0.0], alpha_s=10, alpha_t=1)
    >>> named(neuron).feature_names, named(neuron).output_names
    (['x0'], ['output 1'])
    """
    neuron = getattr(model, "neuron_", model)
    classes = [str(label) for label in getattr(model, "classes_", [])] or None
    if not isinstance(neuron, Neuron):  # a DNM: its only output is the second class
        neuron, classes = neuron.neuron, classes and classes[1:]
    D, C = neuron.n_features, neuron.n_classes
    inputs = getattr(model, "inputs_", None)
    if inputs is not None and feature_names is not None:
        _check_names("feature_names", feature_names, len(inputs.feature_names))
    features = feature_names if inputs is None else inputs.names_by(feature_names or inputs.feature_names)
    outputs = class_names if class_names is not None else classes
    features = [f"x{i}" for i in range(D)] if features is None else [str(name) for name in features]
    outputs = [f"output {c + 1}" for c in range(C)] if outputs is None else [str(name) for name in outputs]
    _check_names("feature_names", features, D)
    _check_names("class_names", outputs, C)
    return Named(neuron, features, outputs)


def _check_names(argument: str, names: Sequence[str], needed: int) -> None:
    if len(names) != needed:
        raise ValueError(f"{argument} has the length {len(names)}; allowed: {needed}")


def _agreement(found: Rules, model: Any) -> float:
    """How often the rules and the neuron agree on points anywhere in the features' ranges."""
    unit = np.random.default_rng(0).random((POINTS, len(model.inputs_.columns)))
    by_model = model.classes_[model.neuron_.predict_proba(unit).argmax(axis=1)]
    return float(np.mean(found.predict_inputs(unit) == by_model))


def _measured(found: Rules, model: Any, X: ArrayLike, y: ArrayLike | None) -> Rules:
    labels = np.asarray(y)
    by_model = model.predict(X)
    if labels.shape != by_model.shape:
        raise ValueError(f"y has the shape {labels.shape}; allowed: {by_model.shape}")
    by_rules = found.predict(X)
    accuracy = Accuracy(
        len(labels),
        float(np.mean(by_model == labels)),
        float(np.mean(by_rules == labels)),
        float(np.mean(by_model == by_rules)),
    )
    return replace(found, accuracy=accuracy)


def _per_class(outputs: Array, model: Any) -> Array:
    """Scores of the outputs as scores of the classes: a DNM has no output for its first class, scored 0."""
    return outputs if len(outputs) == len(model.classes_) else np.array([0.0, *outputs])


def _rounded(value: float, width: float) -> str:
    if not 1e-9 < width < 1e9:
        return f"{value:.4g}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(width)))}f}"
