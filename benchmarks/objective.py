"""The training loss of a population, side by side with other ways to compute it, on the paper's 11 datasets.

    (a) numpy        plain NumPy, float64, one individual at a time
    (b) numpy_batch  NumPy over the population at once (over as many individuals as 64 MiB of synapses hold)
    (c) modn         modn.Objective; modn_untabled is the same without tables of distinct values
    (d) jax          JAX, float32, jit and vmap, where it is installed
    (e) c            the kernel of (c) in C (objective.c), where there is a compiler: the limit

ns per synapse is the CPU time of an evaluation over S N D M. One thread each: the process is bound to one
core. The contenders take turns, and each one's best round counts, so that a busy machine troubles all of them
alike. Before, their losses are compared with (a)'s.

Then the exact gradient (modn against JAX), a population of filters at fixed parameters, and how the time
grows as N, D, M and S double. `--memory` instead measures the peak memory of a population of 250 on 100,000
samples x 60 features x 60 dendrites.

    python -m benchmarks.objective [--rounds 15] [--json PATH] [--memory]
"""

import argparse
import ctypes
import json
import os
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")

import numpy as np
import pandas as pd

from benchmarks import machine
from modn.fast import distinct
from modn.fast.objective import Objective

HERE = Path(__file__).parent
TABLES = HERE.parent / "data" / "raw" / "uci"
TRAINING_SAMPLES = {
    "breast_cancer": 546, "blood_transfusion": 598, "heart_disease": 212, "raisin": 720, "caesarian": 64,
    "glass": 171, "wine": 142, "car": 1209, "iris": 90, "seeds": 168, "ecoli": 228,
}  # fmt: skip
IDENTIFIERS = ("sample_code", "id", "sequence_name")
ALPHA_S, ALPHA_T = 10.0, 1.0
POPULATION = 100
BATCH_BYTES = 64 * 2**20

Loss = Callable[[], np.ndarray]


class Problem(NamedTuple):
    """A training set and a population to evaluate on it."""

    X: np.ndarray  # (N, D), within [0, 1]
    y: np.ndarray  # (N,)
    parameters: np.ndarray  # (S, 2DM + 2C)
    P: np.ndarray  # (M, C)

    @property
    def n_synapses(self) -> int:
        """How many synapses an evaluation of the population has: S N D M."""
        return len(self.parameters) * self.X.size * len(self.P)

    def objective(self) -> Objective:
        """The objective of the training set."""
        M, C = self.P.shape
        return Objective(self.X, self.y, M, C, ALPHA_S, ALPHA_T)

    def split(self, rows: np.ndarray) -> tuple[np.ndarray, ...]:
        """Rows of parameters as w_s, theta_s (S, D, M), w_t, theta_t (S, C)."""
        D, (M, C) = self.X.shape[1], self.P.shape
        w_s, theta_s, w_t, theta_t = np.split(rows, np.cumsum([D * M, D * M, C]), axis=1)
        return w_s.reshape(-1, D, M), theta_s.reshape(-1, D, M), w_t, theta_t


def random_problem(X: np.ndarray, y: np.ndarray, M: int, C: int, S: int) -> Problem:
    """A population as it is drawn at the start of a training."""
    rng = np.random.default_rng(0)
    synapses = rng.uniform(-1, 1, (S, 2 * X.shape[1] * M))
    telodendra = rng.uniform(0, 1, (S, 2 * C))
    return Problem(X, y, np.hstack([synapses, telodendra]), rng.random((M, C)) < 0.5)


def table_problem(name: str) -> Problem:
    """The training part of one of the paper's datasets, with M = 10 C."""
    table = pd.read_csv(TABLES / f"{name}.csv", na_values="?")
    table = table.drop(columns=[column for column in IDENTIFIERS if column in table])
    if name == "breast_cancer":
        table = table.dropna()
    if name == "ecoli":
        table = table[~table["class"].isin(["imL", "imS", "omL"])]
    features = table.iloc[:, :-1].apply(
        lambda x: x if pd.api.types.is_numeric_dtype(x) else pd.factorize(x)[0]
    )
    X = features.fillna(features.median()).to_numpy(np.float64)
    y = pd.factorize(table.iloc[:, -1])[0]
    chosen = np.random.default_rng(22).permutation(len(X))[: TRAINING_SAMPLES[name]]
    X, y = X[chosen], y[chosen]
    C = int(y.max()) + 1
    return random_problem(
        (X - X.min(axis=0)) / (np.ptp(X, axis=0) + (np.ptp(X, axis=0) == 0)), y, 10 * C, C, POPULATION
    )


# The contenders


