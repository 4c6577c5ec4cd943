"""MODNClassifier on many rows: CPU seconds, peak memory and accuracy, by the number of rows.

    python -m benchmarks.engine_large [--rows 10000 100000 1000000] [--dendrites 60]

Synthetic: two classes of eight clusters each in 20 features, 10 of them informative, 2 % of the labels
flipped; 50,000 further rows are the test part. Each number of rows has a process of its own, for its memory.
"""

import argparse
import resource
import subprocess
import sys
from time import process_time

from sklearn.datasets import make_classification

from modn import MODNClassifier

N_TEST = 50_000
PER_MIB = 2**20 if sys.platform == "darwin" else 2**10  # macOS counts bytes, Linux KiB


def peak() -> float:
    """The most memory this process has used, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / PER_MIB


def measure(rows: int, dendrites: int) -> str:
    """A row of the table."""
    X, y = make_classification(
        rows + N_TEST,
        20,
        n_informative=10,
        n_redundant=0,
        n_clusters_per_class=8,
        flip_y=0.02,
        random_state=1,
    )
    before, begin = peak(), process_time()
    model = MODNClassifier(n_dendrites=dendrites, random_state=0).fit(X[:rows], y[:rows])
    seconds, memory = process_time() - begin, peak()
    accuracy = model.score(X[rows:], y[rows:])
    return f"{rows:>10,} {seconds:8.1f} {before:10.0f} {memory:10.0f} {accuracy:9.4f}"


def main() -> None:
    """Print the table; with one number of rows, its row alone."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--dendrites", type=int, default=60)
    options = parser.parse_args()
    if len(options.rows) == 1:
        print(measure(options.rows[0], options.dendrites))
        return
    print("      rows  seconds  MiB data   MiB peak  accuracy", flush=True)
    for rows in options.rows:
        command = [sys.executable, "-m", "benchmarks.engine_large", "--rows", str(rows)]
        subprocess.run([*command, "--dendrites", str(options.dendrites)], check=True)


if __name__ == "__main__":
    main()
