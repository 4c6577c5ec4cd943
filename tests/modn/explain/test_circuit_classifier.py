"""CircuitClassifier, to_circuit and circuit_path."""

import os
import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_iris, load_wine
from sklearn.utils.estimator_checks import parametrize_with_checks

from modn import CircuitClassifier, MODNClassifier, circuit_path
from modn.estimators import circuit
from modn.explain.learning.path import size_path
from modn.folds import stratified_folds

IRIS = load_iris(return_X_y=True, as_frame=True)


def mixed_frame(N: int = 300) -> tuple[pd.DataFrame, NDArray[np.str_]]:
    """Numbers, categories and missing values; the class follows from two of the features."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "noise": rng.normal(size=N),
            "color": pd.Categorical(rng.choice(["red", "green", "blue"], N)),
            "age": rng.integers(18, 80, N).astype(float),
            "member": rng.random(N) < 0.5,
        }
    )
    y = np.where((frame["color"] == "red") & (frame["age"] >= 40), "yes", "no")
    frame.loc[rng.random(N) < 0.05, "noise"] = np.nan
    frame.loc[:5, "color"] = None
    return frame, y


@parametrize_with_checks([CircuitClassifier(size=4, start="nothing", random_state=0)])
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([CircuitClassifier(random_state=0)])
def test_scikit_learns_checks_with_the_defaults(
    estimator: Any, check: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a small search, whose steps are those of the default one: how good it is, is not what they check."""
    monkeypatch.setattr(circuit, "MODNClassifier", partial(MODNClassifier, n_dendrites=6, max_iter=10))
    monkeypatch.setattr("modn.explain.learning.path.FOLDS", 2)
    monkeypatch.setattr("modn.explain.making.MAX_SIZE", 6)
    check(estimator)


