"""The classifiers on real-world inputs, their probabilities, and ensembles."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from scipy.special import softmax
from sklearn.base import is_classifier
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.metrics import log_loss, recall_score
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.utils import get_tags

from modn import DNMClassifier, MODNClassifier

IRIS = load_iris(return_X_y=True)


def quick(**parameters: Any) -> MODNClassifier:
    """Short descents, and one decay: nothing is cross-validated."""
    settings = {"max_iter": 60, "random_state": 0, "solver_options": {"decays": (0.01,)}}
    return MODNClassifier(**(settings | parameters))


def shop(N: int = 120) -> tuple[pd.DataFrame, np.ndarray]:
    """A frame with columns of all kinds, of which two matter."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "price": np.exp(3 * rng.normal(size=N)),
            "colour": rng.choice(["red", "green", "blue"], N),
            "grade": pd.Categorical(rng.integers(1, 5, N)),
            "new": rng.random(N) > 0.5,
            "stock": pd.array(rng.integers(0, 9, N), dtype="Int64"),
        }
    )
    return frame, np.where((frame["price"] > 1) & (frame["colour"] != "red"), "sold", "left")


@pytest.mark.parametrize("kind", [MODNClassifier, DNMClassifier])
def test_a_data_frame_is_taken_as_it_is(kind: Any) -> None:
    X, y = shop()
    model = kind(max_iter=100, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.n_features_in_ == 5 and model.feature_names_in_.tolist() == list(X)
    assert len(model.inputs_.columns) == 1 + 3 + 4 + 1 + 1 == len(model.neuron_.w_s)
    as_objects = kind(max_iter=100, random_state=0).fit(X.astype({"grade": str}).to_numpy(dtype=object), y)
    assert np.array_equal(as_objects.neuron_.w_s, model.neuron_.w_s)
    assert (
        is_classifier(model)
        and get_tags(model).input_tags.allow_nan
        and get_tags(model).input_tags.categorical
    )


def test_rows_of_a_frame_are_predicted_alone_and_in_any_dtype() -> None:
    X, y = shop()
    model = quick().fit(X, y)
    proba = model.predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X.iloc[[7]]), proba[[7]], rtol=1e-6)
    other = X.astype({"colour": "category", "grade": float, "new": int, "stock": float})
    np.testing.assert_array_equal(model.predict_proba(other), proba)


@pytest.mark.parametrize("kind", [MODNClassifier, DNMClassifier])
def test_missing_values_are_accepted_by_fit_and_predict(kind: Any) -> None:
    X, y = shop(300)
    holes = X.astype(object).mask(np.random.default_rng(1).random(X.shape) < 0.1)
    model = kind(max_iter=150, random_state=0).fit(holes, y)
    assert model.score(X, y) > 0.9 and model.score(holes, y) > 0.8
    complete = kind(max_iter=100, random_state=0).fit(X, y)  # nothing is missing in training
    assert complete.score(holes, y) > 0.8
    nothing = pd.DataFrame([[None] * 5], columns=list(X))
    assert np.isfinite(complete.predict_proba(nothing)).all()
    always = model.fit(holes.assign(colour=None), y)
    assert np.isfinite(always.predict_proba(holes)).all()


def test_nan_in_arrays_with_every_kind_of_solver() -> None:
    X, y = IRIS
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    for solver in ("adam", "bbo", "bbo+adam"):
        model = MODNClassifier(solver=solver, max_iter=30, n_dendrites=6, random_state=0).fit(X, y)
        assert model.score(X, y) > 0.6 and np.isfinite(model.predict_proba(X)).all(), solver


