"""The classifiers of the baselines: by import path, with their defaults, seeded, and tuned by a grid."""

import re
import tomllib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sklearn
import yaml
from copies import ROOT
from sklearn.datasets import load_iris
from sklearn.pipeline import Pipeline

from stages.config.checks import ESTIMATOR_PACKAGES
from stages.config.schema import Baseline
from stages.study import baselines

X, y = load_iris(return_X_y=True)
ALL = {
    path.stem: Baseline(**yaml.safe_load(path.read_text()))
    for path in sorted(ROOT.glob("conf/baselines/**/*.yaml"))
}
BASELINES = {name: own for name, own in ALL.items() if baselines.installed(own)}


def quick(baseline: Baseline) -> Baseline:
    counted = "max_iter" in baselines.parameter_names(baseline.estimator)
    return replace(baseline, parameters={"max_iter": 200} if counted else baseline.parameters)


def rows_for(baseline: Baseline) -> np.ndarray:
    return y >= 0 if baselines.suits(baseline, 3) else y > 0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", BASELINES)
def test_a_score_of_each_class_whose_order_is_the_prediction(name: str) -> None:
    rows = rows_for(BASELINES[name])
    model = baselines.make(quick(BASELINES[name]), seed=1).fit(X[rows], y[rows])
    scores = baselines.class_scores(model, X[rows])
    assert scores.shape == (rows.sum(), len(np.unique(y[rows])))
    predictions = np.unique(y[rows])[scores.argmax(axis=1)]
    labels = np.ravel(model.predict(X[rows]))
    assert np.mean(predictions == labels) > 0.99  # the SVM votes: near a border it may differ


@pytest.mark.parametrize("name", BASELINES)
def test_what_is_not_set_is_the_librarys_default(name: str) -> None:
    made = baselines.make(replace(BASELINES[name], parameters={}), seed=7)
    assert isinstance(made, Pipeline) == BASELINES[name].standardise
    own = made[-1] if isinstance(made, Pipeline) else made
    expected = type(own)().get_params()
    known = baselines.parameter_names(BASELINES[name].estimator)
    if "random_state" in known:
        expected["random_state"] = 7
    assert own.get_params() == expected
    assert set(known) >= {
        *type(own)().get_params(deep=False),
        *BASELINES[name].grid,
        *BASELINES[name].parameters,
    }


@pytest.mark.parametrize(("name", "standardised"), [("svm", True), ("knn", True), ("random_forest", False)])
def test_those_that_need_it_get_standardised_features(name: str, standardised: bool) -> None:
    assert BASELINES[name].standardise == standardised
    far = baselines.make(BASELINES[name], seed=0).fit(X * [1, 1e3, 1, 1], y).predict(X * [1, 1e3, 1, 1])
    np.testing.assert_array_equal(far, baselines.make(BASELINES[name], seed=0).fit(X, y).predict(X))


def test_which_classes_a_classifier_tells_apart_is_known_from_its_tags() -> None:
    binary = {name for name, baseline in BASELINES.items() if not baselines.suits(baseline, 3)}
    assert binary == {"dnm"}
    assert all(baselines.suits(baseline, 2) for baseline in BASELINES.values())


@pytest.mark.parametrize(
    "path",
    [
        "sklearn.svm.Nope",
        "sklearn.nope.SVC",
        "sklearn.cluster.KMeans",
        "sklearn.base.ClassifierMixin",
        "sklearn.preprocessing.StandardScaler",
        "sklearn.ensemble.VotingClassifier",  # needs estimators
        "modn.Neuron",
        "modn.constraints.Integer",
    ],
)
def test_a_path_that_is_no_classifier_or_regressor_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match=rf"estimator is '{path}'; allowed: a classifier or regressor"):
        baselines.estimator_class(path)


def test_a_grid_is_searched_within_the_training_set_and_the_best_candidate_kept() -> None:
    def searched(name: str, **blocks: Any) -> Any:
        return baselines.searched(replace(BASELINES[name], **blocks), 3, seed=4)

    noise = np.random.default_rng(0).permutation(y)
    search = searched("knn", grid={"n_neighbors": [1, 60]})
    assert search.fit(X, y).best_params_ == {"kneighborsclassifier__n_neighbors": 1}
    assert search.fit(X, noise).n_splits_ == 3
    assert len(search.cv_results_["params"]) == 2
    again = searched("random_forest", parameters={"n_estimators": 5}, grid={"max_depth": [1, 3]})
    one = again.fit(X, y).cv_results_["mean_test_score"]
    np.testing.assert_array_equal(one, again.fit(X, y).cv_results_["mean_test_score"])


def test_a_classifier_whose_package_is_not_installed_is_known_without_an_import() -> None:
    lacking = Baseline("Mine", "nowhere.Classifier")
    assert not baselines.installed(lacking) and all(map(baselines.installed, (ALL["knn"], ALL["modn"])))
    assert baselines.left_out("mine", lacking) == (
        "mine is left out: the package nowhere is not installed; pip install '.[baselines]' installs it"
    )
    assert baselines.suits(lacking, 3)


def test_results_depend_on_the_version_of_the_package() -> None:
    assert baselines.package_versions(ALL["knn"]) == {"scikit-learn": sklearn.__version__}
    assert baselines.package_versions(ALL["modn"]) == {}, "ours is known by its sources"


def test_the_allowed_packages_are_scikit_learn_ours_and_those_of_the_extra() -> None:
    """A package is imported by the name that its own begins with: xgboost-cpu, interpret-core."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    names = {re.split(r"[^a-z]", requirement)[0] for requirement in extras["baselines"]}
    assert set(ESTIMATOR_PACKAGES) == {"modn", "sklearn"} | names
    used = {own.estimator.partition(".")[0] for own in ALL.values()}
    assert used <= set(ESTIMATOR_PACKAGES)
