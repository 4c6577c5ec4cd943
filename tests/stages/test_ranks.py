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
    with pytest.raises(ValueError, match="acc_mean"):
        ranks.mean_ranks(pd.DataFrame({"dataset": ["iris"], "model": ["modn"], "optimizer": ["bbo"]}))
    with pytest.raises(ValueError, match="empty"):
        ranks.mean_ranks(cells([]))
    with pytest.raises(ValueError, match="some twice"):
        ranks.mean_ranks(cells([("iris", "modn", "bbo", 0.9), ("iris", "modn", "bbo", 0.8)]))


@pytest.mark.parametrize(("methods", "q"), [(2, 1.960), (5, 2.728), (7, 2.949), (10, 3.164)])
def test_the_critical_difference_has_the_published_quantiles(methods: int, q: float) -> None:
    """Demsar 2006, table 5."""
    expected = q * np.sqrt(methods * (methods + 1) / (6 * 11))
    assert ranks.critical_difference(methods, 11) == pytest.approx(expected, rel=1e-3)


def test_the_critical_difference_of_one_method_is_refused() -> None:
    with pytest.raises(ValueError, match="got 1 and 11"):
        ranks.critical_difference(1, 11)
