"""Mean ranks and the critical difference, against counts by hand and published quantiles."""

import numpy as np
import pandas as pd
import pytest

from stages.study import measures, ranks


def cells(rows: list[tuple[str, str, str, float]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["dataset", "model", "optimizer", "acc_mean"])


def test_mean_ranks_share_ties_and_start_at_the_best() -> None:
    table = cells(
        [
            ("iris", "modn", "ga", 0.7),
            ("iris", "modn", "bbo", 0.9),
            ("iris", "modn", "es", 0.1 + 0.6),
            ("wine", "modn", "bbo", 0.5),
            ("wine", "modn", "ga", 0.6),
            ("wine", "modn", "es", 0.4),
            ("iris", "modnp", "bp", 0.2),
        ]
    )
    found = ranks.mean_ranks(table)
    assert found.to_numpy().tolist() == [
        ["modn", "bbo", 1.5, 2],
        ["modn", "ga", 1.75, 2],
        ["modn", "es", 2.75, 2],
        ["modnp", "bp", 1.0, 1],
    ]


def test_mean_ranks_use_datasets_with_every_optimizer_only() -> None:
    table = cells([("iris", "modn", "ga", 0.7), ("iris", "modn", "bbo", 0.6), ("wine", "modn", "ga", 0.1)])
    found = ranks.mean_ranks(table).set_index("optimizer")
    assert found["rank"].to_dict() == {"ga": 1.0, "bbo": 2.0}
    assert found["datasets"].unique().tolist() == [1]
    with pytest.raises(ValueError, match="no dataset has a value of every optimizer of the model 'modn'"):
        ranks.mean_ranks(table.iloc[1:])


def test_mean_ranks_refuse_tables_they_cannot_read() -> None:
    with pytest.raises(ValueError, match="empty"):
        ranks.mean_ranks(cells([]))
    with pytest.raises(ValueError, match="some occur twice"):
        ranks.mean_ranks(cells([("iris", "modn", "bbo", 0.9), ("iris", "modn", "bbo", 0.8)]))


@pytest.mark.parametrize(("methods", "q"), [(2, 1.960), (5, 2.728), (7, 2.949), (10, 3.164)])
def test_the_critical_difference_has_the_published_quantiles(methods: int, q: float) -> None:
    """Demsar 2006, table 5."""
    expected = q * np.sqrt(methods * (methods + 1) / (6 * 11))
    assert ranks.critical_difference(methods, 11) == pytest.approx(expected, rel=1e-3)


def test_the_critical_difference_of_one_method_is_refused() -> None:
    with pytest.raises(ValueError, match="there are 1 methods and 11 datasets"):
        ranks.critical_difference(1, 11)


def test_both_sides_rank_the_optimizers_that_the_paper_has() -> None:
    table = cells([("iris", "modn", "ga", 0.7), ("iris", "modn", "bbo", 0.9), ("iris", "modn", "adam", 0.95)])
    table["paper"] = [0.8, 0.6, np.nan]
    assert ranks.optimizer_ranks(table)[["side", "optimizer", "rank"]].to_numpy().tolist() == [
        ["ours", "bbo", 1.0],
        ["ours", "ga", 2.0],
        ["paper", "ga", 1.0],
        ["paper", "bbo", 2.0],
    ]
    alone = ranks.optimizer_ranks(table.assign(paper=np.nan))
    assert set(alone["side"]) == {"ours"} and alone["optimizer"].tolist() == ["adam", "bbo", "ga"]
    assert ranks.optimizer_ranks(table.iloc[1:]).empty, "one printed optimizer has no rank either"
    assert ranks.optimizer_ranks(table.iloc[:1]).empty, "one optimizer has no rank"


def test_classifiers_that_lack_a_dataset_are_not_ranked() -> None:
    rows = [("iris", "knn", 0.9), ("wine", "knn", 0.7), ("iris", "svm", 0.8), ("wine", "svm", 0.8)]
    rows += [("iris", "dnm", 0.99)]
    table = pd.DataFrame(rows, columns=["dataset", "baseline", "acc_mean"])
    table = table.assign(name=table["baseline"].str.upper(), search="default", auc_mean=0.5)
    found = ranks.classifier_ranks(table, measures.chosen(measures.OF_THE_PAPER))
    assert found["name"].tolist() == ["KNN", "SVM"]
    assert found["rank"].tolist() == [1.5, 1.5]
    assert found["acc_mean"].tolist() == pytest.approx([0.8, 0.8])
    assert found["critical_difference"].tolist() == [ranks.critical_difference(2, 2)] * 2
    assert ranks.classifier_ranks(table.iloc[[0, 4, 3]], measures.chosen(measures.OF_THE_PAPER)).empty
    alone = ranks.classifier_ranks(table.iloc[:2], measures.chosen(measures.OF_THE_PAPER))
    assert alone["critical_difference"].tolist() == [0.0], "there is nothing to differ from"


def test_lower_is_better_where_a_measure_says_so() -> None:
    rows = [("iris", "modn", 0.9, 0.3), ("iris", "knn", 0.8, 0.2), ("iris", "svm", 0.7, np.nan)]
    rows += [("wine", "modn", 0.7, 0.4), ("wine", "knn", 0.7, 0.1), ("wine", "svm", 0.9, np.nan)]
    table = pd.DataFrame(rows, columns=["dataset", "baseline", "acc_mean", "log_loss_mean"])
    table = table.assign(name=table["baseline"].str.upper(), search="default", auc_mean=0.5)
    chosen = measures.chosen(["acc", "auc", "log_loss"])
    found = ranks.classifier_ranks(table, chosen).set_index("baseline")
    assert found["rank"].to_dict() == {"modn": 1.75, "knn": 2.25, "svm": 2.0}
    assert found["auc_rank"].tolist() == [2.0] * 3
    assert found.loc["knn", "log_loss_rank"] == 1 and found.loc["modn", "log_loss_rank"] == 2
    assert np.isnan(found.loc["svm", "log_loss_rank"]), "it has no probabilities"
    counts = found[["won", "tied", "lost"]]
    assert counts.loc["knn"].tolist() == [1, 1, 0] and counts.loc["svm"].tolist() == [1, 0, 1]
    assert counts.loc["modn"].isna().all()
    assert "log_loss_rank" not in ranks.classifier_ranks(table.assign(log_loss_mean=np.nan), chosen)


def test_the_critical_difference_counts_the_classifiers_of_its_search() -> None:
    rows = [(d, b, s, 0.5) for d in ("a", "b") for b in ("modn", "knn", "ebm") for s in ("default", "grid")]
    table = pd.DataFrame(rows, columns=["dataset", "baseline", "search", "acc_mean"])
    table = table[(table["baseline"] != "ebm") | (table["search"] == "default")]
    found = ranks.classifier_ranks(table.assign(name="x", auc_mean=0.5), measures.chosen(["acc", "auc"]))
    by_search = found.groupby("search")["critical_difference"].unique().to_dict()
    assert by_search["default"] == [ranks.critical_difference(3, 2)]
    assert by_search["grid"] == [ranks.critical_difference(2, 2)]