def numpy_batch(problem: Problem, individuals: int) -> Loss:
    """(a) with one individual at a time, (b) with more: Eqs. 1, 2, 5, 8, 9 and 10 as arrays."""
    X, y, P = problem.X, problem.y, problem.P.astype(np.float64)

    def evaluate() -> np.ndarray:
        losses = []
        for first in range(0, len(problem.parameters), individuals):
            rows = problem.parameters[first : first + individuals]
            w_s, theta_s, w_t, theta_t = problem.split(rows)
            Y = 1 / (1 + np.exp(-ALPHA_S * (w_s[:, None] * X[:, :, None] - theta_s[:, None])))
            V = Y.prod(axis=2) @ P
            R = np.tanh(ALPHA_T * (w_t[:, None] * V - theta_t[:, None]))
            proba = np.exp(R) / np.exp(R).sum(axis=2, keepdims=True)
            losses.append(-np.log(proba[:, np.arange(len(y)), y]).mean(axis=1))
        return np.concatenate(losses)

    return evaluate


def modn(problem: Problem) -> Loss:
    """(c)."""
    objective = problem.objective()
    return lambda: objective.loss(problem.parameters, problem.P)


def modn_untabled(problem: Problem) -> Loss:
    """(c) with every feature multiplied in sample by sample."""
    objective = problem.objective()
    tabled_below, distinct.TABLED_BELOW = distinct.TABLED_BELOW, 0.0
    try:
        _ = objective._blocks  # made at the first use, which has to be here
    finally:
        distinct.TABLED_BELOW = tabled_below
    return lambda: objective.loss(problem.parameters, problem.P)


def modn_gradient(problem: Problem) -> Loss:
    """The exact gradient of (c)."""
    objective = problem.objective()
    return lambda: objective.gradient(problem.parameters, problem.P)


def modn_filters(problem: Problem) -> Loss:
    """(c) for as many filters as the population has individuals, at the parameters of the first."""
    objective = problem.objective()
    filters = np.random.default_rng(1).random((len(problem.parameters), *problem.P.shape)) < 0.5
    return lambda: objective.loss(problem.parameters[0], filters)


def jax_loss(problem: Problem, gradient: bool = False) -> Loss | None:
    """(d): the loss of one individual, mapped over the population; or its gradient."""
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return None
    X, y, P = jnp.asarray(problem.X, "float32"), jnp.asarray(problem.y), jnp.asarray(problem.P, "float32")
    D, (M, C) = problem.X.shape[1], problem.P.shape
    rows = jnp.asarray(problem.parameters, "float32")

    def loss(row: Any) -> Any:
        w_s, theta_s = row[: D * M].reshape(D, M), row[D * M : 2 * D * M].reshape(D, M)
        w_t, theta_t = row[2 * D * M : -C], row[-C:]
        a = ALPHA_S * (X[:, :, None] * w_s - theta_s)
        # the product itself is the faster loss; its gradient divides by Y, so there it goes by logarithms
        Z = jnp.exp(jax.nn.log_sigmoid(a).sum(axis=1)) if gradient else jax.nn.sigmoid(a).prod(axis=1)
        log_proba = jax.nn.log_softmax(jnp.tanh(ALPHA_T * (w_t * (Z @ P) - theta_t)))
        return -jnp.take_along_axis(log_proba, y[:, None], axis=1).mean()

    compiled = jax.jit(jax.vmap(jax.value_and_grad(loss) if gradient else loss))
    return lambda: np.asarray(jax.block_until_ready(compiled(rows))[gradient] if gradient else compiled(rows))


def c_loss(problem: Problem, library: ctypes.CDLL | None) -> Loss | None:
    """(e)."""
    if library is None:
        return None
    objective = problem.objective()
    (block,) = objective._blocks
    scaling = objective._scaling
    S, D, (M, C) = len(problem.parameters), problem.X.shape[1], problem.P.shape
    loss = np.empty(S)
    sizes = [S, D, M, C, len(block.counts), block.n_tabled, len(block.left)]
    arrays: list[np.ndarray] = [block.counts, block.features, block.values]  # noqa: PD011
    arrays += [block.starts, block.left, block.right, problem.parameters, problem.P]

    def pointer(array: np.ndarray) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data)

    def evaluate() -> np.ndarray:
        library.population_loss(
            *map(ctypes.c_int64, sizes),
            *map(pointer, arrays),
            ctypes.c_double(scaling.alpha_s),
            ctypes.c_double(scaling.alpha_t),
            pointer(scaling.middle),
            pointer(scaling.half),
            pointer(loss),
        )
        return loss / len(problem.X)

    return evaluate


def compile_c(folder: str) -> ctypes.CDLL | None:
    """Compile objective.c with the machine's compiler, if there is one."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    target = Path(folder) / "objective.so"
    flags = ["-O3", "-march=native", "-ffast-math", "-fno-associative-math", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, str(HERE / "objective.c"), "-o", str(target)], check=True)
    return ctypes.CDLL(str(target))


# Measuring


def best_seconds(contenders: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Return each one's best CPU time, in rounds in which each has its turn (at least 5 ms of calls)."""
    calls = {}
    for name, evaluate in contenders.items():
        evaluate()
        start = process_time()
        evaluate()
        calls[name] = max(1, round(0.005 / (process_time() - start)))
    best = dict.fromkeys(contenders, np.inf)
    for _ in range(rounds):
        for name, evaluate in contenders.items():
            start = process_time()
            for _ in range(calls[name]):
                evaluate()
            best[name] = min(best[name], (process_time() - start) / calls[name])
    return best


