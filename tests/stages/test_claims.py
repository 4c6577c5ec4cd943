"""The claims' verdicts on made-up runs whose truth is known: the paper's own numbers, and worse ones."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from stages.study import claims, measures, paper, tables

PAPER = Path(__file__).resolve().parents[2] / "data/raw/paper"
PRINTED3 = pd.read_csv(PAPER / "table3_acc_by_optimizer.csv")
PRINTED5 = pd.read_csv(PAPER / "table5_comparison.csv")
CHOSEN = measures.chosen(measures.OF_THE_PAPER)
CLAIMS = 9


def with_runs(cells: pd.DataFrame, runs: int, spread: float) -> pd.DataFrame:
    """Runs whose means are the cells' values, but for chance."""
    rng = np.random.default_rng(0)
    repeated = pd.concat([cells.assign(run=run) for run in range(runs)], ignore_index=True)
    for name in measures.OF_THE_PAPER:
        repeated[name] = repeated[name] + rng.normal(0, spread, len(repeated))
    return repeated


def printed_runs(runs: int = 30, spread: float = 0.0002) -> pd.DataFrame:
    """The paper's numbers as if we had measured them, and a sweep that goes as its Fig. 4."""
    compared = PRINTED3.dropna().assign(study="comparison", auc=0.9, alpha_s=10.0, alpha_t=1.0)
    tuned = PRINTED5.rename(columns={"method": "model"})[["dataset", "model", "acc", "auc"]]
    tuned = tuned.assign(study="tuned", optimizer=tuned["model"].map(paper.TUNED), alpha_s=10.0, alpha_t=1.0)
    grid = [(name, s, t) for name in paper.SWEPT for s in (1.0, 10.0, 20.0) for t in (0.1, 1.0, 2.0)]
    swept = pd.DataFrame(grid, columns=["dataset", "alpha_s", "alpha_t"])
    swept["acc"] = 0.8 + 0.004 * swept["alpha_s"] - 0.04 * swept["alpha_t"]
    swept = swept.assign(study="sensitivity", model="modn", optimizer="bbo", auc=0.9)
    cells = pd.concat([compared, tuned, swept], ignore_index=True)
    cells = cells.assign(n_dendrites=8, inoperative=0, title=cells["dataset"].str.title())
    return with_runs(cells, runs, spread)


def check(runs: pd.DataFrame) -> pd.DataFrame:
    table5 = tables.table5(runs, PRINTED5, CHOSEN)
    return claims.check(runs, table5, PRINTED3, PRINTED5)


def of(checked: pd.DataFrame, words: str) -> pd.Series:
    (row,) = [row for _, row in checked.iterrows() if words in row["claim"]]
    return row


def test_on_the_papers_own_numbers_its_claims_hold() -> None:
    checked = check(printed_runs())
    assert checked["verdict"].tolist() == ["holds"] * CLAIMS
    assert of(checked, "BBO is the best")["ours"].startswith("9 of 11 (not on Caesarian, Ecoli); p ")
    assert of(checked, "MODN is the best")["ours"].startswith("7 of 11 (not on ")
    assert of(checked, "beats the MLP")["ours"].startswith("ACC 11 of 11, AUC 11 of 11; p ")
    assert of(checked, "beats DNM")["ours"].startswith("ACC 4 of 5 (ACC not on Raisin); p ")
    assert of(checked, "significant")["ours"] == "11 of 11 for MODN, 0 for the MLP"
    assert of(checked, "BP is less capable")["ours"].startswith("BP 0.")
    assert of(checked, "inoperative")["ours"].startswith("0 of 330 runs have some (95 % interval 0% to 1%)")
    assert of(checked, "larger alpha_s")["ours"].startswith("rank correlation Iris +0.")


def test_the_same_differences_within_large_noise_are_within_chance() -> None:
    checked = check(printed_runs(runs=3, spread=0.5))
    undecided = checked[~checked["claim"].str.contains("inoperative")]
    assert set(undecided["verdict"]) == {"within chance"}
    assert "for it, " in of(checked, "beats DNM")["ours"]
    assert of(checked, "significant")["ours"] == "3 runs cannot show it: p is 0.25 at the least"


def test_a_claim_whose_opposite_is_true_does_not_hold() -> None:
    runs = printed_runs()
    compared, tuned = runs["study"] == "comparison", runs["study"] == "tuned"
    runs.loc[compared & (runs["optimizer"] == "ga"), "acc"] += 0.5
    runs.loc[compared & (runs["optimizer"] == "es"), "acc"] -= 0.5
    runs.loc[compared & (runs["model"] == "modn"), "acc"] -= 0.3
    runs.loc[tuned & (runs["model"] == "modn"), ["acc", "auc"]] -= 0.4
    runs.loc[compared & (runs["model"] == "modn"), "inoperative"] = 1
    swept = runs["study"] == "sensitivity"
    runs.loc[swept, "acc"] = 1.5 - runs.loc[swept, "acc"]
    assert set(check(runs)["verdict"]) == {"does not hold"}