@pytest.mark.parametrize("start", ["neuron", "nothing"])
def test_categories_and_missing_values(start: str) -> None:
    X, y = mixed_frame()
    model = CircuitClassifier(size=3, start=start, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.95
    text = str(model.circuit_)
    assert "color is" in text and "red" in text and "age >= " in text
    unseen = X.iloc[:3].assign(color=["violet", None, "red"], age=[50.0, 50.0, np.nan])
    assert model.predict(unseen).tolist() == model.circuit_.predict(unseen).tolist()
    assert model.predict(unseen)[0] == "no", "an unseen category is none of the known ones"
    assert (model.decision_function(X) > 0).tolist() == (model.predict(X) == "yes").tolist()


def test_an_array_of_objects_is_as_good_as_a_frame() -> None:
    X, y = mixed_frame()
    as_array = X.astype(object).where(X.notna(), None).to_numpy()
    kwargs = {"size": 3, "start": "nothing", "random_state": 0}
    by_frame, by_array = (CircuitClassifier(**kwargs).fit(samples, y) for samples in (X, as_array))
    assert by_frame.circuit_.dendrites == by_array.circuit_.dendrites
    assert (by_frame.predict(X) == by_array.predict(as_array)).all()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_circuit_and_a_path() -> None:
    X, y = IRIS
    first, second = (CircuitClassifier(start="nothing", random_state=3).fit(X, y).circuit_ for _ in range(2))
    assert first.to_dict() == second.to_dict()
    assert first.path is not None and first.evidence is not None
    assert first.n_conditions <= first.path.chosen
    assert first.path.accuracy.max() > 0.9 and np.isnan(first.path.neuron)
    assert first.path.sizes.tolist() == list(range(1, len(first.path.sizes) + 1))


def test_a_neuron_becomes_a_circuit_of_the_wanted_size() -> None:
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = MODNClassifier(random_state=0).fit(X, y)
    circuit = model.to_circuit(X, y, size=8)
    assert circuit.n_conditions <= 8 and circuit.path is None
    assert circuit.evidence is not None and circuit.evidence.accuracy > 0.95
    assert [feature.name for feature in circuit.features] == X.columns.tolist()
    rows = circuit.weights.argmax(axis=1)
    assert (np.diff(rows) >= 0).all(), "rules are sorted by class"


def test_the_path_of_a_neuron() -> None:
    X, y = IRIS
    path = circuit_path(MODNClassifier(max_iter=20, random_state=0).fit(X, y), X, y, random_state=1)
    sizes = [circuit.n_conditions for circuit in path.circuits]
    assert sizes == sorted(set(sizes)) and sizes[0] == 0
    assert path.circuit(2).n_conditions <= 2
    assert path.circuit().n_conditions <= path.accuracy.chosen
    assert path.circuit().path is path.accuracy
    assert path.accuracy.neuron > 0.8
    assert str(path).count("(chosen)") == 1
    smaller = path.circuit("one_standard_error")
    assert smaller.n_conditions <= path.accuracy.one_standard_error
    with pytest.raises(
        ValueError, match="size is 0; allowed: an integer >= 1, 'one_standard_error', or None"
    ):
        path.circuit(0)


@pytest.mark.parametrize("start", ["neuron", "nothing"])
def test_monotone_features(start: str) -> None:
    X, y = IRIS
    signs = {"petal width (cm)": 1, "petal length (cm)": -1}
    model = CircuitClassifier(size=6, start=start, monotone=signs, random_state=0).fit(X, y)
    names = [feature.name for feature in model.circuit_.features]
    tests = {(names[c.feature], c.test) for conditions in model.circuit_.dendrites for c in conditions}
    assert tests and ("petal width (cm)", "<") not in tests and ("petal length (cm)", ">=") not in tests
    for refused in ({"petal width (cm)": 2}, {"petal width (cm)": 0}, {1: 1}, "petal"):
        with pytest.raises(ValueError, match="allowed: a mapping from names to 1 or -1, or None"):
            CircuitClassifier(monotone=refused).fit(X, y)
    with pytest.raises(ValueError, match="monotone has no parameter 'petal'; allowed: sepal length"):
        CircuitClassifier(start="nothing", monotone={"petal": 1}).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"size": 0}, "CircuitClassifier: size is 0; allowed: an integer >= 1, 'one_standard"),
        ({"size": "two"}, "CircuitClassifier: size is 'two'; allowed: an integer >= 1, 'one_standard"),
        ({"start": "tree"}, "CircuitClassifier: start is 'tree'; allowed: neuron, nothing"),
        ({"random_state": "x"}, "CircuitClassifier: random_state is 'x'; allowed: an integer from 0"),
    ],
)
def test_parameters_that_are_refused(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CircuitClassifier(**parameters).fit(*IRIS)


def test_labels_that_are_refused() -> None:
    X, _ = IRIS
    with pytest.raises(ValueError, match="needs samples of at least 2 classes; y has 1 class, 'a'"):
        CircuitClassifier().fit(X, ["a"] * 150)
    model = MODNClassifier(max_iter=1, random_state=0).fit(*IRIS)
    with pytest.raises(ValueError, match="y has the label 7; allowed: 0, 1, 2"):
        model.to_circuit(X, np.full(150, 7))
    infinite = X.assign(**{"petal width (cm)": np.inf})
    with pytest.raises(ValueError, match="contains infinity; allowed: finite numbers, NaN where missing"):
        CircuitClassifier(start="nothing").fit(infinite, IRIS[1])


def test_the_smallest_size_from_which_on_the_accuracy_no_longer_rises_is_chosen() -> None:
    sizes = np.arange(1, 6)
    mean = np.array([0.5, 0.8, 0.7, 0.9, 0.88])
    accuracies = mean + np.array([[0.01], [-0.01]])
    path = size_path(sizes, accuracies, 0.95)
    np.testing.assert_allclose(path.accuracy, mean)
    np.testing.assert_allclose(path.standard_error, 0.01)
    assert (path.chosen, path.neuron) == (4, 0.95)
    unknown = size_path(sizes, accuracies[:0], np.nan)
    assert unknown.chosen == unknown.one_standard_error == 5


def test_the_one_standard_error_rule_chooses_a_smaller_circuit() -> None:
    sizes = np.arange(1, 6)
    accuracies = np.array([0.5, 0.8, 0.86, 0.84, 0.9]) + np.array([[0.05], [-0.05]])
    path = size_path(sizes, accuracies, 0.95)
    assert (path.chosen, path.one_standard_error) == (5, 3)


def test_folds_hold_out_each_sample_once_but_never_a_whole_class() -> None:
    codes = np.array([0] * 11 + [1] * 2 + [2])
    folds = stratified_folds(codes, 5, np.random.default_rng(0))
    assert folds[-1] == -1 and sorted(set(folds[:-1])) == [0, 1, 2, 3, 4]
    assert max(np.bincount(folds[:-1])) - min(np.bincount(folds[:-1])) <= 1
    for fold in range(5):
        assert set(codes[folds != fold]) == {0, 1, 2}


LEARN = """
import numpy as np
from sklearn.datasets import load_iris
from modn import MODNClassifier

X, y = load_iris(return_X_y=True)
rows = np.random.default_rng(0).permutation(150)[:105]
print(MODNClassifier(random_state=0).fit(X[rows], y[rows]).to_circuit(X[rows], y[rows], size=60))
"""


@pytest.mark.slow
def test_the_kernels_of_blas_do_not_matter(capsys: pytest.CaptureFixture[str]) -> None:
    """They sum in different orders, and a circuit can hang on a last digit: this processor's and old ones."""
    exec(LEARN, {})
    found = capsys.readouterr().out
    environment = os.environ | {"OPENBLAS_CORETYPE": "Prescott"}
    command = [sys.executable, "-c", LEARN]
    old = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert old == found and ">=" in found
