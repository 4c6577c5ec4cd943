"""`modn demo`: a model, its circuit and a program, on a dataset that comes with scikit-learn."""

import argparse
import textwrap

HELP = "train, explain and export a model of 178 wines, to see what the commands do"
EXAMPLE = "modn demo"
SIZE = 6  # conditions of the circuit


def configure(command: argparse.ArgumentParser) -> None:
    """There are no options."""


def run(options: argparse.Namespace) -> None:
    """Train a model of 178 wines, turn it into a circuit and print it as a program. No file is written."""
    from sklearn.datasets import load_wine

    from modn.cli.cross_validation import cross_validate
    from modn.cli.tasks import task

    wine = load_wine(as_frame=True)
    X, y = wine.data, wine.target_names[wine.target]
    classification = task("classification")
    print(f"wine: {len(y)} rows, {X.shape[1]} features, {classification.summary(y)}")
    print("(The first run also compiles the kernels, which takes about 10 s.)\n", flush=True)
    model = classification.estimator(random_state=0).fit(X, y)
    print(f"1. A neuron (modn fit): training {classification.score(y, model.predict(X))},")
    print(f"   {cross_validate(classification, model, X, y, 5)}.\n", flush=True)
    circuit = model.to_circuit(X, y, size=SIZE)
    print("2. What it has learned, as a circuit of a few conditions (modn circuit, modn explain):")
    print(f"   training {classification.score(y, circuit.predict(X))}.\n\n{circuit}\n")
    print(f"   Its decision about the last wine:\n\n{circuit.explain(X.iloc[-1])}\n")
    first, _, rest = circuit.to_python().partition("\n")
    first = textwrap.fill(first, 100, subsequent_indent=" " * len("def neuron("))
    print(f"3. The circuit as a program without dependencies (modn export):\n\n{first}\n{rest}")
    print("Next, with your own data: modn fit DATA.csv --target COLUMN --out MODEL.modn")
