"""Our L-SHADE beside another implementation of the same paper (minionpy's, in C++), at equal evaluations.

    pip install minionpy
    python -m benchmarks.lshade [--seeds 11] [--json FILE]

Both start with 18 V individuals and have 2,000 V evaluations, a fifth of what the paper gives, so that
neither solves all problems. minionpy rounds the shrinking population down where the paper rounds to the
nearest, so it has 3 % more generations.
"""

import argparse
import importlib
import importlib.metadata
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.training import ROOT
from modn.optimizers import Space, minimize
from modn.optimizers.lshade import LSHADE

SIZES = (10, 50)
EVALUATIONS, POPULATION = 2000, 18  # per variable


def sphere(x: np.ndarray) -> np.ndarray:
    """Minimum 0 at 0."""
    return np.asarray((x**2).sum(axis=1))


def rosenbrock(x: np.ndarray) -> np.ndarray:
    """Minimum 0 at 1, at the end of a curved valley."""
    valley = x[:, 1:] - x[:, :-1] ** 2
    return np.asarray((100 * valley**2 + (1 - x[:, :-1]) ** 2).sum(axis=1))


def rastrigin(x: np.ndarray) -> np.ndarray:
    """Minimum 0 at 0, among many local ones."""
    return np.asarray(10 * x.shape[1] + (x**2 - 10 * np.cos(2 * np.pi * x)).sum(axis=1))


# Each with its usual box, moved a little so that no optimum is in the middle.
PROBLEMS: dict[Callable[[np.ndarray], np.ndarray], tuple[float, float]] = {
    sphere: (-100.0, 80.0),
    rosenbrock: (-30.0, 25.0),
    rastrigin: (-5.12, 4.0),
}


def ours(cost: Callable[[np.ndarray], np.ndarray], box: tuple[float, float], V: int, seed: int) -> float:
    """The error after at most the allowed evaluations."""
    optimizer = LSHADE(population=POPULATION * V, clip=True)
    iterations = optimizer.iterations_within(EVALUATIONS * V)
    space = Space.box(np.full(V, box[0]), np.full(V, box[1]))
    return minimize(optimizer, space, cost, iterations, np.random.default_rng(seed)).best_cost


def theirs(cost: Callable[[np.ndarray], np.ndarray], box: tuple[float, float], V: int, seed: int) -> float:
    """The error after the allowed evaluations."""
    minionpy: Any = importlib.import_module("minionpy")
    options = {"population_size": POPULATION * V, "x_tol": 0.0}  # 0: it uses all its evaluations
    search = minionpy.LSHADE(
        lambda rows: cost(np.array(rows)).tolist(),
        [box] * V,
        maxevals=EVALUATIONS * V,
        seed=seed,
        options=options,
    )
    return float(search.optimize().fun)


def measure(seeds: int) -> list[dict[str, Any]]:
    """A row for each problem and size: the median errors and their quartiles."""
    rows = []
    for cost, box in PROBLEMS.items():
        for V in SIZES:
            row: dict[str, Any] = {"problem": cost.__name__, "variables": V}
            for name, run in (("ours", ours), ("theirs", theirs)):
                errors = [run(cost, box, V, seed) for seed in range(seeds)]
                row[name] = np.quantile(errors, [0.25, 0.5, 0.75]).tolist()
            rows.append(row)
            texts = (
                f"{name} {median:.2e} [{low:.1e}, {high:.1e}]"
                for name, (low, median, high) in (("ours", row["ours"]), ("minionpy", row["theirs"]))
            )
            print(f"{cost.__name__:<11}{V:3d}  {'   '.join(texts)}", flush=True)
    return rows


def main() -> None:
    """Print the table and write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=11)
    parser.add_argument("--json", type=Path, default=ROOT / "benchmarks" / "results" / "lshade.json")
    options = parser.parse_args()
    about = {"minionpy": importlib.metadata.version("minionpy"), "seeds": options.seeds}
    rows = measure(options.seeds)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(about | {"rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
