"""Every claim about speed, measured in one run: `make benchmarks`.

    python -m benchmarks [--quick]

The objective beside NumPy, JAX and C, and its growth; whole trainings beside mealpy, pymoo, evosax,
scikit-opt and pyswarms; the optimizers' own shares; fits and predictions of the classifier beside others.
What is not installed is skipped. On one core, in CPU seconds. Writes docs/assets/benchmarks.json with the
machine and all versions, docs/assets/growth.png, and the tables of docs/speed.md. `--quick` measures less,
for a look: it writes all of it to build/benchmarks instead.
"""

import argparse
import json
import os
import tempfile
from pathlib import Path
from time import monotonic, process_time
from typing import Any

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")

from threadpoolctl import threadpool_limits

from benchmarks import fitting, machine, objective, optimizers, speed_page, training

LOOK = speed_page.ROOT / "build" / "benchmarks"


def measure(quick: bool) -> dict[str, Any]:
    """All parts, one after the other."""
    rounds, repeats, generations, iterations = (3, 1, 3, 50) if quick else (15, 3, 10, 500)
    facts = machine.facts()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one thread for all, those of JAX included
    with threadpool_limits(1):
        with tempfile.TemporaryDirectory() as folder:
            tables = objective.measure_tables(rounds, objective.compile_c(folder))
        print("objective: done", flush=True)
        growth = objective.measure_growth(rounds)
        print("growth: done", flush=True)
        trained = training.measure(repeats, generations)
        shares = optimizers.measure(iterations)
        datasets = fitting.DATASETS[:1] if quick else fitting.DATASETS
        fitted = fitting.measure_all(datasets)
    return {
        "machine": facts,
        "objective": {
            "unit": "ns per synapse",
            "tables": tables,
            "geometric_mean": objective.geometric_means(tables),
            "growth": growth,
        },
        "training": training.about(generations) | {"rows": trained},
        "optimizers": {"dataset": "raisin", "iterations": iterations, "rows": shares},
        "classifiers": {"shapes": fitting.shapes(datasets), "rows": fitted},
    }


def write(results: dict[str, Any], json_file: Path, picture: Path, page: Path) -> None:
    """The measurements as JSON, the figure, and the page with their tables."""
    for path in (json_file, picture, page):
        path.parent.mkdir(parents=True, exist_ok=True)
    json_file.write_text(json.dumps(_rounded(results), indent=1) + "\n", encoding="utf-8")
    speed_page.draw_growth(results["objective"]["growth"]).savefig(picture)
    text = speed_page.PAGE.read_text(encoding="utf-8")
    page.write_text(speed_page.updated(text, _rounded(results)), encoding="utf-8")


def _rounded(value: Any) -> Any:
    """Four significant digits: more would be noise."""
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer repeats, to build/benchmarks")
    quick = parser.parse_args().quick
    begun = monotonic()
    results = measure(quick)
    if quick:
        write(results, LOOK / "benchmarks.json", LOOK / "growth.png", LOOK / "benchmarks.md")
    else:
        write(results, speed_page.RESULTS, speed_page.GROWTH, speed_page.PAGE)
    print(speed_page.block(_rounded(results)))
    print(f"\n{monotonic() - begun:.0f} s, {process_time():.0f} s of them on the processor")


if __name__ == "__main__":
    main()
