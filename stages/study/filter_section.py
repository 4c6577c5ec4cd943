"""The report about the paper's central claim: does it help to learn the filter P?"""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from modn.filters import DENDRITE_STATES
from stages.study import markdown
from stages.study.learned_filter import FIXED, LEARNED, TRAINED
from stages.study.names import model_name, optimizer_name

Tables = Mapping[str, pd.DataFrame]

ENOUGH = 5  # datasets for an interval over datasets
NOTE = (
    "Differences of accuracy in points, MODN minus the model with the fixed P: same dataset, run, optimizer "
    "and protocol. In brackets, the 95 % interval by a bootstrap over datasets and runs, and on how many "
    "datasets MODN is better and worse by more than chance (paired t-test of the runs, p < 0.05)."
)


def write(tables: Tables) -> str:
    """The answer, the differences in the mean and on each dataset, and what the learned P looks like."""
    means = tables["learned_filter_means"]
    if means.empty:
        return ""
    blocks = [_answer(means), NOTE, markdown.table(_means(means))]
    looks = tables["learned_filter_states"]
    for (protocol, optimizer), cells in _grouped(tables["learned_filter"]):
        of_P = looks[(looks["protocol"] == protocol) & (looks["optimizer"] == optimizer)]
        heading = f"Trained by {optimizer_name(optimizer)}, protocol {protocol}: {_looks(of_P)}"
        blocks += [heading, markdown.table(_by_dataset(cells, of_P))]
    return "\n\n".join(blocks)


def _grouped(table: pd.DataFrame) -> Iterator[tuple[Any, pd.DataFrame]]:
    """By protocol and optimizer; a table without rows has no columns either."""
    return iter(()) if table.empty else iter(table.groupby(TRAINED, sort=False))


def _answer(means: pd.DataFrame) -> str:
    """Yes, no or partly, and how often it helps and hurts, where there are datasets enough to say so."""
    means = means[means["datasets"] >= ENOUGH]
    if means.empty:
        return f"**Not shown:** with fewer than {ENOUGH} datasets, an interval over datasets says little."
    helps, hurts = means["low"] > 0, means["high"] < 0
    word = "Yes" if helps.all() else "Partly" if helps.any() else "No" if hurts.any() else "Not shown"
    parts = []
    for rival, own in means.groupby("rival", sort=False):
        counts = int(helps[own.index].sum()), int(hurts[own.index].sum())
        parts.append(
            f"against {model_name(str(rival))} the learned P raises the accuracy in {counts[0]} of "
            f"{len(own)} settings (protocol and optimizer) and lowers it in {counts[1]}"
        )
    return (
        f"**{word}:** {'; '.join(parts)}. In the others the interval of the difference contains 0. "
        f"Settings with fewer than {ENOUGH} datasets are not counted."
    )


def _means(means: pd.DataFrame) -> list[dict[str, Any]]:
    rows = []
    for (protocol, optimizer), own in means.groupby(TRAINED, sort=False):
        by_rival = {row.rival: row for row in own.itertuples()}
        row = {"protocol": protocol, "optimizer": optimizer_name(str(optimizer))}
        for rival in FIXED:
            cell = by_rival.get(rival)
            name = f"{model_name(LEARNED)} - {model_name(rival)}"
            row[name] = "" if cell is None else _mean(cell)
        rows.append(row)
    return rows


def _mean(cell: Any) -> str:
    return (
        f"{_points(cell.difference)} ({_points(cell.low)} to {_points(cell.high)}; "
        f"{cell.better} better, {cell.worse} worse of {cell.datasets})"
    )


def _by_dataset(cells: pd.DataFrame, of_P: pd.DataFrame) -> list[dict[str, Any]]:
    rows = []
    for dataset, own in cells.groupby("dataset", sort=False):
        row: dict[str, Any] = {"dataset": own["title"].iloc[0]}
        for cell in own.itertuples():
            name = f"{model_name(LEARNED)} - {model_name(str(cell.rival))}"
            interval = "" if cell.runs < 2 else f" ({_points(cell.low)} to {_points(cell.high)})"
            row[name] = f"{_points(cell.difference)}{interval}"
        P = of_P[of_P["dataset"] == dataset].iloc[0]
        row |= {f"{state} dendrites": f"{P[state]:.0%}" for state in DENDRITE_STATES}
        row["entries of P unlike the partition"] = f"{P['moved']:.0%}"
        rows.append(row)
    return rows


def _looks(of_P: pd.DataFrame) -> str:
    """What the learned P has become, in the mean over datasets."""
    unlike, same = of_P["moved"].mean(), of_P["is_partition"].mean()
    return (
        f"{of_P['communal'].mean():.0%} of the dendrites feed several classes, "
        f"{of_P['inoperative'].mean():.0%} none; {unlike:.0%} of the entries of P differ from MODNP's "
        f"partition, and {same:.0%} of the runs end with that partition itself."
    )


def _points(difference: float) -> str:
    return f"{100 * difference:+.1f}"
