"""The classifiers as scikit-learn estimators: its own checks, its tools, and behaviour of our own."""

from typing import Any
from unittest import SkipTest

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from modn import DNMClassifier, MODNClassifier
from modn.loss import cross_entropy

CHECKED = [
    MODNClassifier(max_iter=30),
    MODNClassifier(solver="bbo", filter="learned", n_dendrites=6, max_iter=60, population_size=30),
    DNMClassifier(n_dendrites=4, max_iter=60),
]
IRIS = load_iris(return_X_y=True)


def quick(**parameters: Any) -> MODNClassifier:
    settings = {
        "solver": "bbo",
        "filter": "learned",
        "max_iter": 30,
        "population_size": 30,
        "random_state": 0,
    }
    return MODNClassifier(**(settings | parameters))


@parametrize_with_checks(CHECKED)
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    try:
        check(estimator)
    except SkipTest:
        assert check.func.__name__ == "check_array_api_input", "it was left out"  # needs SciPy's switch
        raise


@pytest.mark.parametrize("estimator", CHECKED)
def test_all_of_scikit_learns_checks_are_run(estimator: Any) -> None:
    names = [check.func.__name__ for _, check in estimator_checks_generator(estimator)]
    assert len(names) >= 60
    assert {"check_classifiers_train", "check_sample_weight_equivalence_on_dense_data"} <= set(names)


