"""One training on raisin, side by side with what a user would write with a general optimization library.

Ours: the two-step training of MODN+BBO (and of the other heuristics), Table 2's populations, 400 iterations.
Theirs: the same model as plain NumPy in float64, evaluated one individual at a time, with the same
populations (evosax: the loss of a population in JAX, float32, compiled); their optimizers search the
parameters only, so they are spared the step that learns P. They run for a few generations and are scaled to
400. One thread each; CPU seconds, so that a busy machine does not matter; compiling is done before the clock
starts.

    python -m benchmarks.training [--repeats 3] [--generations 10] [--json FILE]

mealpy's metadata excludes NumPy 2, with which it works: pip install --no-deps mealpy opfunu.
"""

import argparse
import importlib.metadata
import json
import statistics
import warnings
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.competitors import ALPHA_S, ALPHA_T, COMPETITORS, PlainObjective
from modn import methods
from modn.fast.objective import Objective
from stages.study.splits import Parts, published

ITERATIONS = 400  # Table 2, raisin
ROOT = Path(__file__).parents[1]


def raisin() -> Parts:
    """Raisin, split and scaled as published."""
    table = pd.read_csv(ROOT / "data" / "raw" / "uci" / "raisin.csv")
    y = np.unique(table["class"], return_inverse=True)[1]
    return published(table.drop(columns="class").to_numpy(np.float64), y, test_size=180, seed=22)


def objective() -> Objective:
    """The training loss of MODN on raisin with M = 10 C."""
    parts = raisin()
    return Objective(parts.X_train, parts.y_train, 20, 2, ALPHA_S, ALPHA_T)


def measure(repeats: int, generations: int) -> list[dict[str, Any]]:
    """A row for each competitor: CPU seconds of a whole training, ours and theirs, in turns."""
    fast = objective()
    problem = methods.neuron_problem(fast, methods.LEARNED)
    space = problem.space
    box = space.lower.copy(), space.upper.copy()
    plain = PlainObjective(fast)
    probe = space.sample(3, np.random.default_rng(0))
    ours_and_plain = fast.loss(probe, plain.P.astype(bool)), np.array([plain(x) for x in probe])
    np.testing.assert_allclose(*ours_and_plain, rtol=1e-5)  # the same model, or the comparison is void

    rows = []
    for name, competitor, package, run in COMPETITORS:
        try:
            version = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            print(f"{competitor}: skipped, {package} is not installed", flush=True)
            continue
        method = methods.make(name, methods.LEARNED)
        method.train(problem, 1, np.random.default_rng(0))  # compiles
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run(plain, box, 2)  # evosax compiles its second step anew: the first state is of another type
        ours, theirs, evaluations = [], [], 0
        for repeat in range(repeats):
            begin = process_time()
            trained = method.train(problem, ITERATIONS, np.random.default_rng(repeat))
            ours.append(process_time() - begin)
            # Two lengths: their difference is the generations' cost, without what is paid once.
            seconds = []
            for length in (1, 1 + generations):
                plain.evaluations = 0
                begin = process_time()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # theirs, about their own use of NumPy
                    run(plain, box, length)
                seconds.append((process_time() - begin, plain.evaluations))
            evaluations = (seconds[1][1] - seconds[0][1]) // generations
            one_more = (seconds[1][0] - seconds[0][0]) / generations
            theirs.append(seconds[0][0] + (ITERATIONS - 1) * one_more)
        per_generation = trained.evaluations // (ITERATIONS + trained.filter_steps)
        row = {
            "ours": f"MODN+{name.upper()}",
            "theirs": competitor,
            "version": version,
            "ours_seconds": statistics.median(ours),
            "theirs_seconds": statistics.median(theirs),
            "ratio": statistics.median(t / o for t, o in zip(theirs, ours, strict=True)),
            "ours_evaluations_per_generation": per_generation,
            "theirs_evaluations_per_generation": evaluations,
        }
        rows.append(row)
        print(
            f"{row['ours']:<10}{row['ours_seconds']:8.2f} s ({per_generation:>3}/gen)   "
            f"{competitor:<24}{version:<8}{row['theirs_seconds']:8.1f} s ({evaluations:>3}/gen)   "
            f"{row['ratio']:6.1f}x",
            flush=True,
        )
    return rows


def about(generations: int) -> dict[str, Any]:
    """What the rows are about."""
    return {"dataset": "raisin", "iterations": ITERATIONS, "generations_measured": generations}


def main() -> None:
    """Print the table and write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--generations", type=int, default=10, help="of theirs; scaled to 400")
    parser.add_argument("--json", type=Path, default=ROOT / "benchmarks" / "results" / "training.json")
    options = parser.parse_args()
    with threadpool_limits(1):  # NumPy's linear algebra; our kernels have one thread anyway
        rows = measure(options.repeats, options.generations)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(about(options.generations) | {"rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