def measure_tables(rounds: int, library: ctypes.CDLL | None) -> list[dict[str, Any]]:
    """Return ns per synapse of every contender on every dataset."""
    rows = []
    for name in TRAINING_SAMPLES:
        problem = table_problem(name)
        N, D, (M, C) = *problem.X.shape, problem.P.shape
        batch = max(1, min(POPULATION, BATCH_BYTES // (8 * N * D * M)))
        contenders = {
            "numpy": numpy_batch(problem, 1),
            "numpy_batch": numpy_batch(problem, batch),
            "modn": modn(problem),
            "modn_untabled": modn_untabled(problem),
            "jax": jax_loss(problem),
            "c": c_loss(problem, library),
        }
        present = {key: evaluate for key, evaluate in contenders.items() if evaluate is not None}
        expected = present["numpy"]()
        for key, evaluate in present.items():
            np.testing.assert_allclose(evaluate(), expected, rtol=0, atol=1e-5, err_msg=f"{key} on {name}")
        seconds = best_seconds(present, rounds)

        others = {
            "modn_gradient": modn_gradient(problem),
            "jax_gradient": jax_loss(problem, gradient=True),
            "modn_filters": modn_filters(problem),
        }
        seconds |= best_seconds(
            {key: evaluate for key, evaluate in others.items() if evaluate is not None}, rounds
        )
        nanoseconds = {key: 1e9 * value / problem.n_synapses for key, value in seconds.items()}
        rows.append({"dataset": name, "N": N, "D": D, "M": M, "C": C, "S": POPULATION, **nanoseconds})
    return rows


def measure_growth(rounds: int) -> list[dict[str, Any]]:
    """Return the seconds of an evaluation as N, D, M and S double, on features without repetition."""
    rng = np.random.default_rng(0)
    base = {"N": 256, "D": 8, "M": 32, "S": 64}
    rows = []
    for axis in base:
        problems = {}
        for factor in (1, 2, 4, 8):
            size = base | {axis: factor * base[axis]}
            X, y = rng.random((size["N"], size["D"])), rng.integers(3, size=size["N"])
            problems[str(factor)] = modn(random_problem(X, y, size["M"], 3, size["S"]))
        seconds = best_seconds(problems, rounds)
        rows.append(
            {"axis": axis, **{f"x{factor}": value / seconds["1"] for factor, value in seconds.items()}}
        )
    return rows


def measure_memory() -> dict[str, float]:
    """Evaluate 250 individuals on 100,000 x 60 with 60 dendrites; return seconds and the process's peak."""
    rng = np.random.default_rng(0)
    X, y = rng.random((100_000, 60)), rng.integers(3, size=100_000)
    problem = random_problem(X, y, 60, 3, 250)
    evaluate = modn(problem)
    start = process_time()
    evaluate()
    seconds = process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # Linux counts in KiB
    return {"seconds": seconds, "peak_GiB": peak, "synapses_GiB": problem.n_synapses * 4 / 2**30}


# Reporting


def geometric_means(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Return the ratios the project holds itself to, as geometric means over the datasets."""

    def mean_ratio(slow: str, fast: str) -> float:
        return float(np.exp(np.mean([np.log(row[slow] / row[fast]) for row in rows])))

    ratios = {
        "numpy / modn": mean_ratio("numpy", "modn"),
        "numpy_batch / modn": mean_ratio("numpy_batch", "modn"),
    }
    ratios["modn_untabled / modn"] = mean_ratio("modn_untabled", "modn")
    if "jax" in rows[0]:
        ratios["jax / modn"] = mean_ratio("jax", "modn")
        ratios["jax_gradient / modn_gradient"] = mean_ratio("jax_gradient", "modn_gradient")
    if "c" in rows[0]:
        ratios["modn / c"] = mean_ratio("modn", "c")
    return ratios


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path, default=HERE / "results" / "objective.json")
    parser.add_argument("--memory", action="store_true")
    arguments = parser.parse_args()
    if arguments.memory:
        print(json.dumps(measure_memory(), indent=2))
        return

    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        rows = measure_tables(arguments.rounds, compile_c(folder))
    growth = measure_growth(arguments.rounds)
    ratios = geometric_means(rows)
    result = {
        "machine": machine.facts(),
        "unit": "ns per synapse",
        "tables": rows,
        "geometric_mean": ratios,
        "growth": growth,
    }
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    arguments.json.write_text(json.dumps(result, indent=2) + "\n")
    print(pd.DataFrame(rows).to_string(index=False, float_format="{:.3f}".format))
    print()
    print("\n".join(f"{name:30s}{ratio:8.2f}" for name, ratio in ratios.items()))
    print()
    print(pd.DataFrame(growth).to_string(index=False, float_format="{:.2f}".format))


if __name__ == "__main__":
    main()
