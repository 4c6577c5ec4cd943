"""The claims' verdicts: on the paper's own numbers they hold, on worse ones not; on none: not decided."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from stages.study import claims

PAPER = Path(__file__).resolve().parents[2] / "data/raw/paper"
NO_RUNS = pd.DataFrame(
    {name: [] for name in ("study", "model", "optimizer", "title", "n_dendrites", "inoperative", "acc")}
    | {"alpha_s": np.array([]), "alpha_t": np.array([])}
)


@pytest.fixture
def table3() -> pd.DataFrame:
    """The paper's Table 3, as if we had measured it."""
    printed = pd.read_csv(PAPER / "table3_acc_by_optimizer.csv").dropna(ignore_index=True)
    return printed.rename(columns={"acc": "acc_mean"}).assign(title=printed["dataset"])


@pytest.fixture
def table5() -> pd.DataFrame:
    """The paper's Table 5, as if we had measured it."""
    printed = pd.read_csv(PAPER / "table5_comparison.csv")
    names = {"method": "model", "acc": "acc_mean", "auc": "auc_mean", "p_value_bonferroni": "p"}
    optimizer = printed["method"].map({"mlp": "bp", "dnm": "bbo", "modn": "bbo"})
    return printed.rename(columns=names).assign(title=printed["dataset"], optimizer=optimizer, runs=30)


def verdicts(checked: pd.DataFrame) -> list[str]:
    return checked["verdict"].tolist()


def of(checked: pd.DataFrame, words: str) -> pd.Series:
    (row,) = [row for _, row in checked.iterrows() if words in row["claim"]]
    return row


def test_on_the_papers_own_numbers_its_claims_hold(table3: pd.DataFrame, table5: pd.DataFrame) -> None:
    checked = claims.check(table3, table5, NO_RUNS)
    assert of(checked, "BBO is the best")["ours"].startswith("9 of 11 (else caesarian: PBIL, ecoli: ES)")
    assert of(checked, "MODN is the best")["ours"].startswith("7 of 11 (breast_cancer, ")
    assert of(checked, "beats the MLP")["ours"] == "ACC 11 of 11, AUC 11 of 11"
    assert of(checked, "beats DNM")["ours"] == "ACC 4 of 5 (ACC not on raisin)"
    assert of(checked, "significant")["ours"] == "11 of 11"
    assert of(checked, "BP is less capable")["ours"].startswith("BP 0.")
    assert set(verdicts(checked)[:6]) == {"holds"}
    assert set(verdicts(checked)[6:]) == {"not decided"}


def test_a_claim_that_fails_says_so(table3: pd.DataFrame, table5: pd.DataFrame) -> None:
    table3.loc[table3["optimizer"] == "ga", "acc_mean"] = 0.999
    table3.loc[table3["optimizer"] == "es", "acc_mean"] = 0.001
    table5.loc[table5["model"] == "modn", ["acc_mean", "auc_mean"]] = 0.45
    table5["p"] = 0.5
    checked = claims.check(table3, table5, NO_RUNS)
    assert set(verdicts(checked)[:6]) - {"does not hold"} <= {"holds"}
    for words in ("BBO is the best", "BP is less capable", "beats the MLP", "beats DNM", "significant"):
        assert of(checked, words)["verdict"] == "does not hold", words


def test_what_was_not_run_is_not_judged(table3: pd.DataFrame, table5: pd.DataFrame) -> None:
    only = table3[(table3["model"] == "modnf") & (table3["optimizer"] == "bbo")]
    assert set(verdicts(claims.check(only, table5.iloc[:0], NO_RUNS))) == {"not decided"}


def test_inoperative_dendrites_are_counted_over_the_learned_filters(
    table3: pd.DataFrame, table5: pd.DataFrame
) -> None:
    runs = pd.DataFrame(
        {
            "study": "comparison",
            "model": ["modn", "modn", "modnf"],
            "optimizer": "bbo",
            "title": "Iris",
            "n_dendrites": [30, 30, 30],
            "inoperative": [3, 0, 9],
            "acc": 0.9,
            "alpha_s": 10.0,
            "alpha_t": 1.0,
        }
    )
    row = of(claims.check(table3, table5, runs), "inoperative")
    assert (row["ours"], row["verdict"]) == ("1 of 2 runs have some; 5.0% of all dendrites", "does not hold")
    runs["inoperative"] = 0
    assert of(claims.check(table3, table5, runs), "inoperative")["verdict"] == "holds"


@pytest.mark.parametrize(
    ("alpha", "sign", "verdict"), [("alpha_s", 1, "holds"), ("alpha_t", 1, "does not hold")]
)
def test_trends_are_rank_correlations_over_the_grid(
    table3: pd.DataFrame, table5: pd.DataFrame, alpha: str, sign: int, verdict: str
) -> None:
    grid = pd.DataFrame(
        [(s, t) for s in (1.0, 5.0, 10.0) for t in (0.5, 1.0)], columns=["alpha_s", "alpha_t"]
    )
    sweep = pd.DataFrame({"alpha_s": 10.0, "alpha_t": 1.0, "n_dendrites": [4, 5], "acc": [0.1, 0.9]})
    runs = pd.concat([grid.assign(n_dendrites=8, acc=0.5 + sign * grid[alpha] / 100), sweep])
    runs = runs.assign(study="sensitivity", title="Iris", model="modn", optimizer="bbo", inoperative=0)
    row = of(
        claims.check(table3, table5, runs), {"alpha_s": "larger alpha_s", "alpha_t": "smaller alpha_t"}[alpha]
    )
    assert (row["ours"], row["verdict"]) == (f"rank correlation Iris {sign * 1.0:+.2f}", verdict)
