"""The circuits that the README prints: at most nine conditions, learned from all samples of a dataset.

Beside each are the cross-validated accuracies of circuits of that size and of their neurons: five folds, in
which everything is learned again.

    python -m benchmarks.readme_circuits          # print all of them
    python -m benchmarks.readme_circuits wine     # print one, as this processor computes it
    python -m benchmarks.readme_circuits --write  # put them into README.md
"""

import argparse
import re
import subprocess
import sys

import numpy as np
import pandas as pd

from benchmarks.training import ROOT
from modn import MODNClassifier, circuit_path
from stages import fetch
from stages.config import composition
from website import portable

SIZE = 9
DATASETS = {  # what the labels stand for
    "wine": {"0": "cultivar 1", "1": "cultivar 2", "2": "cultivar 3"},
    "breast_cancer": {"2": "benign", "4": "malignant"},
    "heart_disease": {"0": "healthy", "1": "ill"},
}
BEGIN, END = "<!-- circuits: python -m benchmarks.readme_circuits --write -->", "<!-- /circuits -->"


def samples(dataset: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Features and labels, as `fetch` cleans them; the few missing values are filled in."""
    recipe = composition.compose_plan([f"datasets=[{dataset}]"]).datasets[dataset]
    table = fetch.clean(fetch.read(recipe), dataset, recipe)
    X = table.iloc[:, :-1].astype(float)
    labels = [DATASETS[dataset][str(label)] for label in table.iloc[:, -1]]
    return X.fillna(X.median()), np.array(labels)


def block(dataset: str) -> str:
    """A dataset's circuit, and how accurate circuits of this size are."""
    X, labels = samples(dataset)
    path = circuit_path(MODNClassifier(random_state=0).fit(X, labels), X, labels, random_state=0)
    accuracy = path.accuracy.accuracy[min(SIZE, len(path.accuracy.sizes)) - 1]
    title = dataset.replace("_", " ").capitalize()
    head = f"<b>{title}</b>: accuracy {accuracy:.3f}, its neuron {path.accuracy.neuron:.3f}"
    return f"<details><summary>{head}</summary>\n\n```text\n{path.circuit(SIZE)}\n```\n\n</details>"


def portable_block(dataset: str) -> str:
    """The same, computed for the target that makes it the same on every processor."""
    command = [sys.executable, "-m", "benchmarks.readme_circuits", dataset]
    done = subprocess.run(
        command, cwd=ROOT, env=portable.environment(), capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def main() -> None:
    """Print the blocks, or write them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="replace the block in README.md")
    parser.add_argument("dataset", nargs="?", choices=DATASETS, help="print this one's block alone")
    arguments = parser.parse_args()
    if arguments.dataset is not None:
        print(block(arguments.dataset))
        return
    text = "\n\n".join([BEGIN, *map(portable_block, DATASETS), END])
    if arguments.write:
        path = ROOT / "README.md"
        readme = path.read_text(encoding="utf-8")
        pattern = f"{re.escape(BEGIN)}.*?{re.escape(END)}"
        path.write_text(re.sub(pattern, lambda _: text, readme, flags=re.DOTALL), encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