def test_weights_are_copies_where_values_are_missing() -> None:
    X, y = IRIS
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    weights = np.random.default_rng(1).integers(0, 3, len(y))
    weighted = quick(max_iter=5).fit(X, y, sample_weight=weights)
    copied = quick(max_iter=5).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert np.array_equal(weighted.neuron_.parameters(), copied.neuron_.parameters())


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (csr_array(np.eye(150, 4)), TypeError, r"Sparse data was passed.*toarray"),
        (np.full((150, 4), np.inf), ValueError, "feature 'x0' is inf in row 0"),
        (np.ones((150, 4, 1)), ValueError, "dim 3"),
        (pd.DataFrame(index=range(150)), ValueError, r"0 feature\(s\)"),
        (
            pd.DataFrame({"when": pd.to_datetime(["2024-01-01"] * 150)}),
            TypeError,
            "'when' has the dtype datetime64",
        ),
        (np.ones((149, 4)), ValueError, "inconsistent numbers of samples"),
    ],
    ids=["sparse", "infinite", "three dimensions", "no features", "dates", "a row too few"],
)
def test_inputs_that_are_refused(X: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        quick().fit(X, IRIS[1])


def test_no_rows_are_refused_as_in_scikit_learn() -> None:
    X, y = shop()
    model = quick(max_iter=2).fit(X, y)
    message = r"Found array with 0 sample\(s\) \(shape=\(0, 5\)\) while a minimum of 1 is required by MODN"
    for method in (model.predict, model.predict_proba, model.decision_function):
        with pytest.raises(ValueError, match=message):
            method(X.iloc[:0])
        with pytest.raises(ValueError, match=message):
            method(np.empty((0, 5)))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X.iloc[:, ::-1])


@pytest.mark.parametrize("change", ["outlier", "log-normal", "heavy tails"])
def test_features_of_any_shape_are_as_good_as_clean_ones(change: str) -> None:
    X, y = make_classification(600, 6, n_informative=4, random_state=0)
    outlier = X.copy()
    outlier[np.arange(6), np.arange(6)] = 1e6
    changed = {"outlier": outlier, "log-normal": np.exp(3 * X), "heavy tails": X**7}[change]
    model = quick(max_iter=300)
    assert cross_val_score(model, changed, y, cv=3).mean() > cross_val_score(model, X, y, cv=3).mean() - 0.02


def test_probabilities_are_calibrated() -> None:
    """Eq. 9 cannot exceed 0.79 for three classes, 0.88 for two."""
    X, y = load_breast_cancer(return_X_y=True)
    seen, unseen, y_seen, y_unseen = train_test_split(X, y, random_state=0)
    model = quick(solver_options={"decays": (0.01, 0.03)}).fit(seen, y_seen)
    by_paper = model.neuron_.predict_proba(model.inputs_.transform(unseen))
    proba = model.predict_proba(unseen)
    assert by_paper.max() < 0.881 < 0.95 < proba.max()
    assert log_loss(y_unseen, proba) < 0.15 < log_loss(y_unseen, by_paper)
    assert np.array_equal(proba.argmax(axis=1), by_paper.argmax(axis=1))


def test_the_decision_function_is_that_of_the_probabilities() -> None:
    X, y = IRIS
    model = quick().fit(X, y)
    U = model.decision_function(X)
    assert U.shape == (150, 3)
    neuron = model.neuron_
    inputs = model.inputs_.transform(X)
    np.testing.assert_allclose(U, neuron.w_t * neuron.soma(inputs) - neuron.theta_t, atol=1e-4)
    np.testing.assert_allclose(model.predict_proba(X), softmax(model.temperature_ * U, axis=1))
    for kind in (quick(), DNMClassifier(max_iter=20)):
        two = kind.fit(X, y > 0)
        difference = two.decision_function(X)
        assert difference.shape == (150,)
        odds = 1 / (1 + np.exp(-two.temperature_ * difference))
        np.testing.assert_allclose(two.predict_proba(X)[:, 1], odds, atol=1e-9)
        assert np.array_equal(two.predict(X), difference > 0)


@pytest.fixture
def rare() -> tuple[np.ndarray, np.ndarray]:
    return make_classification(1000, 5, weights=[0.97], class_sep=0.7, flip_y=0.02, random_state=0)


