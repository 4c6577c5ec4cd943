"""Labels: MODNClassifier with an indicator matrix, as scikit-learn's multi-label classifiers behave."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import f1_score

import modn
from modn import MODNClassifier
from modn.explain import effects, rules

X, Y = make_multilabel_classification(200, n_features=6, n_classes=3, random_state=0)


def quick(**options: Any) -> MODNClassifier:
    return MODNClassifier(**({"max_iter": 60, "n_dendrites": 9, "random_state": 0} | options))


def test_labels_are_predicted_as_a_matrix() -> None:
    model = quick(max_iter=200).fit(X, Y)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.neuron_.target == "sigmoid" and model.neuron_.strength is not None
    predicted, proba = model.predict(X), model.predict_proba(X)
    assert predicted.shape == proba.shape == model.decision_function(X).shape == Y.shape
    assert predicted.dtype == np.int64 and set(np.unique(predicted)) == {0, 1}
    assert ((proba > 0.5) == predicted).all()
    assert f1_score(Y, predicted, average="micro") > 0.8
    assert model.score(X, Y) == (predicted == Y).all(axis=1).mean()


def test_the_probabilities_are_calibrated_sigmoids_of_the_potentials() -> None:
    model = quick().fit(X, Y)
    by_hand = 1 / (1 + np.exp(-model.temperature_ * model.decision_function(X)))
    assert model.predict_proba(X) == pytest.approx(by_hand)
    # Out of fold, a neuron that was trained on few samples is too sure of itself.
    assert 0 < model.temperature_ < 2


def test_labels_that_depend_on_products_of_features_are_found() -> None:
    rng = np.random.default_rng(0)
    samples, unseen = rng.uniform(-1, 1, (2, 500, 3))

    def labels(S: np.ndarray) -> np.ndarray:
        return np.stack([S[:, 0] * S[:, 1] > 0, S[:, 0] * S[:, 1] + S[:, 2] > 0.2], axis=1).astype(int)

    model = MODNClassifier(random_state=0).fit(samples, labels(samples))
    assert f1_score(labels(unseen), model.predict(unseen), average="micro") > 0.93


def test_names_of_labels_and_other_kinds_of_matrices() -> None:
    model = quick().fit(X, pd.DataFrame(Y, columns=["red", "round", "ripe"]))
    assert model.classes_.tolist() == ["red", "round", "ripe"]
    for same in (csr_matrix(Y), Y.astype(bool), Y.astype(float), Y.tolist()):
        assert (quick().fit(X, same).predict(X) == model.predict(X)).all()


def test_a_label_that_all_or_none_have() -> None:
    constant = np.column_stack([Y[:, 0], np.ones(200, int), np.zeros(200, int)])
    predicted = quick().fit(X, constant).predict(X)
    assert predicted[:, 1].all() and not predicted[:, 2].any()


def test_weights_and_ensembles() -> None:
    weights = np.where(np.arange(200) < 20, 2.0, 1.0)
    copied = quick().fit(np.concatenate([X, X[:20]]), np.concatenate([Y, Y[:20]]))
    assert copied.predict_proba(X) == pytest.approx(quick().fit(X, Y, weights).predict_proba(X))
    model = quick(n_estimators=2).fit(X, Y)
    assert len(model.neurons_) == 2
    assert model.predict_proba(X).shape == Y.shape


def test_a_model_can_change_between_classes_and_labels() -> None:
    model = quick().fit(X, Y)
    assert model.fit(X, Y[:, 0]).predict(X).shape == (200,)
    assert model.neuron_.target == "softmax" and model.neuron_.strength is None
    assert model.fit(X, Y).predict(X).shape == Y.shape


def test_what_labels_refuse() -> None:
    with pytest.raises(ValueError, match="class_weight is 'balanced'; allowed: None, since y is a matrix"):
        quick(class_weight="balanced").fit(X, Y)
    with pytest.raises(ValueError, match="y should be a 1d array, got an array of shape"):
        quick().fit(X, Y + np.arange(200)[:, None])
    model = quick(warm_start=True).fit(X, Y)
    with pytest.raises(ValueError, match=r"warm_start: labels is \[0, 1\]; allowed: \[0, 1, 2\], as in"):
        model.fit(X, Y[:, :2])
    with pytest.raises(ValueError, match="warm_start: "):
        model.fit(X, Y[:, 0])


def test_a_saved_model_predicts_the_same(tmp_path: Path) -> None:
    model = quick().fit(X, pd.DataFrame(Y, columns=["red", "round", "ripe"]))
    modn.save(model, tmp_path / "model.modn")
    loaded = modn.load(tmp_path / "model.modn")
    assert (loaded.predict_proba(X) == model.predict_proba(X)).all()
    assert loaded.classes_.tolist() == ["red", "round", "ripe"]


def test_effects_of_labels() -> None:
    model = quick().fit(X, pd.DataFrame(Y, columns=["red", "round", "ripe"]))
    found = effects(model, X=X, y=Y)
    assert "the log-odds of ripe start at" in str(found) and "Share of right labels on 200" in str(found)
    assert found.score is not None
    assert found.score.effects == np.mean(found.predict(X) == Y)
    with pytest.raises(
        TypeError, match=r"rules are for classes, without strengths; use `modn\.explain\.effects`"
    ):
        rules(model, X=X, y=Y)


def test_effects_of_classes_with_strengths() -> None:
    model = quick(strengths=True).fit(X, Y[:, 0])
    found = effects(model, X=X, y=Y[:, 0])
    assert found.score is not None and found.score.model == model.score(X, Y[:, 0])
    assert "Accuracy on 200 samples" in str(found) and "the score of 1 starts at" in str(found)