def test_one_lost_dataset_is_enough_against_all_datasets_but_not_against_most() -> None:
    runs = printed_runs()
    is_lost = (runs["study"] == "tuned") & (runs["model"] == "modn") & (runs["dataset"] == "iris")
    is_lost |= (runs["study"] == "comparison") & (runs["optimizer"] == "bbo") & (runs["dataset"] == "iris")
    runs.loc[is_lost, "acc"] = 0.1
    checked = check(runs)
    assert of(checked, "beats the MLP")["verdict"] == "does not hold"
    assert "(ACC not on Iris)" in of(checked, "beats the MLP")["ours"]
    assert of(checked, "BBO is the best")["verdict"] == "holds"


def test_a_significant_loss_is_no_significant_win() -> None:
    runs = printed_runs()
    runs.loc[(runs["study"] == "tuned") & (runs["model"] == "mlp"), "acc"] += 0.9
    row = of(check(runs), "significant")
    assert (row["ours"], row["verdict"]) == ("0 of 11 for MODN, 11 for the MLP", "does not hold")


def test_one_run_decides_nothing_about_means() -> None:
    checked = check(printed_runs(runs=1))
    assert set(checked["verdict"][:6]) == {"within chance"}


def test_an_own_dataset_alone_says_nothing_about_the_papers_claims() -> None:
    runs = printed_runs()
    own = runs[runs["dataset"] == "iris"].assign(dataset="mine", title="Mine")
    checked = check(own)
    assert set(checked["verdict"]) == {"not run"}
    assert of(checked, "beats DNM")["ours"] == "lacks DNM+BBO, MODN+BBO"
    both = check(pd.concat([runs, own]))
    assert "9 of 11" in of(both, "BBO is the best")["ours"], "it is not counted either"


@pytest.mark.parametrize(
    ("left_out", "words", "lacking"),
    [
        ({"dataset": ["iris"]}, "BBO is the best", "lacks datasets iris"),
        ({"optimizer": ["ga"]}, "BBO is the best", "lacks MODN+GA, MODNP+GA, MODNF+GA"),
        (
            {"model": ["modnp"]},
            "MODN is the best",
            "lacks MODNP+BBO, MODNP+BP, MODNP+GA, MODNP+PSO, and 2 more",
        ),
        ({"optimizer": ["bp"]}, "BP is less capable", "lacks MODNP+BP, MODNF+BP"),
        ({"model": ["mlp"]}, "beats the MLP", "lacks MLP+BP"),
        ({"dataset": ["raisin"]}, "alpha_t", "lacks datasets raisin"),
        ({"alpha_s": [1.0, 20.0]}, "alpha_s", "needs more than one alpha_s on Iris"),
    ],
)
def test_a_claim_says_what_was_not_run(left_out: dict[str, list[object]], words: str, lacking: str) -> None:
    runs = printed_runs(runs=2)
    for column, values in left_out.items():
        runs = runs[~runs[column].isin(values)]
    row = of(check(runs), words)
    assert (row["ours"], row["verdict"]) == (lacking, "not run")


def test_optimizers_beyond_the_paper_are_named_where_they_change_the_picture() -> None:
    runs = printed_runs()
    more = runs[(runs["study"] == "comparison") & (runs["optimizer"] == "bbo")].assign(optimizer="adam")
    more = more.assign(acc=np.where(more["dataset"] == "iris", 0.1, 0.999))
    mlp = runs[(runs["study"] == "tuned") & (runs["model"] == "mlp")].assign(optimizer="adam", acc=0.999)
    checked = check(pd.concat([runs, more, mlp]))
    assert checked["verdict"].tolist() == ["holds"] * CLAIMS, "the claims are about the paper's cells"
    assert of(checked, "BBO is the best")["ours"].endswith(
        "beyond the paper, better than BBO: Adam on 10 of 11"
    )
    assert "; with Adam as well, " in of(checked, "MODN is the best")["ours"]
    assert of(checked, "BP is less capable")["ours"].endswith("; beyond the paper: Adam 0.917")
    assert of(checked, "beats the MLP")["ours"].endswith(
        "beyond the paper: MLP+Adam: ACC 0 of 11, AUC 11 of 11"
    )


def test_inoperative_dendrites_are_counted_over_the_learned_filters() -> None:
    runs = printed_runs(runs=2)
    own = (runs["study"] == "comparison") & (runs["model"] == "modn") & (runs["optimizer"] == "bbo")
    runs.loc[own & (runs["run"] == 0) & (runs["dataset"] == "iris"), "inoperative"] = 4
    runs.loc[(runs["model"] == "modnf"), "inoperative"] = 5
    row = of(check(runs), "inoperative")
    assert row["ours"] == "1 of 22 runs have some (95 % interval 0% to 23%); 2.3% of all dendrites"
    assert row["verdict"] == "does not hold"