def test_class_weights_help_rare_classes(rare: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = rare
    plain, balanced = quick().fit(X, y), quick(class_weight="balanced").fit(X, y)
    assert recall_score(y, balanced.predict(X)) > recall_score(y, plain.predict(X)) + 0.2
    assert balanced.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean() + 0.1
    share = np.bincount(y) / len(y)
    weights = {0: 0.5 / share[0], 1: 0.5 / share[1]}
    for same in (quick(class_weight=weights), quick(class_weight={0: 1, 1: share[0] / share[1]})):
        np.testing.assert_allclose(same.fit(X, y).predict_proba(X), balanced.predict_proba(X), atol=0.02)


def test_class_weights_and_sample_weights_multiply(rare: tuple[np.ndarray, np.ndarray]) -> None:
    y = rare[1]
    X = np.random.default_rng(0).random((len(y), 3)) + 0.1 * y[:, None]
    given = 1.0 + (np.arange(len(y)) % 3)
    both = quick(max_iter=3, class_weight={0: 1.0, 1: 4.0}).fit(X, y, sample_weight=given)
    product = quick(max_iter=3).fit(X, y, sample_weight=given * np.where(y == 1, 4.0, 1.0))
    np.testing.assert_allclose(both.neuron_.parameters(), product.neuron_.parameters())
    balanced = quick(max_iter=3, class_weight="balanced").fit(X, y, sample_weight=given)
    totals = np.bincount(y, given)
    by_hand = quick(max_iter=3).fit(X, y, sample_weight=given * (totals.sum() / 2 / totals)[y])
    np.testing.assert_allclose(balanced.neuron_.parameters(), by_hand.neuron_.parameters())


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (
            "equal",
            "class_weight is 'equal'; allowed: \"balanced\", or a mapping from classes to numbers > 0, or N",
        ),
        ({0: 0.0, 1: 1.0}, 'class_weight is .*; allowed: "balanced", or a mapping'),
        ({0: "1"}, 'class_weight is .*; allowed: "balanced", or a mapping'),
        ({"0": 1.0}, "class_weight has the class '0'; allowed: 0, 1, 2"),
    ],
)
def test_bad_class_weights_are_named(weight: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        quick(class_weight=weight).fit(*IRIS)


@pytest.mark.parametrize("solver", ["adam", "bbo"])
def test_several_neurons_are_averaged(solver: str) -> None:
    X, y = IRIS
    settings = {"solver": solver, "n_dendrites": 6, "max_iter": 20, "solver_options": None}
    model = quick(n_estimators=3, **settings).fit(X, y)
    assert len(model.neurons_) == 3 and model.neuron_ is model.neurons_[0]
    assert not np.array_equal(model.neurons_[0].w_s, model.neurons_[1].w_s)
    inputs = model.inputs_.transform(X)
    U = np.mean([n.w_t * n.soma(inputs) - n.theta_t for n in model.neurons_], axis=0)
    np.testing.assert_allclose(model.decision_function(X), U, atol=1e-4)
    threads = quick(n_estimators=3, n_jobs=2, **settings).fit(X, y)
    assert np.array_equal(threads.predict_proba(X), model.predict_proba(X))


def test_a_warm_start_can_add_neurons() -> None:
    X, y = IRIS
    model = quick(n_estimators=2, max_iter=20, warm_start=True).fit(X, y)
    before = model.neurons_
    model.set_params(n_estimators=3, max_iter=1).fit(X, y)
    assert len(model.neurons_) == 3
    for now, then in zip(model.neurons_, before, strict=False):
        assert np.array_equal(now.P, then.P) and np.corrcoef(now.w_s.ravel(), then.w_s.ravel())[0, 1] > 0.99
    model.set_params(n_estimators=1).fit(X, y)
    assert len(model.neurons_) == 1


def test_neurons_of_an_ensemble_speak_in_the_same_units() -> None:
    """Each was trained and squashed by itself; a temperature of its own would suit each equally."""
    X, y = load_breast_cancer(return_X_y=True)
    model = MODNClassifier(n_estimators=3, max_iter=50, random_state=0).fit(X, y)
    inputs = model.inputs_.transform(X)
    sizes = [np.std(n.w_t * n.soma(inputs) - n.theta_t) for n in model.neurons_]
    assert max(sizes) < 1.5 * min(sizes)
