"""What evaluations cost: those with a gradient beside those without, and those of each optimizer.

    python -m benchmarks.arena_costs [--budget 10000] [--repeats 3]

On the first resplit of each dataset of the arena (`dvc repro resplit` makes them), MODNP at the values of
params.yaml. Two tables are written to data/raw/measured, each the least of the repeats, since a busy machine
only adds to the time:

gradient_costs.csv  microseconds of an evaluation in a population of 100, of one with its exact gradient as BP
                    asks for it (a population of 1) and as Adam does (`Descent`: batches, several decays at a
                    time), and the ratios. `arena.gradient_cost` is the rounded geometric mean of the ratios.
arena_costs.csv     microseconds per evaluation of each optimizer, all that it does included, with the
                    settings and the `arena.gradient_cost` in force, known by their digest. The report draws
                    curves over seconds from them, and from no others.
"""

import argparse
from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from modn import methods
from modn.fast.objective import Objective
from modn.methods import FixedFilter, Method
from stages.config import composition
from stages.config.schema import Parameters
from stages.io import files
from stages.study import families
from stages.study.arena import MEASURED, settings_digest
from stages.study.cells import study_cells

MODEL = "modnp"
GRADIENTS = files.RAW / "measured/gradient_costs.csv"
ADAM_EVALUATIONS = 2000  # with a gradient; the arena gives it up to about 3000
CALLS = 50  # of the loss of a population; of a gradient ten times as many


def seconds(function: Callable[[], Any], repeats: int) -> float:
    """The least CPU seconds of several calls, after one that compiles."""
    function()
    spent = []
    for _ in range(repeats):
        begin = process_time()
        function()
        spent.append(process_time() - begin)
    return min(spent)


def problems(parameters: Parameters) -> dict[str, FixedFilter]:
    """The training of MODNP on each dataset."""
    found = {}
    for dataset in parameters.derived["arena"]["datasets"]:
        parts = files.read_arrays(files.resplits_of("arena") / f"{dataset}.npz")
        (cell,) = study_cells(parameters, "arena", MODEL, "bbo", {dataset: len(parts["classes"])})
        size = (cell.n_dendrites, cell.n_classes, cell.alpha_s, cell.alpha_t)
        problem = methods.neuron_problem(
            Objective(parts["X_train"][0], parts["y_train"][0], *size), cell.settings["filter"]
        )
        assert isinstance(problem, FixedFilter)
        found[dataset] = problem
    return found


def gradient_costs(problem: FixedFilter, adam: Method, repeats: int) -> dict[str, float]:
    """Microseconds of an evaluation with and without a gradient, and how many times as much that is."""
    many = problem.space.sample(100, np.random.default_rng(0))
    one = many[:1]
    iterations = adam.iterations_within(problem, ADAM_EVALUATIONS)
    evaluations = adam.work(problem, iterations).evaluations
    loss = seconds(lambda: [problem.loss(many) for _ in range(CALLS)], repeats) / (100 * CALLS)
    bp = seconds(lambda: [problem.loss_and_gradient(one) for _ in range(10 * CALLS)], repeats) / (10 * CALLS)
    descent = seconds(lambda: train(adam, problem, iterations), repeats)
    row = {"evaluation": 1e6 * loss, "bp": 1e6 * bp, "adam": 1e6 * descent / evaluations}
    return row | {f"{name}_ratio": row[name] / row["evaluation"] for name in ("bp", "adam")}


def train(method: Method, problem: FixedFilter, iterations: int) -> None:
    """One training, always the same."""
    method.train(problem, iterations, np.random.default_rng(0))


def main() -> None:
    """Measure and replace both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--budget", type=int, default=10_000, help="evaluations of each optimizer")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    parameters = composition.compose_plan(["profile=paper"])
    cost = parameters.derived["arena"]["gradient_cost"]
    family, model = families.get(parameters.models[MODEL]["family"]), parameters.models[MODEL]
    gradients, costs = [], []
    with threadpool_limits(1):
        for dataset, problem in problems(parameters).items():
            adam = family.method(model, parameters.optimizers["adam"])
            gradients.append({"dataset": dataset} | gradient_costs(problem, adam, options.repeats))
            print(gradients[-1], flush=True)
            for optimizer in parameters.arena.optimizers:
                block = parameters.optimizers[optimizer]
                method = family.method(model, block)
                iterations = method.iterations_within(problem, options.budget, cost)
                spent = seconds(partial(train, method, problem, iterations), options.repeats)
                used = method.cost(problem, iterations, cost)
                settings = settings_digest(block, cost)
                costs.append((optimizer, settings, dataset, 1e6 * spent / used))
    table = pd.DataFrame(gradients).round(2)
    files.write_csv(GRADIENTS, table)
    columns = ["optimizer", "settings", "dataset", "microseconds"]
    files.write_csv(files.RAW / MEASURED, pd.DataFrame(costs, columns=columns).round(3))
    ratios = table[["bp_ratio", "adam_ratio"]].to_numpy()
    print(table.to_string(index=False))
    print(f"geometric mean of the ratios: {np.exp(np.log(ratios).mean()):.1f}")


if __name__ == "__main__":
    main()
