"""Circuits: what they decide, say and cost, and what is made of them."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from modn import Circuit
from modn.explain.circuit import Condition, Feature, SizePath

FEATURES = (Feature("age"), Feature("color", ("blue", "green", "red")), Feature("size"))
X = pd.DataFrame(
    {
        "age": [10.0, 40.0, 70.0, np.nan, 55.0],
        "color": ["red", "blue", "red", "green", None],
        "size": [1.0, 2.5, 3.5, 2.0, 9.0],
    }
)
Y = np.array(["no", "yes", "yes", "no", "maybe"])


def make_circuit(**changes: object) -> Circuit:
    values = {
        "features": FEATURES,
        "classes": np.array(["maybe", "no", "yes"]),
        "dendrites": (
            (Condition(0, ">=", 35.0), Condition(0, "<", 60.5)),
            (Condition(1, "is not", "green"),),
            (Condition(1, "is", "red"), Condition(2, ">=", 3.0)),
        ),
        "weights": np.array([[2, 0, 1], [0, 0, 1], [0, -3, 0]]),
        "theta_t": np.array([3, -2, 0]),
    }
    return Circuit(**{**values, **changes})


def slow_scores(circuit: Circuit, rows: list[list[object]]) -> list[list[int]]:
    """Row by row, condition by condition."""
    found = []
    for row in rows:
        scores = [-int(theta) for theta in circuit.theta_t]
        for conditions, weights in zip(circuit.dendrites, circuit.weights, strict=True):
            held = True
            for condition in conditions:
                value = row[condition.feature]
                if value is None or (isinstance(value, float) and math.isnan(value)):
                    continue
                held &= {
                    ">=": lambda a, b: a >= b,
                    "<": lambda a, b: a < b,
                    "is": lambda a, b: a == b,
                    "is not": lambda a, b: a != b,
                }[condition.test](value, condition.value)
            for c, weight in enumerate(weights):
                scores[c] += int(weight) * bool(held)
        found.append(scores)
    return found


def test_the_scores_are_those_of_a_slow_computation() -> None:
    circuit, rows = make_circuit(), X.to_numpy(dtype=object)
    expected = slow_scores(circuit, rows.tolist())
    assert circuit.scores(X).tolist() == expected == circuit.scores(rows).tolist()
    winners = [scores.index(max(scores)) for scores in expected]
    assert circuit.predict(X).tolist() == circuit.classes[winners].tolist()


def test_the_first_of_equal_scores_wins_and_no_dendrite_is_a_circuit_too() -> None:
    empty = make_circuit(dendrites=(), weights=np.zeros((0, 3), int), theta_t=np.array([1, 0, 0]))
    assert empty.predict(X).tolist() == ["no"] * 5
    assert (empty.n_conditions, empty.n_gates) == (0, 2)
    assert len(empty.measured(X, Y).rules) == 0


def test_what_it_costs() -> None:
    circuit = make_circuit()
    assert circuit.n_conditions == 5
    # 5 comparators, 2 two-input ANDs, 4 additions, 2 comparisons of scores.
    assert circuit.n_gates == 13
    same = make_circuit(dendrites=(((Condition(0, ">=", 35.0)),), (Condition(0, "<", 35.0),), ()))
    assert same.n_gates == 1 + 0 + 4 + 2  # "below" is the inverted "at least"


def test_its_text() -> None:
    assert str(make_circuit()).splitlines() == [
        "Scores start with maybe at -3, no at 2, yes at 0; each rule that holds adds to them, "
        "and the highest wins.",
        "1. 35 <= age < 60.5: maybe +2, yes +1",
        "2. color is not green: yes +1",
        "3. color is red and size >= 3: no -3",
    ]


def test_rules_as_a_data_frame() -> None:
    circuit = make_circuit()
    assert circuit.rules[["support", "precision", "worth"]].isna().all(axis=None)
    rules = circuit.measured(X, Y).rules
    assert rules.columns.tolist() == ["rule", "conditions", "classes", "support", "precision", "worth"]
    assert rules["rule"].tolist() == [1, 2, 3]
    assert rules["classes"].tolist() == [("maybe",), ("yes",), ("maybe", "yes")]
    held = circuit.dendrites_hold(X)
    np.testing.assert_allclose(rules["support"], held.mean(axis=0))
    speaks_for = [{"maybe"}, {"yes"}, {"maybe", "yes"}]  # a rule against "no" speaks for all others
    accuracy = np.mean(circuit.predict(X) == Y)
    for j, classes in enumerate(speaks_for):
        assert rules["precision"][j] == pytest.approx(np.mean([label in classes for label in Y[held[:, j]]]))
        without = np.mean(circuit.without(rule=j + 1).predict(X) == Y)
        assert rules["worth"][j] == pytest.approx(accuracy - without)


def test_an_explanation_names_the_rules_and_true_changes() -> None:
    circuit = make_circuit().measured(X, Y)
    for n in range(5):
        row = X.iloc[[n]]
        explanation = circuit.explain(row)
        assert explanation.decision == circuit.predict(row)[0]
        assert list(explanation.rules) == (np.flatnonzero(circuit.dendrites_hold(row)[0]) + 1).tolist()
        assert [change.distance for change in explanation.changes] == sorted(
            change.distance for change in explanation.changes
        )
        for change in explanation.changes:
            changed = row.to_numpy(dtype=object)
            value = change.condition.value
            below = change.condition.test == "<"
            changed[0, change.condition.feature] = np.nextafter(value, -np.inf) if below else value
            assert circuit.predict(changed)[0] == change.decision != explanation.decision


def test_an_explanation_is_text_and_finds_the_nearest_change() -> None:
    classes = np.array(["low", "high"])
    circuit = Circuit(
        (Feature("x"), Feature("y")), classes, ((Condition(0, ">=", 5.0),), (Condition(0, ">=", 2.0),)),
        np.array([[0, 1], [0, 1]]), np.array([0, 1]),
    )  # fmt: skip
    assert str(circuit.explain([3.0, 0.0])) == (
        "low (scores: low 0, high 0)\n"
        "Rules that hold:\n"
        "2. x >= 2: high +1\n"
        "A change of one feature that would change the decision, the nearest first:\n"
        "x >= 5 -> high"
    )
    assert "x < 5 -> low" in str(circuit.explain([9.0, 0.0]))
    nothing = Circuit((Feature("x"),), classes, (), np.zeros((0, 2), int), np.array([0, 1]))
    assert str(nothing.explain([1.0])).splitlines() == [
        "low (scores: low 0, high -1)",
        "No rule holds.",
        "No change of one feature would change the decision.",
    ]
    with pytest.raises(ValueError, match=r"x has the shape \(2, 1\); allowed: one sample, \(n_features,\)"):
        nothing.explain([[1.0], [2.0]])


def test_without_and_refit() -> None:
    rng = np.random.default_rng(0)
    samples = rng.random((300, 1))
    labels = np.where(samples[:, 0] >= 0.5, "high", "low")
    circuit = Circuit(
        (Feature("x"),), np.array(["high", "low"]), ((Condition(0, "<", 0.1),), (Condition(0, ">=", 0.5),)),
        np.array([[1, 0], [1, 0]]), np.array([9, 0]),
    )  # fmt: skip
    better = circuit.without(rule=1).refit(samples, labels)
    assert np.mean(circuit.predict(samples) == labels) < 0.6
    assert (better.predict(samples) == labels).all()
    assert better.evidence is not None and better.evidence.accuracy == 1.0
    assert circuit.without(rule=1).dendrites == circuit.dendrites[1:]
    with pytest.raises(ValueError, match="rule is 3; allowed: an integer from 1 to 2"):
        circuit.without(rule=3)
    with pytest.raises(ValueError, match="y has the label 'middle'; allowed: 'high', 'low'"):
        circuit.refit(samples, np.where(samples[:, 0] > 0.9, "middle", labels))


def test_a_circuit_as_json_and_back() -> None:
    path = SizePath(np.array([1, 2]), np.array([0.5, 0.75]), np.array([0.1, np.nan]), 2, math.nan)
    circuit = make_circuit(path=path).measured(X, Y)
    text = json.dumps(circuit.to_dict(), allow_nan=False)
    again = Circuit.from_dict(json.loads(text))
    assert json.dumps(again.to_dict(), allow_nan=False) == text
    assert again.scores(X).tolist() == circuit.scores(X).tolist()
    assert again.features == circuit.features and again.dendrites == circuit.dendrites
    assert again.classes.dtype == circuit.classes.dtype
    assert again.path is not None and again.path.chosen == 2 and math.isnan(again.path.neuron)
    numbered = Circuit.from_dict(make_circuit(classes=np.array([3, 5, 8])).to_dict())
    assert numbered.predict(X).dtype == np.int64


def test_a_circuit_with_one_weight_for_each_class_is_read() -> None:
    values = make_circuit(weights=np.array([[2, 0, 5], [0, 3, 5], [2, 3, 0]])).to_dict()
    weights = np.array(values.pop("weights"))
    older = {**values, "P": (weights != 0).tolist(), "w_t": [2, 3, 5]}
    np.testing.assert_array_equal(Circuit.from_dict(older).weights, weights)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": [[1.5, 0, 1]] * 3}, "weights has the dtype float64; allowed: int64"),
        ({"weights": [[1, 0, 1]] * 2}, r"weights has the shape \(2, 3\); allowed: \(3, 3\)"),
        ({"theta_t": [1, 2]}, r"theta_t has the shape \(2,\); allowed: \(3,\)"),
        ({"dendrites": [[{"feature": 9, "test": "<", "value": 1.0}]] * 3}, "feature of a condition is 9"),
        ({"dendrites": [[{"feature": 0, "test": ">", "value": 1.0}]] * 3}, "test of age is '>'; allowed"),
        ({"dendrites": [[{"feature": 0, "test": "is", "value": "red"}]] * 3}, "age is a number"),
        ({"dendrites": [[{"feature": 1, "test": "<", "value": 1.0}]] * 3}, "color is a category"),
        ({"dendrites": [[{"feature": 0, "test": "<", "value": None}]] * 3}, "threshold of age is None"),
        ({"features": [{"name": 1, "categories": None}] * 3}, "name is 1; allowed: text"),
        ({"classes_dtype": "|O"}, "classes_dtype is '|O'; allowed"),
        ({"evidence": {}}, "not a circuit: KeyError"),
        ({"dendrites": 3}, "not a circuit: TypeError"),
    ],
)  # fmt: skip
def test_what_is_no_circuit_is_refused(change: dict[str, object], message: str) -> None:
    values = make_circuit().to_dict()
    with pytest.raises(ValueError, match=message):
        Circuit.from_dict({**values, **change})


def test_samples_must_fit() -> None:
    with pytest.raises(ValueError, match="X has 2 features; allowed: 3, as in training"):
        make_circuit().predict(X.iloc[:, :2])
    with pytest.raises(ValueError, match=r"age is not a number .*; allowed: numbers, NaN where missing"):
        make_circuit().predict([["old", "red", 1.0]])
    with pytest.raises(
        ValueError, match="y has 2 labels; allowed: one for each of the 5 samples, at least 1"
    ):
        make_circuit().measured(X, Y[:2])
