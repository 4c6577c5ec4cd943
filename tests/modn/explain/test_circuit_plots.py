"""The pictures of circuits: everything is drawn, nothing overlaps, the bytes are the same."""

from pathlib import Path

import numpy as np
import pytest
from legibility import assert_legible

from modn import Circuit, plots
from modn.explain.circuit import Condition, Feature, SizePath
from modn.explain.learning.path import CircuitPath


def make_circuit(M: int, C: int, k: int) -> Circuit:
    """M dendrites of k conditions each."""
    features = tuple(Feature(f"feature {i} of a rather long name, in $") for i in range(k))
    dendrites = tuple(tuple(Condition(i, "<", 0.25 * j) for i in range(k)) for j in range(M))
    weights = (np.arange(C) - 1) * np.eye(C, dtype=int)[np.arange(M) % C]
    weights[::2] += np.arange(C) - 1  # several classes
    classes = np.array([f"class {c}" for c in range(C)])
    return Circuit(features, classes, dendrites, weights, np.arange(C))


@pytest.mark.parametrize(("M", "C", "k"), [(1, 2, 1), (9, 3, 1), (8, 6, 3), (0, 2, 1)])
def test_a_circuit_is_legible_and_complete(M: int, C: int, k: int) -> None:
    circuit = make_circuit(M, C, k)
    figure = plots.circuit(circuit)
    assert_legible(figure)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert sum("feature" in text for text in texts) == circuit.n_conditions
    assert [text for text in texts if text.isdigit()] == [str(j + 1) for j in range(M)]
    assert sum("starts at" in text for text in texts) == C


def make_path(neuron: float) -> SizePath:
    return SizePath(np.arange(1, 13), np.linspace(0.5, 0.9, 12), np.full(12, 0.02), 7, neuron)


def test_the_path_shows_the_choice_and_the_neuron() -> None:
    figure = plots.circuit_path(make_path(0.93))
    assert_legible(figure)
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert "chosen: 7" in labels and "neuron" in labels
    without = plots.circuit_path(CircuitPath((), make_path(float("nan"))))
    assert "neuron" not in [text.get_text() for text in without.axes[0].get_legend().get_texts()]


def test_the_same_circuit_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        plots.save(plots.circuit(make_circuit(4, 2, 2)), tmp_path / f"{name}.png")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
