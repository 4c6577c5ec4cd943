"""Model files: a saved model is loaded unchanged; any other file is a clear error."""

import json
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import modn
from modn.dnm import DNM
from modn.persistence import FORMAT, FormatError, read

X = np.random.default_rng(0).random((30, 3)) * [1.0, 50.0, 0.0] + [0.0, -10.0, 7.0]  # the last is constant
THREE = np.arange(30) % 3


def classifier(labels: Any = THREE, **parameters: Any) -> modn.MODNClassifier:
    settings = {"solver": "bbo", "max_iter": 3, "population_size": 6, "n_dendrites": 6, "random_state": 1}
    return modn.MODNClassifier(**(settings | parameters)).fit(X, labels)


def neuron() -> modn.Neuron:
    return classifier().neuron_


def header_and_arrays(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    with np.load(path, allow_pickle=False) as archive:
        arrays = dict(archive)
    return json.loads(str(arrays.pop("header"))), arrays


@pytest.mark.parametrize(
    "labels",
    [
        THREE,
        THREE.astype(np.int8) - 1,
        THREE - 1.0,
        THREE.astype(np.float32),
        THREE > 0,
        np.array(["a", "éé", "snow 雪"])[THREE],
        np.array(["no", "yes", "perhaps"], dtype=object)[THREE],
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_a_classifier_comes_back_with_its_labels(tmp_path: Path, labels: np.ndarray) -> None:
    model, path = classifier(labels), tmp_path / "any name"
    modn.save(model, path)
    again = modn.load(path)
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert again.classes_.dtype == model.classes_.dtype
    assert again.get_params() == model.get_params()
    assert np.array_equal(again.loss_curve_, model.loss_curve_) and again.n_iter_ == model.n_iter_
    assert {name for name in vars(model) if name.endswith("_")} == {n for n in vars(again) if n.endswith("_")}


def test_feature_names_come_back_and_are_checked(tmp_path: Path) -> None:
    frame = pd.DataFrame(X, columns=["length", "width", "größe"])
    model = classifier()
    model.fit(frame, THREE)
    modn.save(model, tmp_path / "model")
    again = modn.load(tmp_path / "model")
    assert again.feature_names_in_.tolist() == ["length", "width", "größe"]
    assert np.array_equal(again.predict_proba(frame), model.predict_proba(frame))
    with pytest.raises(ValueError, match="feature names"):
        again.predict(frame[["width", "length", "größe"]])


def test_categories_missing_values_and_ensembles_come_back(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "colour": np.array(["red", "grün", None], dtype=object)[rng.integers(3, size=30)],
            "code": pd.Categorical(THREE),
            "wide": np.exp(9 * rng.normal(size=30)),
            "tall": rng.random() > 0.5,
        }
    )
    model = classifier(n_estimators=3, class_weight="balanced").fit(frame, THREE)
    modn.save(model, tmp_path / "model")
    again = modn.load(tmp_path / "model")
    assert len(again.neurons_) == 3 and again.neuron_ is again.neurons_[0]
    assert again.inputs_.columns == model.inputs_.columns and again.temperature_ == model.temperature_
    assert np.array_equal(again.predict_proba(frame), model.predict_proba(frame))
    assert np.array_equal(again.decision_function(frame), model.decision_function(frame))


def test_a_mapping_of_class_weights_comes_back(tmp_path: Path) -> None:
    """JSON has texts as keys only."""
    model = classifier(class_weight={0: 1.0, 1: np.float64(2.0), 2: 1.5})
    modn.save(model, tmp_path / "model")
    assert modn.load(tmp_path / "model").class_weight == {0: 1.0, 1: 2.0, 2: 1.5}


def test_files_of_the_first_format_predict_by_the_papers_equations(tmp_path: Path) -> None:
    """Written at its last commit; `test_cli` compares the probabilities of another."""
    model = modn.load(Path(__file__).parent / "models" / "dnm_1.modn")
    samples = np.random.default_rng(0).random((40, 2))[:3]
    assert np.allclose(model.predict_proba(samples)[:, 1], [0.7724828, 0.2626377, 0.8155575], atol=1e-6)
    inputs = model.inputs_.transform(samples)
    assert np.allclose(model.predict_proba(samples), model.neuron_.predict_proba(inputs), atol=1e-6)
    modn.save(model, tmp_path / "model")
    assert np.array_equal(modn.load(tmp_path / "model").predict_proba(samples), model.predict_proba(samples))


def test_a_dnm_comes_back(tmp_path: Path) -> None:
    labels = np.array(["no", "yes"])[THREE % 2]
    model = modn.DNMClassifier(solver="bbo", max_iter=3, n_dendrites=4, theta_o=0.3).fit(X, labels)
    modn.save(model, tmp_path / "model")
    again = modn.load(tmp_path / "model")
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.neuron_.theta_o == 0.3


@pytest.mark.parametrize("make", [neuron, lambda: DNM(np.ones((3, 2)), np.zeros((3, 2)), 5.0, 2.0, -0.5)])
def test_a_bare_neuron_comes_back(tmp_path: Path, make: Callable[[], Any]) -> None:
    bare = make()
    modn.save(bare, tmp_path / "neuron")
    again = modn.load(tmp_path / "neuron")
    assert type(again) is type(bare)
    assert np.array_equal(again.predict_proba(X), bare.predict_proba(X))
    assert np.array_equal(again.parameters(), bare.parameters())


def test_notes_and_odd_parameters_are_written_down(tmp_path: Path) -> None:
    options = MappingProxyType({"mutation": np.float64(0.2)})
    model = classifier(solver_options=options, random_state=np.random.RandomState(3), n_init=np.int64(2))
    modn.save(model, tmp_path / "model", notes={"target": "class"})
    again, notes = read(tmp_path / "model")
    assert notes == {"target": "class"}
    assert again.solver_options == {"mutation": 0.2}
    assert again.random_state is None and again.n_init == 2


def test_what_cannot_be_saved_is_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "model"
    modn.save(classifier(), path)
    before = path.read_bytes()
    with pytest.raises(TypeError, match="a dict cannot be saved; allowed: MODNClassifier"):
        modn.save({}, path)  # type: ignore[arg-type]
    with pytest.raises(NotFittedError):
        modn.save(modn.MODNClassifier(), path)
    with pytest.raises(TypeError, match="JSON"):
        modn.save(classifier(), path, notes={"what": object()})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_of_a_later_format_says_so(tmp_path: Path) -> None:
    path = tmp_path / "model"
    modn.save(classifier(), path)
    header, arrays = header_and_arrays(path)
    later = header | {"version": 3, "modn": "9.1", "something": "new"}
    with path.open("wb") as file:
        np.savez(file, header=np.array(json.dumps(later)), **arrays)
    with pytest.raises(FormatError, match=r"written by modn 9\.1, format 3.*reads formats up to 2"):
        modn.load(path)


def changed(name: str, value: Any) -> Any:
    """A function that changes what the header says of the classifier."""
    return lambda header, arrays: (
        header | {"estimator": header["estimator"] | {name: value}},
        arrays,
    )


def damages() -> dict[str, Any]:
    """Functions that damage a file's header or arrays."""
    return {
        "no header": lambda header, arrays: (None, arrays),
        "another format": lambda header, arrays: (header | {"format": "other"}, arrays),
        "version is not a number": lambda header, arrays: (header | {"version": "1"}, arrays),
        "a header that is not an object": lambda header, arrays: ([FORMAT], arrays),
        "an unknown model": lambda header, arrays: (header | {"model": "Tree"}, arrays),
        "an unknown parameter": lambda header, arrays: (
            header | {"estimator": header["estimator"] | {"parameters": {"depth": 3}}},
            arrays,
        ),
        "a class too few": lambda header, arrays: (
            header | {"estimator": header["estimator"] | {"classes": [0, 1]}},
            arrays,
        ),
        "a name too many": changed("feature_names", list("abcd")),
        "a feature too few": changed("features", [2, 2]),
        "knots too many": changed("features", [2, 3, None]),
        "no such feature": changed("features", [2, 2, "number"]),
        "a temperature below 0": changed("temperature", -1.0),
        "no temperature that is a number": changed("temperature", "hot"),
        "no neurons": lambda header, arrays: (header | {"numbers": []}, arrays),
        "a neuron too many": lambda header, arrays: (header | {"numbers": header["numbers"] * 2}, arrays),
        "an array missing": lambda header, arrays: (header, arrays.pop("w_t.0") is None or arrays),
        "another shape": lambda header, arrays: (header, arrays | {"theta_s.0": np.ones((2, 2))}),
        "numbers for P": lambda header, arrays: (header, arrays | {"P.0": np.ones((6, 3))}),
        "not a number": lambda header, arrays: (header, arrays | {"knots": np.full((2, 4), np.nan)}),
        "knots that fall": lambda header, arrays: (header, arrays | {"knots": arrays["knots"][:, ::-1]}),
        "objects": lambda header, arrays: (header, arrays | {"w_t.0": np.array([None, 1.0], dtype=object)}),
    }


@pytest.mark.parametrize("damage", damages())
def test_a_spoilt_file_is_a_clear_error(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "model"
    modn.save(classifier(), path)
    header, arrays = damages()[damage](*header_and_arrays(path))
    with path.open("wb") as file:
        np.savez(file, **arrays, **({} if header is None else {"header": np.array(json.dumps(header))}))
    with pytest.raises(FormatError, match="model is"):
        modn.load(path)


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 broken", b"\x93NUMPY\x01\x00"])
def test_a_foreign_file_is_a_clear_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model"
    path.write_bytes(content)
    with pytest.raises(FormatError, match="not a model file of modn") as refusal:
        modn.load(path)
    assert "pickle" not in str(refusal.value)  # no hint at how to open it unsafely
    with pytest.raises(FileNotFoundError):
        modn.load(tmp_path / "none")


def test_cut_or_changed_bytes_are_an_error_or_harmless(tmp_path: Path) -> None:
    model, path = classifier(), tmp_path / "model"
    modn.save(model, path)
    content = path.read_bytes()
    for length in range(0, len(content), 101):
        path.write_bytes(content[:length])
        with pytest.raises(FormatError):
            modn.load(path)
    refused = 0
    for place in range(0, len(content), 61):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
        try:
            again = modn.load(path)
        except FormatError:
            refused += 1
        else:  # such as a time stamp of the zip
            assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert refused > len(content) // 61 // 2
