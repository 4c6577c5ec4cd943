"""The pictures of neurons: what is drawn is the neuron, nothing overlaps, the bytes are the same."""

import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from legibility import assert_legible
from matplotlib.figure import Figure
from matplotlib.text import Text

from modn import plots
from modn.neuron import Neuron

LONG = "a rather long name that_somebody_gave to an own dataset, $5 or $6"


def make_neuron(D: int = 4, M: int = 12, C: int = 3) -> Neuron:
    rng = np.random.default_rng(4)
    w_s, theta_s = rng.uniform(-1, 1, (2, D, M))
    P = rng.random((M, C)) < 0.4
    return Neuron(w_s, theta_s, P, rng.random(C), rng.random(C), alpha_s=10.0, alpha_t=1.0)


def draw_neuron(D: int, M: int, C: int) -> Figure:
    return plots.neuron(
        make_neuron(D, M, C), [f"feature {i}" for i in range(D)], [f"class {c}" for c in range(C)]
    )


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_the_same_neuron_gives_the_same_bytes(suffix: str, tmp_path: Path) -> None:
    first, second, other = (tmp_path / f"{name}{suffix}" for name in ("first", "second", "other"))
    plots.save(draw_neuron(2, 4, 2), first)
    with matplotlib.rc_context({"font.size": 20, "axes.facecolor": "black", "svg.hashsalt": "other"}):
        plots.save(draw_neuron(2, 4, 2), second)
    plots.save(draw_neuron(2, 5, 2), other)
    assert first.read_bytes() == second.read_bytes() != other.read_bytes()
    assert len(first.read_bytes()) > 1000
    assert not list(tmp_path.glob(".*")), "a temporary file was left"


def test_names_in_other_scripts_are_drawn_by_their_codes(tmp_path: Path) -> None:
    """The font that comes with matplotlib lacks them: it would draw boxes, and warn."""
    names = ["雪", "größe", "длина", "a\u4e00b"]
    figure = plots.neuron(make_neuron(4, 6, 2), names, ["是", "нет"])
    plots.save(figure, tmp_path / "a.svg")
    drawn = {text.get_text() for text in figure.findobj(Text)}
    assert {"U+96EA", "größe", "длина", "aU+4E00b"} <= drawn and any("U+662F" in text for text in drawn)


def test_the_background_is_opaque(tmp_path: Path) -> None:
    from PIL import Image

    plots.save(draw_neuron(2, 3, 2), tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as picture:
        corner = picture.convert("RGBA").getpixel((0, 0))
    assert corner == (255, 255, 255, 255)


def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure, target = draw_neuron(2, 3, 2), tmp_path / "a.png"
    target.write_bytes(b"old")

    def fail(path: Path, **_: object) -> None:
        Path(path).write_bytes(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(figure, "savefig", fail)
    with pytest.raises(OSError, match="disk full"):
        plots.save(figure, target)
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]
    assert target.read_bytes() == b"old"


def test_other_formats_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"path is 'figure\.jpg'; allowed: .* \.png or \.svg"):
        plots.save(draw_neuron(2, 3, 2), tmp_path / "figure.jpg")


def test_no_pyplot_no_pandas_and_no_settings_leak() -> None:
    before = dict(matplotlib.rcParams)
    draw_neuron(2, 3, 2)
    assert dict(matplotlib.rcParams) == before
    heavy = "{'matplotlib.pyplot', 'pandas'} & set(sys.modules)"
    code = f"import sys, modn; modn.plots.neuron; assert not {heavy}, {heavy}"  # without an import of its own
    subprocess.run([sys.executable, "-c", code], check=True)


def test_neuron_shows_every_synapse_in_its_state_and_every_joint() -> None:
    trained = make_neuron()
    figure = plots.neuron(trained, ["a", "b", "c", "d"], ["x", "y", "z"])
    panel = figure.axes[0]
    drawn = {
        points.get_label(): points.get_offsets() for points in panel.collections if len(points.get_offsets())
    }
    states = trained.synapse_states()
    for state in np.unique(states):
        i, j = np.nonzero(states == state)
        np.testing.assert_array_equal(drawn[state], np.column_stack([j, i]))
    j, c = np.nonzero(trained.P)
    np.testing.assert_allclose(drawn["P"], np.column_stack([j, 4.7 + c]))
    labels = [label.get_text() for label in panel.get_yticklabels()]
    assert labels[:4] == ["a", "b", "c", "d"]
    outputs = [label.get_text() for label in panel.child_axes[0].get_yticklabels()]
    assert outputs[1].startswith("→ y") and f"{trained.w_t[1]:.2f}" in outputs[1]


def test_neuron_pales_shut_and_inoperative_dendrites() -> None:
    w_s, theta_s = np.full((2, 3), 0.5), np.full((2, 3), 0.1)
    theta_s[1, 0] = 0.9  # a constant-0 synapse on the first dendrite
    P = np.array([[True, True], [True, False], [False, False]])
    trained = Neuron(w_s, theta_s, P, np.ones(2), np.zeros(2), alpha_s=10.0, alpha_t=1.0)
    figure = plots.neuron(trained, ["a", "b"], ["no", "yes"])
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == [
        "excitatory synapse (5)",
        "constant-0 synapse (1)",
        "open dendrite (1)",
        "silent dendrite (2)",
    ]


@pytest.mark.parametrize("shape", [(1, 1, 2), (9, 54, 6), (13, 48, 2), (30, 120, 3)])
def test_neurons_of_any_size_are_legible(shape: tuple[int, int, int]) -> None:
    assert_legible(draw_neuron(*shape))


def test_neuron_cuts_long_names_and_counts_them() -> None:
    figure = plots.neuron(make_neuron(), [LONG] * 4, [LONG] * 3)
    assert_legible(figure)
    with pytest.raises(ValueError, match="feature_names has the length 3; allowed: 4"):
        plots.neuron(make_neuron(), ["a", "b", "c"], ["x", "y", "z"])
    with pytest.raises(ValueError, match="class_names has the length 1; allowed: 3"):
        plots.neuron(make_neuron(), ["a", "b", "c", "d"], ["x"])
