"""The report about circuits: beside their neurons and other models that a person can read."""

from collections.abc import Mapping
from math import nan
from typing import Any

import pandas as pd

from stages.config.schema import Parameters
from stages.study import beyond, markdown, tables

Tables = Mapping[str, pd.DataFrame]

WHAT = (
    "A circuit is what is left of a neuron whose synapses are steps: each dendrite is a rule, a conjunction "
    "of conditions such as `petal length < 2.5`. Each class adds up the integer weights of the rules that "
    "hold, and an offset; the highest score wins. Hardware needs comparators, AND gates and adders only."
)
_DECIMALS = 12  # Accuracies are ratios of small integers: rounding errors must not break ties.


def write(parameters: Parameters, tables: Tables) -> str:
    """The answer, what a circuit is, the models in the mean and by dataset, accuracy over size, and gates."""
    table = tables["circuits"]
    if table.empty:
        return ""
    note = (
        f"Protocol `sound`, {int(table['runs'].max())} resplits, those of the baselines. Each circuit is "
        "that of its neuron, MODN with default parameters. It chooses its size by cross-validation within "
        "the training part; so do trees and FIGS, by a grid of parameters. Conditions of a tree or FIGS are "
        "its splits; those of the other models are not counted. Won, tied and lost: on how many datasets the "
        "circuits' mean accuracy is higher, equal and lower."
    )
    blocks = [
        _answer(table),
        WHAT,
        note,
        markdown.table(_means(table)),
        beyond.left_out(parameters.readable, set(table["model"])),
        f"Mean accuracy ± standard deviation over resplits, and mean conditions:\n\n{_by_dataset(table)}",
        _over_size(tables["circuit_sizes"]),
        _cells(tables["circuit_cells"]),
    ]
    return "\n\n".join(filter(None, blocks))


def _answer(table: pd.DataFrame) -> str:
    """How circuits compare with their neurons and with the other models whose conditions are counted."""
    circuits = table[table["model"] == "circuit"]
    if circuits.empty:
        return ""
    points = 100 * circuits["to_neuron"].mean()
    place = f"{abs(points):.1f} points {'below' if points < 0 else 'above'} its neuron"
    accuracies = _accuracies(table)
    rivals = table[table["conditions"].notna() & (table["model"] != "circuit")]
    beaten = [
        f"{name} on {int((accuracies['circuit'] > accuracies[model]).sum())} of {len(cells)} datasets "
        f"({circuits['acc_mean'].mean():.3f} against {cells['acc_mean'].mean():.3f} in the mean)"
        for (model, name), cells in rivals.groupby(["model", "name"], sort=False)
    ]
    ahead = f" It is ahead of {', of '.join(beaten)}." if beaten else ""
    return f"**A circuit of {circuits['conditions'].mean():.1f} conditions is {place}** in the mean.{ahead}"


def _accuracies(table: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracies, a row per dataset and a column per model."""
    return table.pivot_table(index="dataset", columns="model", values="acc_mean").round(_DECIMALS)


def _means(table: pd.DataFrame) -> list[dict[str, Any]]:
    """A row per model: means over the datasets, and what circuits won and lost."""
    accuracies = _accuracies(table)
    rows = []
    for (model, name), cells in table.groupby(["model", "name"], sort=False):
        row = {"model": name, "mean ACC": markdown.number(cells["acc_mean"].mean())}
        row["to the neuron"] = _signed(nan if model == tables.NEURON else cells["to_neuron"].mean())
        row |= {f"mean {cost}": markdown.number(cells[cost].mean(), 1) for cost in ("conditions", "gates")}
        ahead = (
            accuracies["circuit"] - accuracies[model] if "circuit" in accuracies else pd.Series(dtype=float)
        )
        counts = (int((ahead > 0).sum()), int((ahead == 0).sum()), int((ahead < 0).sum()))
        row["circuits won, tied, lost"] = (
            "" if model == "circuit" or ahead.empty else ", ".join(map(str, counts))
        )
        rows.append(row)
    return rows


def _by_dataset(table: pd.DataFrame) -> str:
    rows = []
    for title, cells in table.groupby("title", sort=False):
        row: dict[str, Any] = {"dataset": title}
        for cell in cells.itertuples():
            spread = f" ± {cell.acc_std:.3f}" if cell.runs > 1 else ""
            row[cell.name] = f"{cell.acc_mean:.3f}{spread}"
            if not pd.isna(cell.conditions):
                row[f"{cell.name}, conditions"] = markdown.number(cell.conditions, 1)
        rows.append(row)
    columns = dict.fromkeys(column for row in rows for column in row)
    return markdown.table({column: row.get(column, "") for column in columns} for row in rows)


def _over_size(sizes: pd.DataFrame) -> str:
    """The mean over the datasets at each size, the best in bold."""
    if sizes.empty:
        return ""
    means = sizes.pivot_table(index="name", columns="size", values="acc_mean", sort=False).round(_DECIMALS)
    rows = []
    for name, line in means.iterrows():
        texts = {size: markdown.number(value, 3) for size, value in line.items()}
        best = {size: line[size] == means[size].max() for size in texts}
        rows.append(
            {"model": name} | {f"{size}": f"**{t}**" if best[size] else t for size, t in texts.items()}
        )
    title = "Mean accuracy over the datasets with at most so many conditions, the best in bold"
    return f"{title}:\n\n{markdown.table(rows)}"


def _cells(cells: pd.DataFrame) -> str:
    """Conditions, gates and Yosys' cells of one circuit per dataset."""
    if cells.empty:
        return ""
    measured = cells["yosys"] != ""
    rows = [
        {
            "dataset": row.title,
            "conditions": row.conditions,
            "gates": row.gates,
            **({"Yosys' cells": markdown.number(row.cells, 0)} if measured.any() else {}),
        }
        for row in cells.itertuples()
    ]
    note = (
        "The circuit of the first resplit of each dataset. Gates are comparators of whole numbers, two-input "
        "ANDs, adders and comparisons of scores."
    )
    if measured.any():
        versions = ", ".join(sorted(set(cells.loc[measured, "yosys"])))
        note += (
            f" Cells are the one-bit gates that Yosys {versions} maps the exported Verilog to, with inputs "
            "in fixed point (`python -m benchmarks.circuit_cells` measures them)."
        )
    return f"{note}\n\n{markdown.table(rows)}"


def _signed(value: float) -> str:
    return "" if pd.isna(value) else f"{value:+.4f}"
