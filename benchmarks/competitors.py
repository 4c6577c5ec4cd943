"""General optimization libraries on the loss of MODNP, each as its users would call it.

A competitor runs `generations` of an algorithm on a cost in a box. Most call the cost for one individual at a
time, which is plain NumPy in float64. evosax works on JAX arrays and gets the loss of a whole population in
float32, compiled, as its steps are. Imports are inside, so that what is not installed is skipped.
"""

import contextlib
import importlib
import tempfile
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from modn import filters
from modn.fast.objective import Objective

ALPHA_S, ALPHA_T = 10.0, 1.0

Box = tuple[np.ndarray, np.ndarray]


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
        options = {"w": 1.0, "c1": 0.3, "c2": 0.3}
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            from pyswarms.single import GlobalBestPSO  # writes a report.log when it is imported

            swarm = GlobalBestPSO(population, box[0].size, options, bounds=box)
            return swarm.optimize(lambda X: np.array([cost(x) for x in X]), generations, verbose=False)

    return run


def _evosax(algorithm: str, population: int) -> Run:
    def run(cost: PlainObjective, box: Box, generations: int) -> Any:
        jax = importlib.import_module("jax")
        first, step = _evosax_steps(algorithm, population, cost)
        keys = jax.random.split(jax.random.key(1), generations + 1)
        state = first(keys[0], *box)
        for key in keys[1:]:
            state = step(key, state, *box)
        cost.evaluations += population * (generations + 1)
        return jax.block_until_ready(state)

    return run


@cache  # compiled once
def _evosax_steps(algorithm: str, population: int, cost: PlainObjective) -> tuple[Any, Any]:
    """Functions that make the first state, and the next one from it."""
    jax = importlib.import_module("jax")
    jnp = jax.numpy
    X, truth, P = (jnp.asarray(array, "float32") for array in (cost.X, cost.truth, cost.P))
    D, M, C = cost.D, cost.M, P.shape[1]
    search = getattr(importlib.import_module("evosax.algorithms"), algorithm)(
        population, jnp.zeros(2 * D * M + 2 * C)
    )
    params = search.default_params

    def loss(row: Any) -> Any:
        w_s, theta_s = row[: D * M].reshape(D, M), row[D * M : 2 * D * M].reshape(D, M)
        w_t, theta_t = row[2 * D * M : -C], row[-C:]
        Z = jax.nn.sigmoid(ALPHA_S * (X[:, :, None] * w_s - theta_s)).prod(axis=1)
        log_O = jax.nn.log_softmax(jnp.tanh(ALPHA_T * (w_t * (Z @ P) - theta_t)))
        return -(truth * log_O).sum(axis=1).mean()

    # Compiled on its own: in one piece with SimpleGA's step, XLA makes it ten times slower.
    losses = jax.jit(jax.vmap(loss))

    def first(key: Any, lower: Any, upper: Any) -> Any:
        rows = jax.random.uniform(key, (population, len(lower)), minval=lower, maxval=upper)
        return search.init(key, rows, losses(rows), params)

    def step(key: Any, state: Any, lower: Any, upper: Any) -> Any:
        rows, state = search.ask(key, state, params)
        rows = jnp.clip(rows, lower, upper)
        return search.tell(key, rows, losses(rows), state, params)[0]

    return first, step


COMPETITORS: list[tuple[str, str, str, Run]] = [  # ours, theirs, package, how
    ("bbo", "mealpy OriginalBBO", "mealpy", _mealpy("BBO", "OriginalBBO", pop_size=100, p_m=0.1)),
    ("ga", "mealpy BaseGA", "mealpy", _mealpy("GA", "BaseGA", pop_size=100, pc=0.95, pm=0.01)),
    ("ga", "pymoo GA", "pymoo", _pymoo("ga", "GA", 100)),
    ("ga", "evosax SimpleGA", "evosax", _evosax("SimpleGA", 100)),
    (
        "ga",
        "scikit-opt GA",
        "scikit-opt",
        _scikit_opt("GA", "GA", size_pop=100, prob_mut=0.01, precision=1e-4),
    ),
    ("pso", "mealpy OriginalPSO", "mealpy", _mealpy("PSO", "OriginalPSO", pop_size=200)),
    ("pso", "pymoo PSO", "pymoo", _pymoo("pso", "PSO", 200)),
    ("pso", "evosax PSO", "evosax", _evosax("PSO", 200)),
    ("pso", "pyswarms GlobalBestPSO", "pyswarms", _pyswarms(200)),
    ("es", "mealpy OriginalES", "mealpy", _mealpy("ES", "OriginalES", pop_size=250, lamda=0.04)),
    ("de", "mealpy OriginalDE", "mealpy", _mealpy("DE", "OriginalDE", pop_size=30)),
    ("de", "pymoo DE", "pymoo", _pymoo("de", "DE", 30)),
    ("de", "evosax DifferentialEvolution", "evosax", _evosax("DifferentialEvolution", 30)),
]
