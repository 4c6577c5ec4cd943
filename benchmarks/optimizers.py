"""What the optimizers themselves cost: their share of a generation, on raisin (V = 284), default settings.

    python -m benchmarks.optimizers [--iterations 100] [--json FILE]

The goal is below 30 %: the time belongs to the objective. CPU seconds, so that a busy machine matters little;
docs/speed.md has those of the last measurement. ES evaluates only 10 children, whose Gaussian noise alone
costs a tenth of their evaluation. L-SHADE's population shrinks to 4.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.training import ROOT, objective
from modn import filters, methods
from modn.optimizers import make, minimize

CASES: list[tuple[str, dict[str, Any]]] = [
    ("bbo", {}),
    ("bbo", {"variant": "simon"}),
    ("ga", {}),
    ("pso", {}),
    ("pbil", {}),
    ("pbil", {"code": "gray"}),
    ("es", {}),
    ("de", {}),
    ("de", {"strategy": "rand/1"}),
    ("lshade", {}),
    ("cmaes", {}),
    ("random_search", {}),
    ("bp", {}),
    ("adam", {}),
]


class Timed:
    """A function that adds up the CPU seconds spent in it, so that a busy machine does not matter."""

    def __init__(self, function: Callable[[np.ndarray], Any]) -> None:
        self.function, self.seconds = function, 0.0

    def __call__(self, argument: np.ndarray) -> Any:
        begin = process_time()
        result = self.function(argument)
        self.seconds += process_time() - begin
        return result


def measure(iterations: int) -> list[dict[str, Any]]:
    """A row for each optimizer: milliseconds per generation and the optimizer's share of them."""
    loss = objective()
    problem = methods.FixedFilter(loss, filters.partition(loss.n_dendrites, loss.n_classes))
    rows = []
    for name, parameters in CASES:
        optimizer = make(name, **parameters)
        cost = Timed(problem.loss_and_gradient if optimizer.uses_gradient else problem.loss)
        minimize(optimizer, problem.space, cost, 2, np.random.default_rng(0))  # compiles
        cost.seconds = 0.0
        begin = process_time()
        minimize(optimizer, problem.space, cost, iterations, np.random.default_rng(1))
        seconds = process_time() - begin
        own, objective_ms = (1e3 * s / (iterations + 1) for s in (seconds - cost.seconds, cost.seconds))
        label = " ".join([name, *(str(value) for value in parameters.values())])
        share = own / (own + objective_ms)
        rows.append({"optimizer": label, "own_ms": own, "objective_ms": objective_ms, "share": share})
        print(
            f"{label:<14} own {own:6.3f} ms   objective {objective_ms:7.3f} ms   share {share:6.1%}",
            flush=True,
        )
    return rows


def main() -> None:
    """Print the table and write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--json", type=Path, default=ROOT / "benchmarks" / "results" / "optimizers.json")
    options = parser.parse_args()
    with threadpool_limits(1):
        rows = measure(options.iterations)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps({"dataset": "raisin", "rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