def test_it_works_within_scikit_learns_tools() -> None:
    X, y = IRIS
    holes = X.copy()
    holes[::7, 2] = np.nan
    pipeline = make_pipeline(SimpleImputer(), quick())
    assert cross_val_score(pipeline, holes, y, cv=3).mean() > 0.6
    grid = {"modnclassifier__n_dendrites": [3, 9], "modnclassifier__filter": ["partition", "learned"]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(holes, y)
    assert set(search.best_params_) == set(grid) and search.best_score_ > 0.6
    calibrated = CalibratedClassifierCV(quick(), cv=3).fit(X, y)
    assert calibrated.score(X, y) > 0.6
    assert clone(quick(n_dendrites=7)).get_params() == quick(n_dendrites=7).get_params()


@pytest.mark.parametrize("labels", [["x", "yy", "z"], [-1, 5, 7], [0.0, 1.0, 2.0]], ids=str)
def test_any_labels_come_back(labels: list[Any]) -> None:
    X, y = IRIS
    named = np.array(labels)[y]
    model = quick().fit(X, named)
    assert model.classes_.tolist() == sorted(labels)
    assert set(model.predict(X)) <= set(labels) and np.mean(model.predict(X) == named) > 0.6
    assert np.array_equal(model.predict_proba(X), quick().fit(X, y).predict_proba(X))


def test_units_and_offsets_of_features_do_not_matter() -> None:
    X, y = IRIS
    model = quick().fit(X, y)
    other = quick().fit(X * 1024 - 64, y)  # exact in binary: the same scaled values to the last bit
    assert np.array_equal(model.neuron_.parameters(), other.neuron_.parameters())
    assert np.array_equal(model.predict(X), other.predict(X * 1024 - 64))


def test_values_beyond_the_training_range_are_clipped() -> None:
    X, y = IRIS
    model = quick().fit(X, y)
    assert np.array_equal(
        model.predict_proba(X.max(axis=0)[None] + 100), model.predict_proba(X.max(axis=0)[None])
    )


def test_constant_and_extreme_features() -> None:
    X, y = IRIS
    widest = np.zeros(len(X))
    widest[[0, 50]] = -1.7e308, 1.7e308  # the width itself overflows
    odd = np.column_stack([X, np.full(len(X), 1e300), widest, X[:, 0] * 1e-300])
    model = quick().fit(odd, y)
    assert np.isfinite(model.predict_proba(odd)).all()
    assert not model.neuron_.w_s[4].any() and model.neuron_.w_s[5].any()
    only = quick().fit(np.ones((20, 2)), np.arange(20) % 2)
    assert len(set(only.predict(np.random.default_rng(0).random((9, 2))))) == 1


def test_a_weight_is_as_many_copies_in_any_order() -> None:
    X, y = IRIS
    weights = np.random.default_rng(1).integers(0, 4, size=len(y))
    weighted = quick().fit(X, y, sample_weight=weights)
    order = np.random.default_rng(2).permutation(weights.sum())
    copied = quick().fit(np.repeat(X, weights, axis=0)[order], np.repeat(y, weights)[order])
    assert np.array_equal(weighted.neuron_.parameters(), copied.neuron_.parameters())
    ends = weighted.inputs_.unscaled(2, [0.0, 1.0])
    assert ends.tolist() == [X[weights > 0, 2].min(), X[weights > 0, 2].max()]
    assert np.array_equal(weighted.predict_proba(X), copied.predict_proba(X))
    plain = quick().fit(X, y)
    assert not np.array_equal(weighted.neuron_.parameters(), plain.neuron_.parameters())


def test_weights_move_the_decision() -> None:
    """Where two classes overlap, the one with more weight is predicted."""
    X, y = np.repeat([[0.0], [0.5], [1.0]], 20, axis=0), np.repeat([0, 0, 1], 20)
    y[30:40] = 1
    for heavy in (0, 1):
        model = quick().fit(X, y, sample_weight=np.where(y == heavy, 5.0, 1.0))
        assert model.predict([[0.5]]) == heavy


def test_bad_weights_are_named() -> None:
    X, y = IRIS
    for weights, message in (
        (-np.ones(150), r"sample_weight\[0\] is -1\.0; allowed: a finite number >= 0"),
        (np.zeros(150), "sample_weight is zero for all samples"),
        (np.ones(3), r"sample_weight has the shape \(3,\); allowed: \(150,\)"),
        (np.full(150, np.nan), r"sample_weight\[0\] is nan; allowed: a finite number"),
        (y == 0, "needs samples of at least 2 classes"),
    ):
        with pytest.raises(ValueError, match=message):
            quick().fit(X, y, sample_weight=weights)


def test_the_best_of_several_trainings_is_kept_whatever_the_number_of_jobs() -> None:
    X, y = IRIS
    one = quick(n_init=4, n_jobs=1).fit(X, y)
    two = quick(n_init=4, n_jobs=2).fit(X, y)
    assert np.array_equal(one.neuron_.parameters(), two.neuron_.parameters())
    assert np.array_equal(one.neuron_.P, two.neuron_.P) and np.array_equal(one.loss_curve_, two.loss_curve_)
    assert one.loss_curve_[-1] <= quick().fit(X, y).loss_curve_[-1]
    others = [quick(random_state=seed).fit(X, y).loss_curve_[-1] for seed in range(3)]
    assert len(set(others)) == 3


@pytest.mark.parametrize("filter", ["learned", "partition"])
@pytest.mark.parametrize("solver", ["bbo", "adam"])
def test_a_warm_start_continues_the_fit_before(solver: str, filter: str) -> None:
    X, y = IRIS
    settings = {"solver": solver, "filter": filter, "population_size": None}
    model = quick(warm_start=True, max_iter=100, **settings).fit(X, y)
    before, predictions, loss = model.neuron_, model.predict(X), model.loss_curve_[-1]
    model.set_params(max_iter=1).fit(X, y)
    if (solver, filter) == ("bbo", "learned"):  # may find a better P at once
        assert model.loss_curve_[-1] <= loss
    else:
        assert np.mean(model.predict(X) == predictions) > 0.97
    assert solver == "bbo" or np.array_equal(model.neuron_.P, before.P)
    cold = quick(solver=solver, filter=filter, max_iter=1).fit(X, y)
    assert np.mean(cold.predict(X) == predictions) < 0.95
    assert cold.loss_curve_[-1] > model.loss_curve_[-1]


def test_a_warm_start_keeps_scalings_and_categories() -> None:
    X, y = IRIS
    model = quick(warm_start=True).fit(X, y)
    inputs, proba = model.inputs_, model.neuron_.predict_proba(model.inputs_.transform(X))
    some = (X[:, 2] > 1.2) & (X[:, 0] < 7)  # another range
    model.fit(X[some], y[some])
    assert model.inputs_ is inputs
    assert model.loss_curve_[-1] <= cross_entropy(proba[some], y[some]) + 1e-6


def test_a_warm_start_with_another_shape_is_refused() -> None:
    X, y = IRIS
    model = quick(warm_start=True).fit(X, y)
    proba = model.predict_proba(X)
    with pytest.raises(ValueError, match=r"classes is \[1, 2\]; allowed: \[0, 1, 2\], as in the fit before"):
        model.fit(X[y > 0], y[y > 0])
    assert np.array_equal(model.predict_proba(X), proba)  # nothing of it is lost
    model.set_params(n_dendrites=3)
    with pytest.raises(ValueError, match="n_dendrites is 3; allowed: 30, as in the fit before"):
        model.fit(X, y)
    with pytest.raises(ValueError, match="3 features"):
        quick(warm_start=True).fit(X, y).fit(X[:, :3], y)


def test_random_states() -> None:
    X, y = IRIS
    a, b = (quick(random_state=np.random.RandomState(5)).fit(X, y) for _ in range(2))
    assert np.array_equal(a.neuron_.parameters(), b.neuron_.parameters())
    c, d = (quick(random_state=None, max_iter=1).fit(X, y) for _ in range(2))
    assert not np.array_equal(c.neuron_.parameters(), d.neuron_.parameters())


def test_the_loss_curve_ends_with_the_loss_of_the_neuron() -> None:
    X, y = IRIS
    model = quick().fit(X, y)
    proba = model.neuron_.predict_proba(model.inputs_.transform(X))
    assert model.loss_curve_[-1] == pytest.approx(cross_entropy(proba, y), rel=1e-4)
    assert (np.diff(model.loss_curve_) <= 0).all() and model.n_iter_ == len(model.loss_curve_) - 1

    X, y = load_breast_cancer(return_X_y=True)
    dnm = DNMClassifier(solver="bbo", max_iter=20, random_state=0).fit(X, y)
    proba = dnm.neuron_.predict_proba(dnm.inputs_.transform(X))[np.arange(len(y)), y]
    assert dnm.loss_curve_[-1] == pytest.approx(-np.log(proba).mean(), rel=1e-4)


@pytest.mark.parametrize("filter", ["learned", "partition", "full"])
def test_the_filter_is_the_one_asked_for(filter: str) -> None:
    X, y = IRIS
    P = quick(filter=filter, n_dendrites=6, max_iter=2).fit(X, y).neuron_.P
    outputs = P.sum(axis=1)
    assert P.shape == (6, 3)
    assert {"learned": True, "partition": (outputs == 1).all(), "full": P.all()}[filter]


def test_solvers_take_their_options() -> None:
    X, y = IRIS
    settings = {"filter": "partition", "max_iter": 5, "random_state": 0}
    slow = MODNClassifier(solver_options={"learning_rate": 1e-9}, **settings).fit(X, y)
    fast = MODNClassifier(**settings).fit(X, y)
    assert np.ptp(slow.loss_curve_) < 1e-5 < np.ptp(fast.loss_curve_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"filter": "some"}, "filter is 'some'; allowed: full, learned, partition"),
        ({"solver": "sgd"}, "solver is 'sgd'; allowed: adam, bbo, .*, or two joined by"),
        ({"solver": "bbo+sgd"}, r"solver is 'bbo\+sgd'; allowed: adam"),
        ({"solver": None}, "solver is None; allowed: adam"),
        ({"solver_options": {"lr": 1}}, "bbo has no parameter 'lr'"),
        (
            {"solver_options": [1]},
            r"solver_options is \[1\]; allowed: a mapping from names to values, or None",
        ),
        ({"n_dendrites": 0}, "MODNClassifier: n_dendrites is 0; allowed: an integer >= 1, or None"),
        ({"n_dendrites": 4, "filter": "partition"}, "multiple of n_classes"),
        ({"max_iter": 0}, "max_iter is 0; allowed: an integer >= 1, or None"),
        ({"max_iter": 2.5}, r"max_iter is 2\.5; allowed: an integer >= 1, or None"),
        ({"population_size": 0}, "population_size is 0; allowed: an integer >= 1, or None"),
        ({"n_init": 0}, "n_init is 0; allowed: an integer >= 1"),
        ({"n_jobs": 0}, "n_jobs is 0; allowed: an integer other than 0, or None"),
        ({"n_jobs": "all"}, "n_jobs is 'all'; allowed: an integer other than 0, or None"),
        ({"warm_start": 1}, "warm_start is 1; allowed: True or False"),
        ({"random_state": -1}, "random_state is -1; allowed: an integer from 0"),
        ({"verbose": "no"}, "verbose is 'no'; allowed: True or False, or an integer >= 0"),
        ({"alpha_s": -1.0}, r"alpha_s is -1\.0; allowed: a finite number > 0"),
        ({"alpha_t": np.nan}, "alpha_t is nan; allowed: a finite number > 0"),
    ],
)
def test_bad_parameters_are_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        quick(**parameters).fit(*IRIS)


