"""How the decay should be chosen: by which loss, and when may a rate leave the race?

    python -m benchmarks.rates [--splits 3] [--seed 0] [--datasets NAME ...]

Within the training part of the first resplit of `benchmarks.classifiers`, for each dataset of data/raw/extra:
a third of the rows is held out, `splits` times. On the others, every rate runs through all folds, twice, and
trains a neuron on all of them, twice. So every way of choosing can be judged by the same neurons. No row of
the test part is seen. Accuracy and the loss at the best temperature are means over datasets and splits;
"better by" has the standard error of the difference to the first row, in points of accuracy.
"""

import argparse
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, softmax
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from benchmarks.classifiers import DATA, TEST_SIZE, load
from modn import filters
from modn.estimators.modn import FOLD_SHARE, LEAST_DENDRITES
from modn.estimators.samples import merged
from modn.estimators.shared import DENDRITES_PER_CLASS
from modn.fast.objective import Objective
from modn.inputs import Inputs
from modn.methods import Descent
from modn.methods.base import Steps
from modn.methods.descent import FINALISTS, _Run
from modn.methods.standard import StandardUnits
from modn.neuron import Neuron
from modn.targets import TEMPERATURES

HELD_OUT = 1 / 3
REPEATS = 2
ITERATIONS = 500

Array = NDArray[np.float64]
Loss = Callable[[Array, NDArray[np.int64]], Array]  # potentials (N, C), classes -> (N,)


class Folded(NamedTuple):
    """What the neurons of the folds say of the samples they were not trained on."""

    U: Array  # (K, N, C) for each rate
    fold: NDArray[np.int64]  # (N,)
    y: NDArray[np.int64]


class Case(NamedTuple):
    """One split of one dataset."""

    folded: list[Folded]
    accuracy: Array  # (K,) on the rows held out, of neurons trained with each rate
    loss: Array  # (K,) likewise


def error(U: Array, y: NDArray[np.int64]) -> Array:
    """1 where the highest potential is that of another class."""
    return (U.argmax(axis=1) != y).astype(np.float64)


def log_loss(U: Array, y: NDArray[np.int64]) -> Array:
    """-log of the probability of the class."""
    return -log_softmax(U, axis=1)[np.arange(len(y)), y]


def brier(U: Array, y: NDArray[np.int64]) -> Array:
    """The squared distance of the probabilities to those of the class."""
    return ((softmax(U, axis=1) - np.eye(U.shape[1])[y]) ** 2).sum(axis=1)


LOSSES: dict[str, Loss] = {"log-loss": log_loss, "Brier score": brier, "error": error}
FIRST_EXITS = {"first fold": 0, "second fold": 1, "last fold": 99}  # after which half of the rates leave


def at_best_temperature(loss: Loss, U: Array, y: NDArray[np.int64]) -> float:
    """The mean loss of samples, overconfidence aside."""
    return min(float(loss(t * U, y).mean()) for t in TEMPERATURES)


def chosen(folded: Folded, loss: Loss, first_exit: int) -> int:
    """The rate that wins the race."""
    racing = np.arange(len(folded.U))
    for fold in range(folded.fold.max() + 1):
        judged = folded.fold <= fold
        losses = [at_best_temperature(loss, folded.U[k, judged], folded.y[judged]) for k in racing]
        racing = racing[np.argsort(losses, kind="stable")]
        if fold >= first_exit:
            racing = racing[: max(FINALISTS, -(-len(racing) // 2))]
    return int(racing[0])


def case(dataset: str, split: int, seed: int) -> Case:
    """Train in all folds, and on all samples, with every rate."""
    X, y = load(dataset)
    X, _, y, _ = train_test_split(X, y, test_size=TEST_SIZE, stratify=y, random_state=0)
    seen, unseen, y_seen, y_unseen = train_test_split(
        X, y, test_size=HELD_OUT, stratify=y, random_state=100 + split
    )
    inputs = Inputs.fit(seen, list(seen.columns))
    rows, classes, weights = merged(inputs.transform(seen), y_seen, np.ones(len(y_seen)))
    C = int(y.max()) + 1
    M = max(LEAST_DENDRITES, DENDRITES_PER_CLASS * C)
    objective = Objective(rows, classes, M, C, 10.0, 1.0, weights)
    method = Descent(fold_share=FOLD_SHARE)
    run = _Run(method, StandardUnits(objective), filters.shared_out(M, C), True, ITERATIONS, Steps(None))
    rates = method._rates(rows.shape[1])
    rng = np.random.default_rng([seed, split])
    everything = np.arange(len(rows))

    def trained(own: NDArray[np.int64], steps: int) -> list[Neuron]:
        first = np.repeat(run._drawn(1, own, rng), len(rates), axis=0)
        points, Ps, _ = run._follow(run._batches(own, rng), first, rates, steps)
        parameters = [run.samples.to_objective(point) for point in points]
        return [
            Neuron.from_parameters(p, P, rows.shape[1], 10.0, 1.0)
            for p, P in zip(parameters, Ps, strict=True)
        ]

    folded, accuracy, loss = [], [], []
    for _ in range(REPEATS):
        order = rng.permutation(everything)
        fold = np.empty(len(rows), dtype=np.int64)
        fold[order[np.argsort(classes[order], kind="stable")]] = everything % method.folds
        U = np.empty((len(rates), len(rows), C))
        for k in range(method.folds):
            neurons = trained(everything[fold != k], method._fold_steps(ITERATIONS))
            U[:, fold == k] = [neuron.potentials(rows[fold == k]) for neuron in neurons]
        folded.append(Folded(U, fold, classes))
        last = [neuron.potentials(inputs.transform(unseen)) for neuron in trained(everything, ITERATIONS)]
        accuracy.append([float((u.argmax(axis=1) == y_unseen).mean()) for u in last])
        loss.append([at_best_temperature(log_loss, u, y_unseen) for u in last])
    return Case(folded, np.mean(accuracy, axis=0), np.mean(loss, axis=0))


def main() -> None:
    """Print a row for each way of choosing."""
    everything = sorted(path.stem for path in DATA.glob("*.csv"))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0, help="of the folds and starts")
    parser.add_argument("--datasets", nargs="*", default=everything, choices=everything, metavar="NAME")
    options = parser.parse_args()
    pairs = [(dataset, split) for dataset in options.datasets for split in range(options.splits)]
    with threadpool_limits(1):
        cases = [case(*pair, options.seed) for pair in tqdm(pairs, unit="split")]
    print("| the best half stays after the | judged by | accuracy | log-loss | better by |")
    print("| --- | --- | ---: | ---: | ---: |")
    first: Array | None = None
    for exit_name, first_exit in FIRST_EXITS.items():
        for name, loss in LOSSES.items():
            picks = [[chosen(folded, loss, first_exit) for folded in one.folded] for one in cases]
            accuracy = np.array([one.accuracy[k].mean() for one, k in zip(cases, picks, strict=True)])
            losses = np.array([one.loss[k].mean() for one, k in zip(cases, picks, strict=True)])
            first = accuracy if first is None else first
            better = 100 * (accuracy - first)
            spread = better.std(ddof=1) / np.sqrt(len(better))
            difference = f"{better.mean():+.2f} ± {spread:.2f}"
            print(f"| {exit_name} | {name} | {accuracy.mean():.4f} | {losses.mean():.4f} | {difference} |")
    best = np.mean([one.accuracy.max() for one in cases])
    print(f"\nThe best rate of each split, known afterwards: {best:.4f}")


if __name__ == "__main__":
    main()
