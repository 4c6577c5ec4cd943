"""What the paper leaves open, and what it did otherwise than one should: how much each moves the BBO column.

    dvc repro resplit split
    python -m benchmarks.open_choices [--runs 5] [--datasets iris wine] [--choices clipped "half P"]

For MODN, MODNP and MODNF trained by BBO: mean accuracy per dataset, and the mean absolute difference to Table
3 without heart disease, which the authors did not take from UCI. One thing is changed at a time:

- as run: the authors' split and scaling, BBO's continuous variant, 10 iterations on P and then the budget
- fair scaling: the same neurons, their test part scaled by the training part's range instead of its own
- sound: stratified resplits, everything fitted on the training part
- Simon's BBO: the discrete migration of 2008
- clipped: the variables stay in the box in which they began
- telodendra +-1, box +-2, box +-0.5: another box to begin in than [-1, 1] and, for the telodendra, [0, 1]
- five rounds: both steps of MODN in turn, five times; 100 on P: more iterations of the first step
- reseeded: every individual draws the same random numbers

The faults of the authors' code:

- newest: the best of the newest individuals is returned, not of all
- repeating: every generation draws the same random numbers as the one before
- real P: the learned P is not made Boolean for the test part: instead of 1 a number from [0, 1], instead of 0
  one from [-1, 0]
- half P: the zeros of MODNP's P count 1/2 in training, but 0 at test
- searched P: ten generations search the P of MODNP and MODNF, too, from the fixed one on; real at test
- all faults: the five at once
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from benchmarks import authors_filter
from benchmarks.authors_filter import FilterFaults
from benchmarks.bbo_variants import (
    BoxedBBO,
    ClippedBBO,
    FaultyBBO,
    LastGenerationBBO,
    RepeatingBBO,
    ReseededBBO,
)
from benchmarks.training import ALPHA_S, ALPHA_T, ROOT
from modn.fast.objective import Objective
from modn.methods import LEARNED, Method, Search, TwoStep, neuron_problem
from modn.neuron import Neuron
from modn.optimizers.bbo import BBO
from modn.scaling import to_unit
from stages.study import seeding
from stages.study.cleaning import features_and_labels

FILTERS = {"modn": "learned", "modnp": "partition", "modnf": "full"}
SHORT = {"breast_cancer", "blood_transfusion", "wine", "car", "iris"}  # Table 2: 300 iterations, else 400


@dataclass(frozen=True)
class Choice:
    """What is changed."""

    bbo: BBO = field(default_factory=BBO)
    scheme: dict[str, Any] = field(default_factory=dict)
    splits: str = "splits"
    models: tuple[str, ...] = ("modn", "modnp", "modnf")
    real: bool = False  # MODN's learned P stays real at test
    of_filter: FilterFaults | None = None  # of MODNP and MODNF


CHOICES = {
    "as run": Choice(),
    "fair scaling": Choice(),
    "sound": Choice(splits="resplits"),
    "Simon's BBO": Choice(BBO(variant="simon")),
    "clipped": Choice(ClippedBBO()),
    "telodendra +-1": Choice(BoxedBBO()),
    "box +-2": Choice(BoxedBBO(reach=2.0)),
    "box +-0.5": Choice(BoxedBBO(reach=0.5)),
    "five rounds": Choice(scheme={"rounds": 5}, models=("modn",)),
    "100 on P": Choice(scheme={"filter_iterations": 100}, models=("modn",)),
    "reseeded": Choice(ReseededBBO()),
    "newest": Choice(LastGenerationBBO()),
    "repeating": Choice(RepeatingBBO()),
    "real P": Choice(models=("modn",), real=True),
    "half P": Choice(models=("modnp",), of_filter=FilterFaults(halved=True)),
    "searched P": Choice(models=("modnp", "modnf"), of_filter=FilterFaults(searched=True)),
    "all faults": Choice(FaultyBBO(), real=True, of_filter=FilterFaults(halved=True, searched=True)),
}


def accuracy(name: str, dataset: str, model: str, run: int) -> float:
    """One training."""
    choice = CHOICES[name]
    parts = np.load(ROOT / f"data/{choice.splits}/{dataset}.npz", allow_pickle=False)
    k = run if len(parts["y_test"]) > 1 else 0
    X, y, C = parts["X_train"][k], parts["y_train"][k], len(parts["classes"])
    objective = Objective(X, y, 10 * C, C, ALPHA_S, ALPHA_T)
    filter, budget = FILTERS[model], 300 if dataset in SHORT else 400
    rng = seeding.generator(100 + run, dataset, model)
    learned = filter == LEARNED
    if learned or choice.of_filter is None:
        method: Method = TwoStep(choice.bbo, **choice.scheme) if learned else Search(choice.bbo)
        found = method.train(neuron_problem(objective, filter), budget, rng)
        parameters, P = found.parameters, np.asarray(found.P).astype(float)
        if learned and choice.real:
            P = np.where(P > 0, 1, -1) * rng.random(P.shape)
    else:
        parameters, P = authors_filter.train(objective, filter, choice.bbo, budget, rng, choice.of_filter)
    X_test = fairly_scaled(dataset, parts, k) if name == "fair scaling" else parts["X_test"][k]
    predicted = telodendra(parameters, P, X_test).argmax(axis=1)
    return float(np.mean(predicted == parts["y_test"][k]))


def telodendra(parameters: np.ndarray, P: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Eq. 8 (N, C) with a P (M, C) that may be real."""
    neuron = Neuron.from_parameters(parameters, P > 0, X.shape[1], ALPHA_S, ALPHA_T)
    return np.tanh(ALPHA_T * (neuron.w_t * (neuron.dendrites(X) @ P) - neuron.theta_t))


