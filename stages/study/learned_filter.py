"""Does the learned P help? MODN beside MODNP and MODNF, trained alike, run by run.

The differences are paired: the same dataset, run, optimizer and protocol. Their intervals are over datasets
and runs, so that they speak of other datasets as well.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from modn.filters import DENDRITE_STATES
from stages.study import chance

LEARNED = "modn"
FIXED = ("modnp", "modnf")
TRAINED = ["protocol", "optimizer"]
SETTING = [*TRAINED, "rival"]


def tables(runs: pd.DataFrame, shown: Sequence[str]) -> dict[str, pd.DataFrame]:
    """The report's tables: means for every optimizer, single datasets for those that are shown."""
    paired = differences(runs)
    return {
        "learned_filter": by_dataset(paired[paired["optimizer"].isin(shown)]),
        "learned_filter_means": overall(paired),
        "learned_filter_states": states(runs),
        "learned_filter_outcomes": by_outcome(paired),
    }


def differences(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per protocol, optimizer, rival, dataset and run: by how much MODN's accuracy is higher.

    `is_partition`: whether MODN's P is the partition of MODNP. `runs` has protocol, dataset, title, model,
    optimizer, run, acc and moved.
    """
    keys = [*TRAINED, "dataset", "title", "run"]
    learned = runs[runs["model"] == LEARNED][[*keys, "acc", "moved"]]
    runs = runs[[*keys, "model", "acc"]]
    parts = [
        learned.merge(runs[runs["model"] == rival], on=keys, suffixes=("", "_rival")).assign(rival=rival)
        for rival in FIXED
    ]
    paired = pd.concat(parts, ignore_index=True)
    paired["difference"] = paired["acc"] - paired["acc_rival"]
    paired["is_partition"] = paired["moved"] == 0
    return paired[[*SETTING, "dataset", "title", "run", "difference", "is_partition"]]


def by_dataset(paired: pd.DataFrame) -> pd.DataFrame:
    """A row per setting and dataset: the mean difference, its 95 % interval, and whether it is chance."""
    rows = []
    for key, own in paired.groupby([*SETTING, "dataset", "title"], sort=False):
        values = own["difference"].to_numpy()
        low, high = chance.mean_interval(values)
        rows.append(
            {
                **dict(zip([*SETTING, "dataset", "title"], key, strict=True)),
                "runs": len(values),
                "difference": values.mean(),
                "low": low,
                "high": high,
                "p_better": chance.better(values, 0 * values),
                "p_worse": chance.better(0 * values, values),
            }
        )
    return pd.DataFrame(rows)


def overall(paired: pd.DataFrame) -> pd.DataFrame:
    """A row per setting: the mean over datasets, its interval, and on how many datasets it is no chance."""
    each = by_dataset(paired)
    rows = []
    for key, own in paired.groupby(SETTING, sort=False):
        groups = [values.to_numpy() for _, values in own.groupby("dataset", sort=False)["difference"]]
        low, high = chance.nested_interval(groups)
        cells = each[(each[SETTING] == pd.Series(dict(zip(SETTING, key, strict=True)))).all(axis=1)]
        rows.append(
            {
                **dict(zip(SETTING, key, strict=True)),
                "datasets": len(groups),
                "difference": cells["difference"].mean(),
                "low": low,
                "high": high,
                "better": int((cells["p_better"] < chance.LEVEL).sum()),
                "worse": int((cells["p_worse"] < chance.LEVEL).sum()),
            }
        )
    return pd.DataFrame(rows)


def by_outcome(paired: pd.DataFrame) -> pd.DataFrame:
    """A row per setting, and whether P ended as the partition: the mean over datasets, and its interval.

    Where P is the partition, MODN and MODNP are the same model: what differs is the course of the training.
    """
    rows = []
    for key, own in paired.groupby([*SETTING, "is_partition"], sort=False):
        groups = [values.to_numpy() for _, values in own.groupby("dataset", sort=False)["difference"]]
        low, high = chance.nested_interval(groups)
        rows.append(
            {
                **dict(zip([*SETTING, "is_partition"], key, strict=True)),
                "datasets": len(groups),
                "runs": len(own),
                "difference": float(np.mean([values.mean() for values in groups])),
                "low": low,
                "high": high,
            }
        )
    return pd.DataFrame(rows)


def states(runs: pd.DataFrame) -> pd.DataFrame:
    """What the learned P looks like: a row per protocol, optimizer and dataset, means over the runs.

    The shares of dendrites that feed no class, one, and several; the share of entries of P that differ from
    the partition of MODNP; and the share of runs in which none does.
    """
    learned = runs[runs["model"] == LEARNED].copy()
    inoperative, exclusive, communal = DENDRITE_STATES
    for state in (inoperative, communal):
        learned[state] = learned[state] / learned["n_dendrites"]
    learned[exclusive] = 1 - learned[inoperative] - learned[communal]
    learned["is_partition"] = (learned["moved"] == 0).astype(float)
    columns = [*DENDRITE_STATES, "moved", "is_partition"]
    return learned.groupby([*TRAINED, "dataset", "title"], sort=False, as_index=False)[columns].mean()
