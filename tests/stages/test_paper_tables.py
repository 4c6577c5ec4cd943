"""The tables made from runs: means, intervals, tests, printed values; each recomputed by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stages.study import measures, tables

CHOSEN = measures.chosen(measures.OF_THE_PAPER)
COLUMNS = ["study", "dataset", "title", "model", "optimizer", "run", "n_dendrites", "alpha_s", "alpha_t"]
COLUMNS += ["acc", "auc", "loss", "inoperative"]


def runs_of(
    study: str, dataset: str, model: str, optimizer: str, accuracies: list[float]
) -> list[list[object]]:
    rest = [0.9, 0.4, 0]
    cell = [study, dataset, dataset.title(), model, optimizer]
    return [[*cell, run, 12, 10.0, 1.0, acc, *rest] for run, acc in enumerate(accuracies)]


def frame(*groups: list[list[object]]) -> pd.DataFrame:
    return pd.DataFrame([row for group in groups for row in group], columns=COLUMNS)


PRINTED3 = pd.DataFrame(
    {
        "dataset": ["iris", "iris"],
        "model": ["modn", "modn"],
        "optimizer": ["bbo", "bp"],
        "acc": [0.8506, np.nan],
    }
)
PRINTED5 = pd.DataFrame(
    {
        "dataset": ["iris"] * 2,
        "method": ["mlp", "modn"],
        "auc": [0.6349, 0.9908],
        "acc": [0.4117, 0.93],
        "w_plus": [435.0, np.nan],
        "w_minus": [0.0, np.nan],
        "p_value_bonferroni": [2.6e-6, np.nan],
    }
)


def test_table3_is_the_mean_over_runs_with_students_interval_and_the_printed_value() -> None:
    accuracies = [0.8, 0.85, 0.84, 0.86]
    table = tables.table3(frame(runs_of("comparison", "iris", "modn", "bbo", accuracies)), PRINTED3, CHOSEN)
    (row,) = table.to_dict("records")
    low, high = stats.t.interval(0.95, 3, np.mean(accuracies), stats.sem(accuracies))
    assert row["acc_mean"] == pytest.approx(np.mean(accuracies))
    assert row["acc_std"] == pytest.approx(np.std(accuracies, ddof=1))
    assert (row["acc_low"], row["acc_high"]) == pytest.approx((low, high))
    assert (row["paper"], row["difference"]) == pytest.approx((0.8506, np.mean(accuracies) - 0.8506))
    assert row["runs"] == 4


def test_an_interval_of_accuracies_stays_between_0_and_1() -> None:
    table = tables.table3(frame(runs_of("comparison", "iris", "modn", "bbo", [0.5, 1.0])), PRINTED3, CHOSEN)
    assert (table["acc_low"][0], table["acc_high"][0]) == (0, 1)


def test_table3_holds_the_comparison_alone_and_keeps_cells_that_are_not_printed() -> None:
    runs = frame(
        runs_of("comparison", "mine", "modnf", "pso", [0.5]),
        runs_of("tuned", "iris", "modn", "bbo", [0.9]),
        runs_of("sensitivity", "iris", "modn", "bbo", [0.9]),
    )
    table = tables.table3(runs, PRINTED3, CHOSEN)
    assert table[["dataset", "optimizer"]].to_numpy().tolist() == [["mine", "pso"]]
    assert table["paper"].isna().all() and table["difference"].isna().all()


def test_table4_shows_the_values_as_run_and_as_printed() -> None:
    printed = pd.DataFrame({"dataset": ["iris"], "M": [12], "alpha_s": [10.0], "alpha_t": [2.0]})
    table = tables.table4(frame(runs_of("tuned", "iris", "modn", "bbo", [0.9])), printed)
    (row,) = table.to_dict("records")
    assert (row["n_dendrites"], row["alpha_s"], row["alpha_t"]) == (12, 10, 1)
    assert (row["paper_n_dendrites"], row["paper_alpha_s"], row["paper_alpha_t"]) == (12, 10, 2)


def test_table5_pairs_the_runs_and_doubles_p_where_two_methods_are_compared() -> None:
    ours = [0.90, 0.91, 0.93, 0.96, 0.99]
    mlp = [0.50, 0.52, 0.55, 0.59, 0.64]
    dnm = [0.85, 0.88, 0.97, 0.80, 0.70]
    groups = [
        runs_of("tuned", "iris", "modn", "bbo", ours),
        runs_of("tuned", "iris", "mlp", "bp", mlp),
        runs_of("tuned", "iris", "mlp", "adam", ours),
    ]
    alone = tables.table5(frame(*groups), PRINTED5, CHOSEN).set_index(["model", "optimizer"])
    both = tables.table5(frame(*groups, runs_of("tuned", "iris", "dnm", "bbo", dnm)), PRINTED5, CHOSEN)
    both = both.set_index(["model", "optimizer"])
    exact = 2 / 2**5  # all five signs alike
    assert alone.loc[("mlp", "bp"), ["w_plus", "w_minus", "p"]].tolist() == [15, 0, exact]
    assert alone.loc[("mlp", "adam"), ["w_plus", "w_minus", "p"]].tolist() == [0, 0, 1]
    assert both.loc[("mlp", "bp"), "p"] == 2 * exact
    assert np.isnan(both.loc[("modn", "bbo"), "p"])
    expected = stats.wilcoxon(np.subtract(ours, dnm).round(12))
    assert both.loc[("dnm", "bbo"), "w_minus"] == expected.statistic
    assert both.loc[("dnm", "bbo"), "p"] == pytest.approx(2 * expected.pvalue)
    assert both.loc[("mlp", "bp"), "paper_acc"] == 0.4117
    assert both.loc[("mlp", "adam"), "paper_acc"] == 0.4117
    assert both.loc[("modn", "bbo"), "paper_auc"] == 0.9908


def test_without_tuned_runs_table5_is_empty() -> None:
    table = tables.table5(frame(runs_of("comparison", "iris", "modn", "bbo", [0.9])), PRINTED5, CHOSEN)
    assert table.empty and {"acc_mean", "p", "w_plus", "paper_acc"} <= set(table.columns)


def test_the_headline_has_a_number_per_pair_and_its_distance_to_the_paper() -> None:
    runs = frame(
        runs_of("comparison", "iris", "modn", "bbo", [0.8006]),
        runs_of("comparison", "mine", "modn", "bbo", [0.5]),
        runs_of("comparison", "mine", "modn", "ga", [0.5]),
        runs_of("tuned", "iris", "modn", "bbo", [0.7]),
    )
    fits = pd.DataFrame(
        [
            ["iris", "Iris", "knn", "kNN", "grid", 0, 0.9, 0.95],
            ["wine", "Wine", "knn", "kNN", "grid", 0, 0.8, 0.85],
        ],
        columns=[*tables.BASELINE_CELL, "run", "acc", "auc"],
    )
    made = tables.table3(runs, PRINTED3, CHOSEN), tables.table5(runs, PRINTED5, CHOSEN)
    further = [*CHOSEN, measures.get("log_loss")]
    fitted = {"baselines": tables.baselines(fits.assign(log_loss=[0.25, 0.5]), further)}
    fitted["extra"] = tables.baselines(fits.assign(log_loss=np.nan), further)
    trained = dict(zip(("comparison", "tuned"), made, strict=True))
    found = tables.headline(trained, fitted, CHOSEN, further)
    assert found == {
        "comparison": {
            "modn-bbo": {"acc": 0.6503, "auc": 0.9, "distance_to_paper": 0.05},
            "modn-ga": {"acc": 0.5, "auc": 0.9},
        },
        "tuned": {"modn-bbo": {"acc": 0.7, "auc": 0.9}},
        "baselines": {"knn-grid": {"acc": 0.85, "auc": 0.9, "log_loss": 0.375}},
        "extra": {"knn-grid": {"acc": 0.85, "auc": 0.9}},  # JSON has no NaN
    }


def test_a_further_measure_has_a_column_in_every_table_and_the_headline() -> None:
    def share_of_first(y: np.ndarray, labels: np.ndarray, scores: np.ndarray) -> float:
        return float(np.mean(labels == 0))

    further = measures.Measure("first", "FIRST", share_of_first)
    chosen = [*CHOSEN, further]
    runs = frame(
        runs_of("comparison", "iris", "modn", "bbo", [0.8, 0.9]),
        runs_of("tuned", "iris", "modn", "bbo", [0.7]),
    ).assign(first=[0.25, 0.75, 0.5])
    table3, table5 = tables.table3(runs, PRINTED3, chosen), tables.table5(runs, PRINTED5, chosen)
    before = tables.table3(runs, PRINTED3, CHOSEN)
    assert [column for column in table3 if column not in before] == ["first_mean"]
    assert table3["first_mean"].tolist() == [0.5] and table5["first_mean"].tolist() == [0.5]
    fits = pd.DataFrame([["iris", "Iris", "knn", "kNN", "grid", 0, 0.9, 0.95, 0.1]])
    fits.columns = pd.Index([*tables.BASELINE_CELL, "run", "acc", "auc", "first"])
    trained, fitted = {"comparison": table3, "tuned": table5}, {"baselines": tables.baselines(fits, chosen)}
    found = tables.headline(trained, fitted, chosen, chosen)
    assert found["comparison"]["modn-bbo"]["first"] == 0.5
    assert found["baselines"]["knn-grid"] == {"acc": 0.9, "auc": 0.95, "first": 0.1}


def test_closeness_counts_the_printed_cells_over_all_and_by_optimizer() -> None:
    runs = frame(
        runs_of("comparison", "iris", "modn", "bbo", [0.8006, 0.8006]),
        runs_of("comparison", "iris", "modnf", "ga", [0.5, 0.9]),
        runs_of("comparison", "mine", "modn", "bbo", [0.5, 0.5]),
    )
    printed = pd.DataFrame(
        {"dataset": "iris", "model": ["modn", "modnf"], "optimizer": ["bbo", "ga"], "acc": [0.8506, 0.6]}
    )
    found = tables.closeness(tables.table3(runs, printed, CHOSEN)).set_index("optimizer")
    assert found["cells"].to_dict() == {"all": 2, "bbo": 1, "ga": 1}
    assert found["within"].to_dict() == {"all": 1, "bbo": 1, "ga": 0}
    assert found["datasets"].to_dict() == {"all": 1, "bbo": 1, "ga": 1}
    assert found["mean_difference"].to_dict() == pytest.approx({"all": 0.025, "bbo": -0.05, "ga": 0.1})
    assert found.loc["all", "mean_absolute_difference"] == pytest.approx(0.075)
    assert tables.closeness(tables.table3(runs, printed.iloc[:0], CHOSEN)).empty


def test_closeness_does_not_reward_noise() -> None:
    rng = np.random.default_rng(0)
    datasets = [f"d{k}" for k in range(40)]
    printed = pd.DataFrame({"dataset": datasets, "model": "modn", "optimizer": "bbo", "acc": 0.8})
    rows = {}
    for name, spread in (("calm", 0.01), ("noisy", 0.2)):
        accuracies = rng.normal(0.83, spread, (40, 3))  # 0.03 apart
        runs = frame(
            *(
                runs_of("comparison", d, "modn", "bbo", list(a))
                for d, a in zip(datasets, accuracies, strict=True)
            )
        )
        rows[name] = tables.closeness(tables.table3(runs, printed, CHOSEN)).iloc[0]
    assert rows["calm"]["within"] == 40 > 25 > rows["noisy"]["within"]
    assert rows["calm"]["low"] < 0.03 < rows["calm"]["high"] < rows["noisy"]["low"]


def test_sensitivity_has_each_sweep_at_the_values_the_other_one_shares() -> None:
    points = [(4, 10.0, 1.0), (8, 10.0, 1.0), (12, 10.0, 1.0), (8, 5.0, 1.0), (8, 5.0, 2.0), (8, 10.0, 2.0)]
    cell = ["sensitivity", "iris", "Iris", "modn", "bbo"]
    rows = [
        [*cell, run, *point, 0.1 * run + point[0] / 20, 0.9, 0.4, 0] for point in points for run in (0, 1)
    ]
    found = tables.sensitivity(frame(rows), CHOSEN)
    dendrites, alphas = (found[found["sweep"] == sweep] for sweep in ("dendrites", "alphas"))
    assert dendrites[tables.POINT].to_numpy().tolist() == [list(point) for point in points[:3]]
    assert dendrites["acc_mean"].tolist() == pytest.approx([0.25, 0.45, 0.65])
    assert alphas["n_dendrites"].unique().tolist() == [8]
    assert len(alphas) == 4
    assert tables.sensitivity(frame(), CHOSEN).empty
