"""One training on raisin, side by side with what a user would write with a general optimization library.

Ours: the two-step training of MODN+BBO (and of the other heuristics), Table 2's populations, 400 iterations.
Theirs: the same model as plain NumPy in float64, evaluated one individual at a time, with the same
populations; their optimizers search the parameters only, so they are spared the step that learns P. They run
for a few generations and are scaled to 400. One thread each; CPU seconds, so that a busy machine does not
matter; compiling is done before the clock starts.

    python -m benchmarks.training [--repeats 3] [--generations 10] [--json FILE]

mealpy's metadata excludes NumPy 2, with which it works: pip install --no-deps mealpy opfunu.
"""

import argparse
import importlib.metadata
import json
import statistics
import warnings
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from modn import filters, methods
from modn.fast.objective import Objective
from stages.study.splits import Parts, published

ITERATIONS = 400  # Table 2, raisin
ALPHA_S, ALPHA_T = 10.0, 1.0
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


class PlainObjective:
    """The loss (Eq. 10) of one individual, as one writes it down from the paper."""

    def __init__(self, fast: Objective) -> None:
        self.X, self.D, self.M = fast.X, fast.X.shape[1], fast.n_dendrites
        self.truth = np.eye(fast.n_classes)[fast.y]
        self.P = filters.partition(fast.n_dendrites, fast.n_classes).astype(float)
        self.evaluations = 0

    def __call__(self, parameters: np.ndarray) -> float:
        self.evaluations += 1
        D, M, C = self.D, self.M, self.P.shape[1]
        w_s, theta_s, w_t, theta_t = np.split(np.asarray(parameters), np.cumsum([D * M, D * M, C]))
        a = ALPHA_S * (w_s.reshape(D, M) * self.X[:, :, None] - theta_s.reshape(D, M))
        Z = np.prod(1 / (1 + np.exp(-a)), axis=1)
        R = np.tanh(ALPHA_T * (w_t * (Z @ self.P) - theta_t))
        log_O = R - np.log(np.exp(R).sum(axis=1, keepdims=True))
        return float(-(self.truth * log_O).sum(axis=1).mean())


# Each competitor: a function that runs `generations` of it on a cost function in a box. Imports are inside,
# so that what is not installed is skipped with a line.
Box = tuple[np.ndarray, np.ndarray]
Run = Callable[[PlainObjective, Box, int], Any]


def _mealpy(module: str, algorithm: str, **parameters: Any) -> Run:
    def run(cost: PlainObjective, box: Box, generations: int) -> Any:
        import mealpy

        optimizer = getattr(getattr(mealpy, module), algorithm)(epoch=generations, **parameters)
        bounds = mealpy.FloatVar(lb=box[0], ub=box[1])
        return optimizer.solve({"bounds": bounds, "minmax": "min", "obj_func": cost, "log_to": None}, seed=1)

    return run


def _pymoo(module: str, algorithm: str, population: int) -> Run:
    def run(cost: PlainObjective, box: Box, generations: int) -> Any:
        from pymoo.core.problem import ElementwiseProblem
        from pymoo.optimize import minimize

        class Loss(ElementwiseProblem):
            def _evaluate(self, x: np.ndarray, out: dict[str, Any], *_: Any, **__: Any) -> None:
                out["F"] = cost(x)

        soo = importlib.import_module(f"pymoo.algorithms.soo.nonconvex.{module}")
        problem = Loss(n_var=box[0].size, n_obj=1, xl=box[0], xu=box[1])
        optimizer = getattr(soo, algorithm)(pop_size=population)
        return minimize(
            problem, optimizer, ("n_gen", generations + 1), seed=1
        )  # the first is the initial one

    return run


def _scikit_opt(module: str, algorithm: str, **parameters: Any) -> Run:
    def run(cost: PlainObjective, box: Box, generations: int) -> Any:
        cls = getattr(importlib.import_module(f"sko.{module}"), algorithm)
        return cls(cost, n_dim=box[0].size, lb=box[0], ub=box[1], max_iter=generations, **parameters).run()

    return run


def _pyswarms(population: int) -> Run:
    def run(cost: PlainObjective, box: Box, generations: int) -> Any:
        from pyswarms.single import GlobalBestPSO

        options = {"w": 1.0, "c1": 0.3, "c2": 0.3}
        swarm = GlobalBestPSO(population, box[0].size, options, bounds=box)
        return swarm.optimize(lambda X: np.array([cost(x) for x in X]), generations, verbose=False)

    return run


COMPETITORS: list[tuple[str, str, str, Run]] = [  # ours, theirs, package, how
    ("bbo", "mealpy OriginalBBO", "mealpy", _mealpy("BBO", "OriginalBBO", pop_size=100, p_m=0.1)),
    ("ga", "mealpy BaseGA", "mealpy", _mealpy("GA", "BaseGA", pop_size=100, pc=0.95, pm=0.01)),
    ("ga", "pymoo GA", "pymoo", _pymoo("ga", "GA", 100)),
    (
        "ga",
        "scikit-opt GA",
        "scikit-opt",
        _scikit_opt("GA", "GA", size_pop=100, prob_mut=0.01, precision=1e-4),
    ),
    ("pso", "mealpy OriginalPSO", "mealpy", _mealpy("PSO", "OriginalPSO", pop_size=200)),
    ("pso", "pymoo PSO", "pymoo", _pymoo("pso", "PSO", 200)),
    ("pso", "pyswarms GlobalBestPSO", "pyswarms", _pyswarms(200)),
    ("es", "mealpy OriginalES", "mealpy", _mealpy("ES", "OriginalES", pop_size=250, lamda=0.04)),
]


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


def main() -> None:
    """Print the table and write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--generations", type=int, default=10, help="of theirs; scaled to 400")
    parser.add_argument("--json", type=Path, default=ROOT / "benchmarks" / "results" / "training.json")
    options = parser.parse_args()
    with threadpool_limits(1):  # NumPy's linear algebra; our kernels have one thread anyway
        rows = measure(options.repeats, options.generations)
    about = {"dataset": "raisin", "iterations": ITERATIONS, "generations_measured": options.generations}
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(about | {"rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
