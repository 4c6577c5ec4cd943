"""The price of one target for all processors: training as this one can, and as all x86-64 ones with AVX2 can.

Each target has a process of its own, in which MODN is trained on raisin by BBO and by Adam. One thread, CPU
seconds, compiling excluded, the targets in turn; the ratio is that of the medians. Their results differ in
the last digits, and a long search may end elsewhere.

    python -m benchmarks.portable [--repeats 3]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from website import portable

ROOT = Path(__file__).parents[1]
SOLVERS = {"bbo": 100, "adam": 300}  # iterations
TRAINING = """
import json, sys
from time import process_time
import numpy as np
from benchmarks.training import objective
from modn import methods

problem = methods.neuron_problem(objective(), "learned")
spent = {}
for solver, iterations in json.loads(sys.argv[1]).items():
    method = methods.make(solver, "learned")
    method.train(problem, 2, np.random.default_rng(0))
    begin = process_time()
    method.train(problem, iterations, np.random.default_rng(0))
    spent[solver] = process_time() - begin
print(json.dumps(spent))
"""


def environments() -> dict[str, dict[str, str]]:
    """The variables of each target; the first is this processor."""
    own = dict(os.environ)
    for name in ("NUMBA_CPU_NAME", "OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES"):
        own.pop(name, None)
    common = portable.environment()
    return {
        "this processor": own,
        # Without the second variable, Numba would add the instructions of this processor.
        "x86-64-v3": common | {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""},
        "generic": common,
    }


def seconds(environment: Mapping[str, str]) -> dict[str, float]:
    """CPU seconds of each training, in a process with these variables."""
    command = [sys.executable, "-c", TRAINING, json.dumps(SOLVERS)]
    one_thread = {**environment, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, env=one_thread, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def main() -> None:
    """Print the seconds of each target and their ratio to those of this processor."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    targets = environments()
    found = [{target: seconds(own) for target, own in targets.items()} for _ in range(repeats)]
    print("| training | " + " | ".join(targets) + " |\n| --- |" + " ---: |" * len(targets))
    for solver in SOLVERS:
        medians = [statistics.median(one[target][solver] for one in found) for target in targets]
        cells = [f"{median:.2f} s ({median / medians[0]:.2f})" for median in medians]
        print(f"| {solver} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
