"""MODNRegressor: scikit-learn's conventions, units of y, weights, files, effects; functions of known form."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_linnerud
from sklearn.metrics import r2_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import modn
from modn import MODNRegressor
from modn.explain import effects, rules


def sample(n: int = 120, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(seed).uniform(-1, 1, (n, 3))
    return X, 40 + 10 * X[:, 0] * X[:, 1]


def quick(**options: Any) -> MODNRegressor:
    return MODNRegressor(**({"max_iter": 60, "n_dendrites": 8, "random_state": 0} | options))


@parametrize_with_checks([quick(), quick(solver="bbo+adam", max_iter=50, population_size=20)])
def test_scikit_learns_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


# Functions of known form


FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "xor": lambda X: ((X[:, 0] > 0) != (X[:, 1] > 0)) * 1.0,
    "additive": lambda X: np.sin(3 * X[:, 0]) + X[:, 1] ** 2 + X[:, 2],
    "multiplicative": lambda X: X[:, 0] * X[:, 1] * (1 + X[:, 2]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_known_form_are_found(name: str) -> None:
    function = FUNCTIONS[name]
    rng = np.random.default_rng(0)
    X, unseen = rng.uniform(-1, 1, (2, 1000, 4))
    model = MODNRegressor(random_state=0).fit(X, function(X))
    assert model.score(X, function(X)) > 0.98
    assert model.score(unseen, function(unseen)) > 0.97


def test_strengths_are_worth_having() -> None:
    X, y = sample(300)
    unseen, wanted = sample(300, seed=1)
    with_strengths = quick(max_iter=300).fit(X, y).score(unseen, wanted)
    assert with_strengths > quick(max_iter=300, strengths=False).fit(X, y).score(unseen, wanted)
    assert quick(strengths=False).fit(X, y).neuron_.strength is None


# Units, shapes and weights


def test_the_neurons_outputs_are_in_the_units_of_y() -> None:
    X, y = sample()
    model = quick().fit(X, y)
    assert model.neuron_.outputs(model.inputs_.transform(X))[:, 0] == pytest.approx(
        model.predict(X), rel=1e-4
    )
    assert abs(model.predict(X).mean() - y.mean()) < 1


def test_the_units_of_y_change_nothing_but_the_units() -> None:
    X, y = sample()
    model = quick().fit(X, y)
    other = quick().fit(X, 1e6 + 1000 * y)
    assert other.predict(X) == pytest.approx(1e6 + 1000 * model.predict(X), rel=1e-6)
    assert other.loss_curve_ == pytest.approx(model.loss_curve_, rel=1e-3)


def test_several_outputs_are_predicted_together() -> None:
    X, y = load_linnerud(return_X_y=True, as_frame=True)
    model = quick().fit(X, y)
    assert model.predict(X).shape == (20, 3)
    assert (model.n_outputs_, model.output_names_) == (3, ["Weight", "Waist", "Pulse"])
    assert quick(n_dendrites=None, max_iter=2).fit(X, y).neuron_.P.shape == (50, 3)
    assert quick().fit(X.to_numpy(), y.to_numpy()).output_names_ == ["y0", "y1", "y2"]


def test_one_output_is_a_vector_whatever_its_shape() -> None:
    X, y = sample()
    flat, column = quick().fit(X, y), quick().fit(X, y[:, None])
    assert flat.predict(X).shape == column.predict(X).shape == (120,)
    assert (flat.predict(X) == column.predict(X)).all()
    assert flat.output_names_ == ["y"]
    assert quick().fit(X, pd.Series(y, name="price")).output_names_ == ["price"]


def test_a_constant_y_is_predicted() -> None:
    X, _ = sample()
    assert quick().fit(X, np.full(120, 7.0)).predict(X) == pytest.approx(np.full(120, 7.0), abs=0.2)


def test_a_weight_of_2_equals_two_copies() -> None:
    X, y = sample(40)
    twice = np.concatenate([X, X[:10]]), np.concatenate([y, y[:10]])
    weights = np.where(np.arange(40) < 10, 2.0, 1.0)
    copied, weighted = quick().fit(*twice), quick().fit(X, y, sample_weight=weights)
    assert copied.predict(X) == pytest.approx(weighted.predict(X), rel=1e-9)


def test_samples_with_weight_0_are_ignored() -> None:
    X, y = sample(40)
    weights = np.where(np.arange(40) < 10, 0.0, 1.0)
    ignoring = quick().fit(X, y, sample_weight=weights)
    assert (ignoring.predict(X) == quick().fit(X[10:], y[10:]).predict(X)).all()


def test_missing_values_and_categories_are_taken() -> None:
    X, y = sample()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["colour"] = np.where(X[:, 2] > 0, "red", "blue")
    frame.loc[::7, "a"] = np.nan
    model = quick(max_iter=200).fit(frame, y + np.where(X[:, 2] > 0, 50, 0))
    assert model.score(frame, y + np.where(X[:, 2] > 0, 50, 0)) > 0.9
    assert np.isfinite(model.predict(frame.assign(colour="green", b=np.nan))).all()


# Training


def test_a_warm_start_continues_though_the_scale_of_y_is_another() -> None:
    X, y = sample()
    model = quick(warm_start=True, max_iter=300).fit(X, y)
    before, some = model.predict(X), y > 40
    model.set_params(max_iter=1, solver_options={"learning_rate": 1e-6}).fit(X[some], y[some])
    assert model.predict(X) == pytest.approx(before, rel=1e-4)
    with pytest.raises(ValueError, match="warm_start: n_outputs is 2; allowed: 1, as in the fit before"):
        model.fit(X, np.stack([y, y], axis=1))
    with pytest.raises(ValueError, match="warm_start: n_dendrites is 9; allowed: 8, as in the fit before"):
        model.set_params(n_dendrites=9).fit(X, y)


def test_several_neurons_are_averaged() -> None:
    X, y = sample()
    model = quick(n_estimators=3).fit(X, y)
    each = [neuron.outputs(model.inputs_.transform(X))[:, 0] for neuron in model.neurons_]
    assert len(each) == 3
    assert model.predict(X) == pytest.approx(np.mean(each, axis=0), rel=1e-4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strengths": 1}, "MODNRegressor: strengths is 1; allowed: True or False, or None"),
        ({"n_dendrites": 0}, "MODNRegressor: n_dendrites is 0; allowed: an integer >= 1, or None"),
        ({"solver_options": {"depth": 3}}, "adam has no parameter 'depth'; allowed: "),
    ],
)
def test_what_the_regressor_refuses(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        quick(**options).fit(*sample())


# Files and explanations


@pytest.mark.parametrize("strengths", [True, False])
def test_a_saved_regressor_predicts_the_same(tmp_path: Path, strengths: bool) -> None:
    X, y = load_linnerud(return_X_y=True, as_frame=True)
    model = quick(strengths=strengths, n_estimators=2).fit(X, y)
    modn.save(model, tmp_path / "model.modn")
    loaded = modn.load(tmp_path / "model.modn")
    assert (loaded.predict(X) == model.predict(X)).all()
    assert loaded.output_names_ == model.output_names_
    assert loaded.get_params() == model.get_params()


def test_contributions_add_up_to_the_prediction() -> None:
    X, y = load_linnerud(return_X_y=True)
    model = quick().fit(X, y)
    neuron = model.neuron_
    total = model.contributions(X).sum(axis=1) - neuron.alpha_t * neuron.theta_t
    assert model.contributions(X).shape == (20, 8, 3)
    assert total == pytest.approx(model.predict(X), rel=1e-4)


def test_effects_say_what_each_dendrite_adds() -> None:
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    model = quick(n_dendrites=6, max_iter=200).fit(X, y)
    found = effects(model, X=X, y=y)
    # By hand: the mean of each dendrite where its conditions hold, and elsewhere.
    contributions = model.contributions(X)
    inputs = model.inputs_.transform(X)
    total = np.full(len(X), -model.neuron_.alpha_t * model.neuron_.theta_t[0])
    kept = {effect.dendrite: effect for effect in found.effects}
    for j in range(6):
        added = contributions[:, j, 0]
        holds = kept[j].holds(inputs) if j in kept else np.ones(len(X), dtype=bool)
        total += np.where(holds, added[holds].mean(), added[~holds].mean() if j in kept else 0.0)
    assert found.predict(X) == pytest.approx(total)
    assert found.score is not None
    assert found.score.effects == pytest.approx(r2_score(y, total))
    assert found.score.model == pytest.approx(model.score(X, y))
    assert "to target (" in str(found.effects[0]) and "adds " in str(found.effects[0])
    assert "target starts at" in str(found) and "R2 on 442 samples: the neuron" in str(found)
    assert "points spread over the features' ranges" in str(effects(model))


def test_what_explanations_refuse() -> None:
    X, y = sample()
    model = quick().fit(X, y)
    with pytest.raises(TypeError, match="model is a MODNRegressor; allowed: a fitted MODNClassifier or DNM"):
        rules(model)
    with pytest.raises(ValueError, match=r"y has the shape \(3,\); allowed: \(120,\), that of the predic"):
        effects(model, X=X, y=y[:3])
    with pytest.raises(ValueError, match="feature_names has the length 1; allowed: 3"):
        effects(model, feature_names=["a"])
