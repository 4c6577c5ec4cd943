"""The classifiers of the baselines: by name, at their defaults, seeded, with a grid searched inside."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import Pipeline

from stages.study import baselines as classifiers

X, y = load_iris(return_X_y=True)
FAST = {"modn": {"max_iter": 3}, "dnm": {"max_iter": 3}, "mlp": {"max_iter": 200}}


def rows_for(name: str) -> np.ndarray:
    return y > 0 if name in classifiers.BINARY else y >= 0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", classifiers.names())
def test_a_score_of_each_class_whose_order_is_the_prediction(name: str) -> None:
    rows = rows_for(name)
    model = classifiers.make(name, FAST.get(name, {}), seed=1).fit(X[rows], y[rows])
    scores = classifiers.class_scores(model, X[rows])
    assert scores.shape == (rows.sum(), len(np.unique(y[rows])))
    said = np.unique(y[rows])[scores.argmax(axis=1)]
    assert np.mean(said == model.predict(X[rows])) > 0.99  # the SVM votes: near a border it may differ


@pytest.mark.parametrize("name", classifiers.names())
def test_what_is_not_set_is_the_librarys_default(name: str) -> None:
    made = classifiers.make(name, {}, seed=7)
    own = made[-1] if isinstance(made, Pipeline) else made
    expected = type(own)().get_params()
    if "random_state" in expected:
        expected["random_state"] = 7
    assert own.get_params() == expected
    assert set(classifiers.parameter_names(name)) == set(type(own)().get_params(deep=False))


@pytest.mark.parametrize(("name", "standardised"), [("svm", True), ("knn", True), ("random_forest", False)])
def test_those_that_need_it_get_standardised_features(name: str, standardised: bool) -> None:
    assert isinstance(classifiers.make(name, {}, seed=0), Pipeline) == standardised
    far = classifiers.make(name, {}, seed=0).fit(X * [1, 1e3, 1, 1], y).predict(X * [1, 1e3, 1, 1])
    np.testing.assert_array_equal(far, classifiers.make(name, {}, seed=0).fit(X, y).predict(X))


def test_a_grid_is_searched_within_the_training_set_and_the_best_candidate_kept() -> None:
    noise = np.random.default_rng(0).permutation(y)
    search = classifiers.searched("knn", {}, {"n_neighbors": [1, 60]}, 3, seed=0)
    assert search.fit(X, y).best_params_ == {"kneighborsclassifier__n_neighbors": 1}
    assert search.fit(X, noise).n_splits_ == 3
    assert len(search.cv_results_["params"]) == 2
    again = classifiers.searched("random_forest", {"n_estimators": 5}, {"max_depth": [1, 3]}, 3, seed=4)
    one = again.fit(X, y).cv_results_["mean_test_score"]
    np.testing.assert_array_equal(one, again.fit(X, y).cv_results_["mean_test_score"])