def fairly_scaled(dataset: str, parts: Any, k: int) -> np.ndarray:
    """The test part by the range of the training part."""
    table = pd.read_csv(ROOT / f"data/tables/{dataset}.csv", dtype=str, keep_default_na=False)
    X, _ = features_and_labels(table)
    seen = X[parts["train_rows"][k]]
    median = np.nanmedian(seen, axis=0)
    seen, unseen = (np.where(np.isnan(part), median, part) for part in (seen, X[parts["test_rows"][k]]))
    return to_unit(unseen, seen.min(axis=0), seen.max(axis=0))


def rows(datasets: list[str], choices: list[str], runs: int, jobs: int) -> Iterator[pd.DataFrame]:
    """The cells of one choice and model at a time: a row per dataset, the mean over runs and its spread."""
    with Parallel(n_jobs=jobs) as pool:
        for name in choices:
            for model in CHOICES[name].models:
                tasks = [(name, dataset, model, run) for dataset in datasets for run in range(runs)]
                found = np.array(pool(delayed(accuracy)(*task) for task in tasks)).reshape(-1, runs)
                spread = found.std(axis=1, ddof=1) if runs > 1 else np.nan
                cells = {"choice": name, "model": model, "dataset": datasets, "runs": runs}
                yield pd.DataFrame({**cells, "acc": found.mean(axis=1), "std": spread})


def printed() -> pd.DataFrame:
    """The BBO column of Table 3: a row per model, a column per dataset."""
    table3 = pd.read_csv(ROOT / "data/raw/paper/table3_acc_by_optimizer.csv")
    return table3[table3["optimizer"] == "bbo"].pivot_table(index="model", columns="dataset", values="acc")


def apart(cells: pd.DataFrame, bbo: pd.DataFrame) -> float:
    """The mean absolute difference of one model's cells to the printed ones, without heart disease."""
    cells = cells[cells["dataset"] != "heart_disease"]
    theirs = [bbo.loc[row.model, row.dataset] for row in cells.itertuples()]
    return float(np.abs(cells["acc"] - theirs).mean())


def reported() -> pd.DataFrame:
    """The BBO column of reports/paper: the cells of `as run`, with other random numbers and 30 runs."""
    table3 = pd.read_csv(ROOT / "reports/paper/tables/table3.csv")
    return table3[table3["optimizer"] == "bbo"].rename(columns={"acc_mean": "acc"}).assign(choice="none")


def markdown(cells: pd.DataFrame) -> str:
    """The cells of a CSV file as a table in Markdown, below the printed and the reported ones."""
    bbo, datasets = printed(), list(dict.fromkeys(cells["dataset"]))
    known = reported()
    known = known[known["dataset"].isin(datasets) & known["model"].isin(list(FILTERS))]
    lines = [["change", "model", "difference", *datasets], ["---"] * 2 + ["---:"] * (len(datasets) + 1)]
    for model in FILTERS:
        lines.append(["printed", model.upper(), "", *(f"{bbo[name][model]:.3f}" for name in datasets)])
    for (choice, model), own in pd.concat([known, cells]).groupby(["choice", "model"], sort=False):
        accuracies = own.set_index("dataset")["acc"]
        each = [f"{accuracies[name]:.3f}" for name in datasets]
        lines.append([str(choice), str(model).upper(), f"{apart(own, bbo):.3f}", *each])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    """Print a row as soon as it is there."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = sorted(path.stem for path in (ROOT / "data/splits").glob("*.npz"))
    if not known:
        parser.error("there are no splits yet; dvc repro split resplit makes them")
    parser.add_argument(
        "--runs", type=int, default=5, help="of each cell; at most as many as there are resplits"
    )
    parser.add_argument("--datasets", nargs="+", default=known, choices=known)
    parser.add_argument("--choices", nargs="+", default=list(CHOICES), choices=list(CHOICES))
    parser.add_argument("--jobs", type=int, default=-1, help="processes; -1: one for each core")
    parser.add_argument("--out", type=Path, help="a CSV file for the means and their spread")
    options = parser.parse_args()
    if "sound" in options.choices and options.runs > _resplits(known[0]):
        parser.error(
            f"--runs {options.runs}: there are fewer resplits; dvc exp run -S resplits=... makes more"
        )
    bbo = printed()
    print(f"{'':<14} {'':<6} |diff| " + " ".join(f"{name[:6]:<6}" for name in options.datasets))
    for model in FILTERS:
        each = " ".join(f"{bbo[dataset][model]:.3f} " for dataset in options.datasets)
        print(f"{'printed':<14} {model:<6}        {each}")
    done = []
    for cells in rows(options.datasets, options.choices, options.runs, options.jobs):
        done.append(cells)
        if options.out is not None:
            pd.concat(done).to_csv(options.out, index=False, float_format="%.5f", lineterminator="\n")
        first = cells.iloc[0]
        each = " ".join(f"{acc:.3f} " for acc in cells["acc"])
        print(f"{first['choice']:<14} {first['model']:<6} {apart(cells, bbo):.3f}  {each}", flush=True)


def _resplits(dataset: str) -> int:
    """How many there are; 0 if none were made."""
    path = ROOT / f"data/resplits/{dataset}.npz"
    return len(np.load(path, allow_pickle=False)["y_test"]) if path.is_file() else 0


if __name__ == "__main__":
    main()
