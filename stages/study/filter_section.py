"""The report about the paper's central claim: does it help to learn the filter P?"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from modn.filters import DENDRITE_STATES
from stages.study import chance, markdown
from stages.study.learned_filter import FIXED, LEARNED, TRAINED
from stages.study.names import listed, model_name, optimizer_name

Tables = Mapping[str, pd.DataFrame]

ENOUGH = 5  # datasets for an interval over datasets
NOTE = (
    "Differences of accuracy in points, MODN minus the model with the fixed P: same dataset, run, optimizer "
    "and protocol. In brackets, the 95 % interval by a bootstrap over datasets and runs, and on how many "
    "datasets MODN is better and worse by more than chance (paired t-test of the runs, p < 0.05). Budgets: "
    "outside the arena each model has the same iterations on its parameters, and MODN ten more on P where it "
    "is searched; at equal evaluations, those on P count as well."
)
SAME_MODEL = (
    "Where P ends as the partition, MODN and MODNP are the same model, and only their trainings differ. "
    "Means over datasets of the runs that end so, and of the others, with 95 % intervals over datasets and "
    "runs:"
)


def write(tables: Tables) -> str:
    """The answer, the differences in the mean and on each dataset, and what the learned P looks like."""
    means = tables["learned_filter_means"]
    if means.empty:
        return ""
    cells, looks = tables["learned_filter"], tables["learned_filter_states"]
    shown = [] if cells.empty else list(dict.fromkeys(cells["optimizer"]))
    blocks = [_answer(means, shown), NOTE, markdown.table(_means(means))]
    if shown:
        outcomes = markdown.table(_outcomes(tables["learned_filter_outcomes"], shown))
        blocks += [f"**What P looks like**\n\n{_where(cells, looks)}", SAME_MODEL, outcomes]
    for (protocol, optimizer), own in _grouped(cells):
        of_P = looks[(looks["protocol"] == protocol) & (looks["optimizer"] == optimizer)]
        heading = f"Trained by {optimizer_name(optimizer)}, protocol {protocol}: {_looks(of_P)}"
        blocks += [heading, markdown.table(_by_dataset(own, of_P))]
    return "\n\n".join(blocks)


def _grouped(table: pd.DataFrame) -> Iterator[tuple[Any, pd.DataFrame]]:
    """By protocol and optimizer; a table without rows has no columns either."""
    return iter(()) if table.empty else iter(table.groupby(TRAINED, sort=False))


def _answer(means: pd.DataFrame, shown: Sequence[str]) -> str:
    """Yes, no or partly, by how much, and how often it helps and hurts, where there are datasets enough."""
    means = means[means["datasets"] >= ENOUGH]
    if means.empty:
        return f"**Not shown:** with fewer than {ENOUGH} datasets, an interval over datasets says little."
    helps, hurts = means["low"] > 0, means["high"] < 0
    word = "Yes" if helps.all() else "Partly" if helps.any() else "No" if hurts.any() else "Not shown"
    parts: list[str] = []
    for rival, own in means.groupby("rival", sort=False):
        amounts = [
            f"{_interval(cell)} with {optimizer_name(cell.optimizer)} ({cell.protocol})"
            for cell in own[own["optimizer"].isin(shown)].itertuples()
        ]
        raised, lowered = int(helps[own.index].sum()), int(hurts[own.index].sum())
        against = f"{'Against' if parts else 'against'} {model_name(str(rival))}"
        parts.append(
            f"{against} the learned P raises the accuracy in {raised} of {len(own)} settings "
            f"(protocol and optimizer) and lowers it in {lowered}"
            + (f"; in points, by {', '.join(amounts)}" if amounts else "")
        )
    return (
        f"**{word}:** {'. '.join(parts)}. "
        "In brackets: 95 % intervals over datasets and runs. In the other settings the interval contains 0; "
        f"those with fewer than {ENOUGH} datasets are not counted."
    )


def _where(cells: pd.DataFrame, looks: pd.DataFrame) -> str:
    """On which datasets P helps against each rival, what it looks like there, and where it never moved."""
    lines = []
    for (protocol, optimizer), own in _grouped(cells):
        of_P = looks[(looks["protocol"] == protocol) & (looks["optimizer"] == optimizer)]
        parts = [_helped(of_rival, of_P) for _, of_rival in own.groupby("rival", sort=False)]
        still = of_P.loc[of_P["is_partition"] == 1, "title"].tolist()
        if still:
            parts.append(f"P ends as the partition in every run on {listed(still, most=len(of_P))}")
        lines.append(f"- {optimizer_name(optimizer)}, {protocol}: {'; '.join(parts)}.")
    return "\n".join(lines)


def _helped(cells: pd.DataFrame, of_P: pd.DataFrame) -> str:
    """The datasets on which MODN is better than one rival by more than chance, and their filters."""
    better = cells[cells["p_better"] < chance.LEVEL]
    text = f"better than {model_name(str(cells['rival'].iloc[0]))} by more than chance on "
    if better.empty:
        return f"{text}no dataset"
    there = of_P["dataset"].isin(better["dataset"])
    several, unlike = _shares(of_P[there])
    looks = (
        f"{several} of the dendrites feed several classes and {unlike} of the entries of P differ from the "
        "partition"
    )
    elsewhere = "" if there.all() else f" ({' and '.join(_shares(of_P[~there]))} elsewhere)"
    return f"{text}{listed(better['title'].tolist(), most=len(of_P))}, where {looks}{elsewhere}"


def _shares(of_P: pd.DataFrame) -> list[str]:
    """Of dendrites that feed several classes, and of entries of P that are not those of the partition."""
    return [f"{of_P[column].mean():.0%}" for column in ("communal", "moved")]


def _outcomes(outcomes: pd.DataFrame, shown: Sequence[str]) -> list[dict[str, Any]]:
    """The mean differences of the runs whose P ended as the partition, and of the others."""
    rows = []
    keys = [*TRAINED, "is_partition"]
    for (protocol, optimizer, same), own in outcomes.groupby(keys, sort=False):
        if optimizer not in shown:
            continue
        row = {"protocol": protocol, "optimizer": optimizer_name(str(optimizer))}
        row["P ends as"] = "the partition" if same else "another filter"
        row["runs"] = int(own["runs"].max())
        by_rival = {cell.rival: cell for cell in own.itertuples()}
        for rival in FIXED:
            row[_minus(rival)] = _interval(by_rival[rival]) if rival in by_rival else ""
        rows.append(row)
    return rows


def _means(means: pd.DataFrame) -> list[dict[str, Any]]:
    rows = []
    for (protocol, optimizer), own in means.groupby(TRAINED, sort=False):
        by_rival = {row.rival: row for row in own.itertuples()}
        row = {"protocol": protocol, "optimizer": optimizer_name(str(optimizer))}
        for rival in FIXED:
            cell = by_rival.get(rival)
            row[_minus(rival)] = "" if cell is None else _mean(cell)
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
            name = _minus(str(cell.rival))
            row[name] = _points(cell.difference) if cell.runs < 2 else _interval(cell)
        P = of_P[of_P["dataset"] == dataset].iloc[0]
        row |= {f"{state} dendrites": f"{P[state]:.0%}" for state in DENDRITE_STATES}
        row["entries of P unlike the partition"] = f"{P['moved']:.0%}"
        row["runs that end as the partition"] = f"{P['is_partition']:.0%}"
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


def _minus(rival: str) -> str:
    return f"{model_name(LEARNED)} - {model_name(rival)}"


def _interval(cell: Any) -> str:
    return f"{_points(cell.difference)} ({_points(cell.low)} to {_points(cell.high)})"


def _points(difference: float) -> str:
    return f"{100 * difference:+.1f}"
