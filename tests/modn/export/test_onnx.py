"""A whole classifier in ONNX: its probabilities, within 1e-5, and its labels."""

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from circuits import mixed
from runners import feeds
from scipy.special import softmax

import modn


def data() -> tuple[pd.DataFrame, pd.Series]:
    """Numbers, clean and heavy-tailed, categories, a constant; some missing."""
    rng = np.random.default_rng(0)
    frame = mixed(rng, 200)
    frame = frame.assign(heavy=np.exp(3 * rng.normal(size=200)), same=1.0, flag=rng.random(200) < 0.5)
    y = np.where(frame["size"].fillna(0) + (frame["colour"] == "red") + frame["flag"] > 0.8, "yes", "no")
    return frame, pd.Series(y)


@pytest.mark.parametrize("n_estimators", [1, 3])
def test_a_classifier_with_every_kind_of_input(n_estimators: int) -> None:
    frame, y = data()
    seen = frame["colour"] != "purple"
    model = modn.MODNClassifier(n_estimators=n_estimators, max_iter=50, random_state=0).fit(
        frame[seen], y[seen]
    )
    label, proba = run(model, frame)
    assert np.abs(proba - model.predict_proba(frame)).max() < 1e-5
    assert label.tolist() == model.predict(frame).tolist()
    U = np.mean([potentials(neuron, model.inputs_.transform(frame)) for neuron in model.neurons_], axis=0)
    assert np.abs(proba - softmax(model.temperature_ * U, axis=1)).max() < 1e-12


def test_a_model_of_the_first_format_predicts_by_equation_9() -> None:
    X, y = np.random.default_rng(0).random((60, 3)), np.arange(60) % 3
    model = modn.MODNClassifier(solver="bbo", max_iter=5, random_state=0).fit(X, y)
    model.temperature_ = None
    label, proba = run(model, pd.DataFrame(X, columns=["x0", "x1", "x2"]))
    assert np.abs(proba - model.neuron_.predict_proba(model.inputs_.transform(X))).max() < 1e-12
    assert label.dtype == np.int64


def test_rare_categories_count_as_one() -> None:
    rng = np.random.default_rng(0)
    texts = np.array([f"t{k}" for k in rng.integers(0, 40, 400)], dtype=object)
    frame, y = pd.DataFrame({"text": texts, "x": rng.random(400)}), rng.integers(0, 2, 400)
    model = modn.MODNClassifier(solver="bbo", max_iter=3, random_state=0).fit(frame, y)
    assert model.inputs_.features[0].others
    more = pd.concat([frame, pd.DataFrame({"text": ["never", None], "x": [0.5, np.nan]})], ignore_index=True)
    assert np.abs(run(model, more)[1] - model.predict_proba(more)).max() < 1e-5


def test_what_it_cannot_express() -> None:
    constant = modn.MODNClassifier(solver="bbo", max_iter=2).fit([[1.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="onnx cannot express a model whose features are all constant"):
        modn.export.onnx(constant)
    empty = pd.DataFrame({"text": ["", "a", "b", "b"]})
    model = modn.MODNClassifier(solver="bbo", max_iter=2).fit(empty, [0, 1, 0, 1])
    with pytest.raises(ValueError, match='onnx cannot express the category ""'):
        modn.export.onnx(model)


def run(model: modn.MODNClassifier, frame: pd.DataFrame) -> list[np.ndarray]:
    session = onnxruntime.InferenceSession(modn.export.onnx(model), providers=["CPUExecutionProvider"])
    return session.run(None, feeds(session, frame))


def potentials(neuron: modn.Neuron, inputs: np.ndarray) -> np.ndarray:
    """In double, by the readable equations."""
    return neuron.alpha_t * (neuron.w_t * neuron.soma(inputs) - neuron.theta_t)
