"""What a user waits for before a stage begins: seconds to import it and to read its parameters.

    python -m benchmarks.startup [--repeats 5] [--json FILE] [--first-fit]

Each time in a new interpreter, the stages in turn, so that a busy moment of the machine meets them all; the
median of the repeats. The goal is below 1.5 s each; CPU seconds tell what a quiet machine would show.

`--first-fit` measures instead what the first fit after an install takes, with nothing compiled, and the
second one in the same interpreter: CPU seconds on iris, the median of the repeats; the goal is below 5 s.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
GOAL = 1.5
FIRST_FIT_GOAL = 5.0
CODE = """
from time import perf_counter, process_time
begin, cpu = perf_counter(), process_time()
import stages.{stage}
imported = perf_counter()
from stages.config import composition
composition.compose_stage([])
print(imported - begin, perf_counter() - imported, process_time() - cpu)
"""

FITS = """
from time import process_time
from sklearn.datasets import load_iris
from modn import MODNClassifier
X, y = load_iris(return_X_y=True)
for _ in range(2):
    begin = process_time()
    MODNClassifier(random_state=0).fit(X, y).predict_proba(X)
    print(process_time() - begin)
"""


def stages() -> list[str]:
    """The modules of stages/ that are commands."""
    modules = sorted((ROOT / "stages").glob("*.py"))
    return [path.stem for path in modules if '__name__ == "__main__"' in path.read_text()]


def measure(repeats: int) -> dict[str, dict[str, float]]:
    """Median seconds by stage."""
    seen: dict[str, list[list[float]]] = {stage: [] for stage in stages()}
    for _ in range(repeats):
        for stage, times in seen.items():
            command = [sys.executable, "-c", CODE.format(stage=stage)]
            done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
            importing, configuring, cpu = map(float, done.stdout.split())
            times.append([importing, configuring, importing + configuring, cpu])
    names = ("import", "configure", "both", "cpu")
    return {
        stage: dict(zip(names, map(statistics.median, zip(*times, strict=True)), strict=True))
        for stage, times in seen.items()
    }


def first_fit(repeats: int) -> tuple[float, float]:
    """CPU seconds of the first fit, kernels included, and of the second."""
    seen = []
    for _ in range(repeats):
        with TemporaryDirectory() as empty:
            environment = os.environ | {"NUMBA_CACHE_DIR": empty}
            command = [sys.executable, "-c", FITS]
            done = subprocess.run(
                command, cwd=ROOT, check=True, capture_output=True, text=True, env=environment
            )
        seen.append([float(line) for line in done.stdout.split()])
    first, second = map(statistics.median, zip(*seen, strict=True))
    return first, second


def main() -> None:
    """Print the table; write it as JSON where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--first-fit", action="store_true")
    arguments = parser.parse_args()
    if arguments.first_fit:
        first, second = first_fit(arguments.repeats)
        verdict = "reached" if first < FIRST_FIT_GOAL else "missed"
        print(f"first fit {first:.2f} s, second {second:.2f} s: {verdict} (< {FIRST_FIT_GOAL} s)")
        return
    rows = measure(arguments.repeats)
    print("| stage | import s | configure s | both s | CPU s | goal |")
    print("| --- | ---: | ---: | ---: | ---: | --- |")
    for stage, row in rows.items():
        verdict = "reached" if row["both"] < GOAL else "missed"
        seconds = " | ".join(f"{value:.2f}" for value in row.values())
        print(f"| {stage} | {seconds} | {verdict} (< {GOAL} s) |")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