@pytest.mark.parametrize("model", [MODNClassifier(), DNMClassifier()], ids=lambda model: type(model).__name__)
def test_every_parameter_has_a_constraint(model: Any) -> None:
    assert set(model.allowed) == set(model.get_params())
    for name, value in model.get_params().items():
        assert model.allowed[name].accepts(value)
        assert not model.allowed[name].accepts(object()), name


def test_one_class_and_for_a_dnm_three_are_refused() -> None:
    with pytest.raises(ValueError, match="needs samples of at least 2 classes; y has 1 class"):
        quick().fit(IRIS[0], np.zeros(150))
    with pytest.raises(ValueError, match=r"it has 3 classes\. MODNClassifier handles any number"):
        DNMClassifier().fit(*IRIS)


def test_a_fit_that_fails_leaves_the_model_as_it_was() -> None:
    X, y = load_iris(return_X_y=True)
    model = MODNClassifier(max_iter=2, random_state=0).fit(X, y)
    predictions = model.predict(X)
    with pytest.raises(ValueError, match="at least 2 classes"):
        model.fit(X[:, :2], np.zeros(len(X)))
    assert model.n_features_in_ == 4
    np.testing.assert_array_equal(model.predict(X), predictions)


def test_names_of_features_are_kept_and_checked() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = quick().fit(X, y)
    assert model.feature_names_in_.tolist() == list(X.columns) and model.n_features_in_ == 4
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(pd.DataFrame(X.to_numpy(), columns=list("abcd")))


def test_a_bar_is_shown_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    quick(max_iter=2).fit(*IRIS)
    assert capsys.readouterr().err == ""
    quick(max_iter=2, n_init=2, n_jobs=2, verbose=True).fit(*IRIS)
    assert "training: 100%" in capsys.readouterr().err


def test_ctrl_c_is_ctrl_c_wherever_it_hits(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the way into a compiled function it becomes a SystemError; the model stays as it was."""
    model = MODNClassifier(solver="bbo", max_iter=1).fit([[0.0], [1.0]], [0, 1])
    before = model.neuron_

    def interrupted(*arguments: object) -> None:
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    monkeypatch.setattr(type(model), "_problem", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit([[0.0], [1.0]], [0, 1])
    assert model.neuron_ is before
