"""Rules: each dendrite as a conjunction in the features' own units, and their accuracy."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

import modn
from modn import explain
from modn.dnm import DNM
from modn.explain import rules
from modn.inputs import Inputs
from modn.plots import neuron as draw


def fitted(
    w_s: Any, theta_s: Any, P: Any, w_t: Any, theta_t: Any, alpha_s: float = 1e4
) -> modn.MODNClassifier:
    """A classifier of classes a, b with the given neuron; features of range [0, 10] and [-1, 1]."""
    model = modn.MODNClassifier()
    model.classes_ = np.array(["a", "b"])
    model.n_features_in_ = 2
    model.inputs_ = Inputs.by_range(np.array([0.0, -1.0]), np.array([10.0, 1.0]), ["x0", "x1"])
    model.temperature_ = 1.0
    model.neuron_ = modn.Neuron(w_s, theta_s, np.array(P, dtype=bool), w_t, theta_t, alpha_s, 1.0)
    model.neurons_ = [model.neuron_]
    return model


@pytest.fixture
def crafted() -> modn.MODNClassifier:
    # dendrite:          0     1     2     3     4
    w_s = np.array([[1.0, -1.0, 1.0, 0.5, 0.1], [1.0, -0.5, -1.0, 1.0, 0.2]])
    theta_s = np.array([[0.25, -0.4, 2.0, -0.1, -0.5], [-1.0, -0.25, -0.5, 0.9, -0.5]])
    P = [[1, 0], [0, 1], [1, 1], [0, 0], [1, 1]]
    return fitted(w_s, theta_s, P, np.array([2.0, -1.0]), np.array([0.5, -0.25]))


def test_each_dendrite_is_a_conjunction_in_the_features_units(crafted: modn.MODNClassifier) -> None:
    found = rules(crafted, ["size", "tilt"])
    assert [str(rule) for rule in found.rules] == [
        "size > 2.5 -> a",  # 0.25 of [0, 10]; the second synapse is constant-1
        "always -> a, not b",  # both synapses constant-1; b has a negative weight
        "size < 4.0 and tilt < 0.00 -> not b",
    ]
    assert [rule.dendrite for rule in found.rules] == [0, 4, 1]
    assert (found.n_shut, found.n_inoperative, found.n_pruned) == (1, 1, 3)
    text = str(found)
    assert "no rule holds -> b" in text
    assert "3 of 5 dendrites are rules; 1 are shut by a constant-0 synapse, 1 feed no class" in text
    assert "starts at -0.500, each rule +2.000" in text
    assert "starts at +0.250, each rule -1.000 (its rules speak against it)" in text
    assert "Accuracy" not in text
    assert found.agreement == 1.0  # steep synapses: the rules are the neuron
    assert "decide as the neuron does on 100.0% of 2000 points" in text


def test_the_rules_are_the_neuron_where_its_synapses_are_steep(crafted: modn.MODNClassifier) -> None:
    X = np.random.default_rng(0).uniform([-5, -3], [15, 3], size=(500, 2))  # beyond the range too
    found = rules(crafted, X=X, y=crafted.predict(X))
    assert found.predict(X).tolist() == crafted.predict(X).tolist()
    assert set(found.predict(X)) == {"a"}  # dendrite 4 always fires
    crafted.neuron_ = modn.Neuron(
        crafted.neuron_.w_s[:, :3],
        crafted.neuron_.theta_s[:, :3],
        np.array([[1, 0], [0, 1], [1, 1]], dtype=bool),
        np.array([2.0, 1.0]),
        np.array([0.5, 0.25]),
        1e4,
        1.0,
    )
    crafted.neurons_ = [crafted.neuron_]
    found = rules(crafted, X=X, y=crafted.predict(X))
    assert found.predict(X).tolist() == crafted.predict(X).tolist()
    assert set(found.predict(X)) == {"a", "b"}
    assert found.accuracy == (500, 1.0, 1.0, 1.0)
    assert (
        "Accuracy on 500 samples: the neuron 1.0000, these rules alone 1.0000; they agree on 100.0%"
        in str(found)
    )


def test_soft_synapses_lose_accuracy_and_the_text_says_so() -> None:
    """With alpha_s = 0.5 the dendrite is 0.45 where its rule does not hold: enough for a."""
    w_s, theta_s = np.array([[1.0], [0.0]]), np.array([[0.5], [-9.0]])
    model = fitted(w_s, theta_s, [[1, 0]], np.ones(2), np.array([0.0, -0.3]), alpha_s=0.5)
    X = np.array([[9.0, 0.0], [1.0, 0.0]])
    found = rules(model, X=X, y=["a", "a"])
    assert model.predict(X).tolist() == ["a", "a"]
    assert found.predict(X).tolist() == ["a", "b"]
    assert found.accuracy == (2, 1.0, 0.5, 0.5)
    assert rules(model).agreement == pytest.approx(0.5, abs=0.05)  # the half where the rule holds
    assert "the neuron 1.0000, these rules alone 0.5000; they agree on 50.0%" in str(found)


def test_a_neuron_without_any_rule_has_a_text() -> None:
    model = fitted(np.ones((2, 1)), np.full((2, 1), 3.0), np.ones((1, 2)), np.ones(2), np.array([0.0, 1.0]))
    found = rules(model)
    assert found.rules == ()
    assert str(found).startswith("no rule holds -> a")
    assert found.predict(np.zeros((2, 2))).tolist() == ["a", "a"]


def test_a_trained_classifier_explains_itself() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = modn.MODNClassifier(n_dendrites=30, random_state=0).fit(X, y)  # of more, rules say less
    found = rules(model, X=X, y=y)
    assert found.accuracy is not None and found.accuracy.model > 0.9
    assert found.accuracy.rules == np.mean(found.predict(X) == y) > 0.8
    assert {part.name for rule in found.rules for part in rule.conditions} <= set(X.columns)
    for rule in found.rules:
        for part in rule.conditions:
            assert X[part.name].min() < part.threshold < X[part.name].max()


def test_a_dnm_speaks_for_its_second_class() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = modn.DNMClassifier(random_state=0).fit(X, np.array(["bad", "good"])[y])
    found = rules(model, X=X, y=np.array(["bad", "good"])[y])
    assert found.accuracy is not None and found.accuracy.rules > 0.6
    assert {name for rule in found.rules for name in rule.supports} == {"good"}
    assert "x2" in str(found)  # the features have no names
    figure = draw(model)
    outputs = [label.get_text() for label in figure.axes[0].child_axes[0].get_yticklabels()]
    assert len(outputs) == 1 and outputs[0].startswith("→ good")


def test_the_plot_takes_a_classifier_with_its_names() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = modn.MODNClassifier(solver="bbo", max_iter=5, random_state=0).fit(X, load_iris().target_names[y])
    panel = draw(model).axes[0]
    assert [label.get_text() for label in panel.get_yticklabels()][:4] == list(X.columns)
    outputs = [label.get_text() for label in panel.child_axes[0].get_yticklabels()]
    assert [text.split()[1] for text in outputs] == ["setosa", "versicolor", "virginica"]
    renamed = draw(model, ["a", "b", "c", "d"], ["x", "y", "z"]).axes[0]
    assert [label.get_text() for label in renamed.get_yticklabels()][:4] == ["a", "b", "c", "d"]


def test_rules_speak_of_categories_and_say_what_missing_values_do() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"colour": np.array(["red", "green", "blue"])[np.arange(90) % 3], "size": rng.random(90)}
    )
    y = np.where((X["colour"] == "red") & (X["size"] > 0.4), "ripe", "not")
    model = modn.MODNClassifier(n_dendrites=4, random_state=0).fit(X, y)
    found = rules(model, X=X, y=y)
    text = str(found)
    assert re.search("colour is (not )?(red|green|blue)", text) and "size > 0." in text
    assert "Missing values and unknown categories count as the mean of the training set." in text
    assert found.accuracy is not None and found.accuracy.rules > 0.9
    holes = pd.DataFrame({"colour": [None, "pink"], "size": [np.nan, X["size"].mean()]})
    assert len(set(found.predict(holes))) == 1
    renamed = str(rules(model, ["hue", "mass"]))
    assert "hue is" in renamed and "mass >" in renamed and "colour" not in renamed


def test_thresholds_of_skewed_features_have_the_digits_they_need() -> None:
    x = np.exp(np.linspace(-12, 12, 200))
    model = modn.MODNClassifier(n_dendrites=2, random_state=0).fit(x[:, None], x > 0.0123)
    thresholds = {part.threshold: str(part) for rule in rules(model).rules for part in rule.conditions}
    assert thresholds
    for threshold, text in thresholds.items():
        assert float(text.split()[-1]) == pytest.approx(threshold, rel=0.15)


def test_constant_features_have_no_condition() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random(60), np.full(60, 3.0)])
    model = modn.MODNClassifier(solver="bbo", max_iter=20, random_state=0).fit(X, X[:, 0] > 0.5)
    found = rules(model)
    assert {part.feature for rule in found.rules for part in rule.conditions} == {0}
    assert "-> True" in str(found)


@pytest.mark.parametrize(
    ("value", "width", "text"),
    [
        (2.449, 5.9, "2.45"),
        (0.12345, 0.3, "0.123"),
        (1234.5, 2e4, "1234"),
        (2.5e-12, 1e-11, "2.5e-12"),
        (1e300, 2e300, "1e+300"),
    ],
)
def test_thresholds_are_as_long_as_the_range_is_worth(value: float, width: float, text: str) -> None:
    assert str(explain.Condition(0, "x", True, value, width)) == f"x > {text}"


def test_bad_arguments_are_named(crafted: modn.MODNClassifier) -> None:
    with pytest.raises(TypeError, match="model is a Neuron; allowed: a fitted MODNClassifier"):
        rules(crafted.neuron_)
    with pytest.raises(TypeError, match="fitted"):
        rules(modn.MODNClassifier())
    with pytest.raises(ValueError, match="feature_names has the length 1; allowed: 2"):
        rules(crafted, ["size"])
    with pytest.raises(ValueError, match=r"y has the shape \(1,\); allowed: \(3,\)"):
        rules(crafted, X=np.zeros((3, 2)), y=["a"])
    bare = DNM(np.ones((2, 1)), np.zeros((2, 1)), 1.0, 1.0, 0.5)
    assert explain.named(bare).output_names == ["output 1"]
