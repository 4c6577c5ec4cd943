"""summary.json: few numbers, and only of what was run."""

import pandas as pd
from results import make_baseline_runs, make_curves, make_material, make_rocs, make_runs

from stages.study import summary

NEEDED = ("table3", "classifier_ranks", "extra_ranks", "closeness", "claims")


def headlines(runs: pd.DataFrame, baseline_runs: pd.DataFrame) -> dict[str, float]:
    material = make_material(runs, baseline_runs, make_curves(), make_rocs())
    return summary.headlines(*(material[name] for name in NEEDED))


def test_the_numbers_fit_a_terminal_and_are_the_tables() -> None:
    runs, fits = make_runs(), make_baseline_runs()
    found = headlines(runs, fits)
    names = ["modn_bbo", "bbo_to_paper", "modn_default", "best_other", "extra_modn", "extra_other"]
    assert list(found) == [*names, "claims_hold"]
    own = runs[(runs["study"] == "comparison") & (runs["model"] == "modn") & (runs["optimizer"] == "bbo")]
    assert found["modn_bbo"] == round(own.groupby("dataset")["acc"].mean().mean(), 4)
    default = fits[fits["search"] == "default"].groupby("baseline")["acc"].mean()
    assert found["modn_default"] == round(default["modn"], 4)
    assert found["best_other"] == round(default["svm"], 4)
    # The material's extra runs are the default ones of the baselines.
    assert (found["extra_modn"], found["extra_other"]) == (found["modn_default"], found["best_other"])
    more = own.assign(optimizer="adam")
    assert headlines(pd.concat([runs, more]), fits)["modn_adam"] == found["modn_bbo"]
    assert len(found) + 1 <= 8 and sum(map(len, found)) < 80


def test_what_was_not_run_is_left_out() -> None:
    runs = make_runs()
    only = runs[(runs["study"] == "comparison") & (runs["optimizer"] == "bp_exact")]
    assert headlines(only, make_baseline_runs().iloc[:0]) == {"claims_hold": 0}
