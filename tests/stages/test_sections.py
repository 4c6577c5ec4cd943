"""Every section that answers a question opens with the answer, and its numbers follow from the tables."""

import pandas as pd
import pytest

from stages.study import beyond, claims, fidelity_section, measures
from stages.study.names import optimizer_name, pair_name
from stages.study.sections import SECTIONS, _best_optimizers, _rivals_beaten

STORY = ["fidelity", "learned_filter", "arena", "baselines", "extra", "circuits", "targets"]


def test_the_sections_are_one_story() -> None:
    keys = [section.key for section in SECTIONS]
    assert [key for key in keys if key in STORY] == STORY
    assert keys.index("figures") < keys.index("learned_filter"), "all of the paper comes first"


@pytest.mark.parametrize(
    ("verdicts", "answer"),
    [
        ([claims.HOLDS] * 2, "**Yes:** of the paper's 2 claims 2 hold."),
        (
            [claims.HOLDS, claims.FAILS, claims.OPEN, claims.OPEN],
            "**Partly:** of the paper's 4 claims 1 holds, 1 does not hold, 2 are within chance.",
        ),
        (
            [claims.FAILS, claims.FAILS, claims.NOT_RUN],
            "**No:** of the paper's 3 claims 2 do not hold, 1 was not run.",
        ),
        ([claims.NOT_RUN] * 2, "**Not shown:** of the paper's 2 claims 2 were not run."),
    ],
)
def test_fidelity_opens_with_the_claims_and_the_distance(verdicts: list[str], answer: str) -> None:
    judged = pd.DataFrame({"claim": verdicts, "verdict": verdicts, "ours": ""})
    rows = [("all", 187, 0.07714), ("bbo", 33, 0.0444), ("ga", 33, 0.08)]
    closeness = pd.DataFrame(rows, columns=["optimizer", "cells", "mean_absolute_difference"])
    closeness = closeness.assign(datasets=11, low=0.01, high=0.1, mean_difference=0.0, within=9)
    text = fidelity_section.write({"claims": judged, "closeness": closeness})
    distance = (
        "The mean absolute difference to the printed accuracies is 0.044 for BBO (33 cells) and 0.077 over "
        "all optimizers (187 cells)."
    )
    assert text.startswith(f"{answer} {distance}\n\n")
    unprinted = fidelity_section.write({"claims": judged, "closeness": pd.DataFrame()})
    assert unprinted.startswith(f"{answer}\n\n")


def test_table_3_says_who_is_best_and_shares_first_places() -> None:
    rows = [("iris", "bbo", 0.9), ("iris", "ga", 0.9), ("iris", "adam", 0.95), ("wine", "bbo", 0.8)]
    rows += [("wine", "ga", 0.7), ("wine", "adam", 0.6)]
    table3 = pd.DataFrame(rows, columns=["dataset", "optimizer", "acc_mean"])
    assert _best_optimizers(table3).startswith(
        "**Among the paper's optimizers the highest mean is BBO's on 2, GA's on 1 of 2 datasets. "
        f"Among all the highest mean is {optimizer_name('adam')}'s on 1, BBO's on 1 of 2 datasets.**"
    )
    assert "Among all" not in _best_optimizers(table3[table3["optimizer"] != "adam"])


def test_table_5_counts_wins_here_and_in_the_paper() -> None:
    rows = [("iris", "modn", "bbo", 0.9, 0.9), ("iris", "mlp", "bp", 0.8, 0.95)]
    rows += [
        ("wine", "modn", "bbo", 0.7, 0.9),
        ("wine", "mlp", "bp", 0.7, 0.8),
        ("wine", "mlp", "adam", 0.9, 0.8),
    ]
    table5 = pd.DataFrame(rows, columns=["dataset", "model", "optimizer", "acc_mean", "paper_acc"])
    assert _rivals_beaten(table5) == (
        "**MODN has a higher mean accuracy than MLP+BP on 1 of 2 datasets (printed: 1), "
        f"than {pair_name('mlp', 'adam')} on 0 of 1 datasets.**"
    )
    assert _rivals_beaten(table5[table5["model"] == "mlp"]) == ""


def ranks_of(rows: list[tuple[str, float, float, float]], reach: float) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["baseline", "acc_mean", "log_loss_mean", "rank"])
    return table.assign(
        name=table["baseline"].str.upper(), search="default", datasets=4, critical_difference=reach
    )


def test_the_classifier_opens_with_its_places() -> None:
    chosen = [measures.get("acc"), measures.get("log_loss")]
    rows = [("svm", 0.9, float("nan"), 1.0), ("modn", 0.8, 0.3, 2.0), ("knn", 0.7, 0.5, 3.5)]
    text = beyond._answer(ranks_of(rows, reach=1.2), chosen)
    assert text == (
        "**MODN, default, is number 2 of 3 by ACC (0.800), 1 of 2 by log-loss (0.300) in the mean over 4 "
        "datasets; the best rival has an accuracy of 0.900 (SVM). By mean rank it is significantly better "
        "than KNN.**"
    )
    near = beyond._answer(ranks_of(rows, reach=2.0), chosen)
    assert "By mean rank it is within the critical difference of all others." in near
    assert "significantly worse than SVM" in beyond._answer(ranks_of(rows, reach=0.5), chosen)
    assert beyond._answer(ranks_of(rows[:1], reach=1.0), chosen) == ""
    assert beyond._answer(pd.DataFrame(), chosen) == ""
