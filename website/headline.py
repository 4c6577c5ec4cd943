"""The headline results, from the tables of reports/paper: what the README says of them."""

import re

import pandas as pd

from stages.study import claims
from website.links import ROOT

REPORT = ROOT / "reports" / "paper"
PRINTED = ROOT / "data" / "raw" / "paper"
WORDS = {
    claims.HOLDS: "hold",
    claims.FAILS: "do not",
    claims.OPEN: "are within chance",
    claims.NOT_RUN: "were not run",
}
BLOCK = re.compile(r"(?<=<!-- headline -->\n).*?(?=<!-- /headline -->)", flags=re.DOTALL)


def block() -> str:
    """A table of four lines."""
    lines = {
        "How close are our accuracies to the 187 printed in Table 3?": _closeness(),
        "Which of the paper's claims hold?": _claims(),
        "What do exact gradients add?": _gradients(),
        "How good is MODN beside common classifiers?": _classifiers(),
    }
    rows = [f"| {question} | {answer} |" for question, answer in lines.items()]
    return "\n".join(["| question | answer |", "| --- | --- |", *rows, ""])


def best_printed() -> "pd.Series[float]":
    """The best accuracy that the paper prints for a dataset, of all models and optimizers."""
    names = ("table3_acc_by_optimizer.csv", "table5_comparison.csv")
    return pd.concat(pd.read_csv(PRINTED / name) for name in names).groupby("dataset")["acc"].max()


def _closeness() -> str:
    table = pd.read_csv(REPORT / "tables" / "table3.csv").dropna(subset=["paper"])
    assert len(table) == 187
    off, bbo = table["difference"].abs(), table["optimizer"] == "bbo"
    runs = _one(table["runs"])
    return (
        f"{off.mean():.3f} off on average over {runs} runs each; with BBO, the paper's best optimizer, "
        f"{off[bbo].mean():.3f}"
    )


def _claims() -> str:
    verdicts = pd.read_csv(REPORT / "tables" / "claims.csv")["verdict"]
    counts = {words: int((verdicts == verdict).sum()) for verdict, words in WORDS.items()}
    others = [f"{n} {words}" for words, n in counts.items() if n and words != WORDS[claims.HOLDS]]
    return "; ".join([f"{counts[WORDS[claims.HOLDS]]} of {len(verdicts)} hold", *others])


def _gradients() -> str:
    table = pd.read_csv(REPORT / "tables" / "table3.csv")
    chosen = table[(table["model"] == "modn") & (table["optimizer"] == "adam")]
    ours = chosen.set_index("dataset")["acc_mean"]
    better = int((ours > best_printed()[ours.index]).sum())
    return f"MODN beats the best value printed for any model on {better} of {len(ours)} datasets"


def _classifiers() -> str:
    table = pd.read_csv(REPORT / "tables" / "baselines.csv")
    table = table[table["search"] == "default"]
    n = table["dataset"].nunique()
    complete = table.groupby("name").filter(lambda rows: len(rows) == n)
    means = complete.groupby("name")["acc_mean"].mean()
    rival = means.drop("MODN").idxmax()
    return (
        f"mean accuracy {means['MODN']:.3f} over {n} datasets with {_one(table['runs'])} resplits each, all "
        f"with default parameters; the best of the {len(means) - 1} others, {rival}, has {means[rival]:.3f}"
    )


def _one(values: "pd.Series[int]") -> int:
    (value,) = set(values)
    return int(value)
