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
