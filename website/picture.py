"""The picture at the top of the README: the neuron of its example, and the circuit learned from it.

python -m website.picture. The PNG holds the text of the circuit, so that a test can tell whether it is old.
"""

import io

import numpy as np
from matplotlib.figure import Figure
from PIL import Image, PngImagePlugin
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

from modn import Circuit, MODNClassifier, plots
from website.links import ROOT

PATH = ROOT / "docs" / "assets" / "iris.png"
KEY = "Circuit"
WIDTH, GAP = 1000, 12


def example() -> tuple[MODNClassifier, Circuit]:
    """The model and the circuit of the README's example."""
    iris = load_iris(as_frame=True)
    X, _, y, _ = train_test_split(iris.data, iris.target_names[iris.target], random_state=0)
    model = MODNClassifier(n_dendrites=6, random_state=0).fit(X, y)
    return model, model.to_circuit(X, y, size=3)


def drawn(figure: Figure) -> Image.Image:
    """A figure as an image on white, without its margins."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=160)
    image = Image.open(buffer).convert("RGB")
    rows, columns = np.nonzero((np.asarray(image) < 250).any(axis=2))
    return image.crop((columns.min(), rows.min(), columns.max() + 1, rows.max() + 1))


def _scaled(image: Image.Image, share: float) -> Image.Image:
    """The image, as wide as this share of the whole."""
    width = round(share * WIDTH)
    return image.resize((width, round(image.height * width / image.width)), Image.Resampling.LANCZOS)


def main() -> None:
    """Write the picture."""
    model, circuit = example()
    images = [_scaled(drawn(plots.neuron(model)), 0.56), _scaled(drawn(plots.circuit(circuit)), 1.0)]
    height = sum(image.height + 2 * GAP for image in images)
    whole = Image.new("RGB", (WIDTH + 2 * GAP, height), "white")
    top = GAP
    for image in images:
        whole.paste(image, ((whole.width - image.width) // 2, top))
        top += image.height + 2 * GAP
    information = PngImagePlugin.PngInfo()
    information.add_text(KEY, str(circuit))
    whole.quantize(128).save(PATH, pnginfo=information, optimize=True)


if __name__ == "__main__":
    main()
