"""The sections of the report: a key, a title, and a function that writes the text from the results."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

import pandas as pd

from modn import methods
from stages.config.schema import Parameters
from stages.study import (
    arena_section,
    beyond,
    chance,
    circuit_section,
    filter_section,
    markdown,
    measures,
    paper,
    targets_section,
    tuning_section,
)
from stages.study.names import model_name, optimizer_name, pair_name
from stages.study.tables import CLOSE

TABLES = (
    *("table1", "table3", "table4", "table5", "baselines", "extra", "extra_datasets"),
    *("claims", "closeness", "classifier_ranks", "extra_ranks"),
    *("circuits", "circuit_sizes", "circuit_cells", "targets", "target_ranks", "target_datasets"),
    *("learned_filter", "learned_filter_means", "learned_filter_states", "table5_retuned", "tuning"),
    *("arena", "arena_ranks"),
)


@dataclass(frozen=True)
class Results:
    """What the report is written from. Seconds and machines are not: the same results give the same text."""

    parameters: Parameters
    tables: Mapping[str, pd.DataFrame]


class Section(NamedTuple):
    """A part of the report; figures name it by its key."""

    key: str
    title: str
    write: Callable[[Results], str]  # "": there is nothing to say


def _summary(results: Results) -> str:
    parameters, tables = results.parameters, results.tables
    cells = len(tables["table3"]) + len(tables["table5"])
    differences = ", ".join(
        f"`{key}` {value} ({'none' if printed is None else printed})"
        for key, value, printed in _differences(parameters)
    )
    lines = [
        f"- **Run:** {len(tables['table1'])} datasets, {cells} cells of Tables 3 and 5, {parameters.runs} "
        f"runs of each; protocol `{parameters.split.protocol}`, seed {parameters.seed}.",
        f"- **Parameters that differ from the paper's:** {differences or 'none'}.",
    ]
    if parameters.max_iterations:
        lines.append(
            f"- **Only {parameters.max_iterations} iterations:** these numbers only show that the pipeline "
            "runs."
        )
    claims = markdown.table(
        {"claim": row.claim, "verdict": f"**{row.verdict}**", "in our runs": row.ours}
        for row in tables["claims"].itertuples()
    )
    meaning = (
        "A claim is judged only if all cells that it is about were run. p: the probability of runs like ours "
        f"if the opposite of the verdict were true. Within chance: not below {chance.LEVEL:g} either way."
    )
    return "\n\n".join(
        [
            "\n".join(lines),
            _closeness(tables["closeness"]),
            f"**The paper's claims in our runs**\n\n{meaning}\n\n{claims}",
        ]
    )


def _differences(parameters: Parameters) -> list[tuple[str, Any, Any]]:
    """The parameters that differ from the paper's, sorted: key, value, the paper's value."""
    found = []
    for key, printed in paper.PARAMETERS.items():
        value: Any = parameters
        for name in key.split("."):
            value = getattr(value, name)
        if value != printed:
            found.append((key, value, printed))
    for optimizer in paper.OPTIMIZERS & set(parameters.optimizers):
        block = parameters.optimizers[optimizer]
        for name, default in methods.parameters(block["algorithm"]).items():
            if name not in ("iterations", "gradient") and block.get(name, default) != default:
                found.append((f"optimizers.{optimizer}.{name}", block[name], default))
    return sorted(found, key=lambda difference: difference[0])


def _closeness(closeness: pd.DataFrame) -> str:
    if closeness.empty:
        return "- **Closeness to the paper:** it prints none of these cells."
    return (
        "**How close to the paper (accuracy, Table 3; 95 % intervals over datasets)**\n\n"
        + markdown.table(
            {
                "optimizer": "all" if row.optimizer == "all" else optimizer_name(str(row.optimizer)),
                "cells": row.cells,
                "mean absolute difference": f"{row.mean_absolute_difference:.3f}{_interval(row)}",
                "mean difference": f"{row.mean_difference:+.3f}",
                f"within {CLOSE:g} of the paper": f"{row.within} of {row.cells}",
            }
            for row in closeness.itertuples()
        )
    )


def _interval(row: Any) -> str:
    """The 95 % interval over datasets; one dataset has none."""
    return f" ({row.low:.3f} to {row.high:.3f})" if row.datasets > 1 else ""


def _table1(results: Results) -> str:
    columns = {"train": "training rows", "test": "test rows", "classes": "classes", "features": "features"}
    return markdown.table(
        {"dataset": row["title"], **{name: row[key] for key, name in columns.items()}}
        for _, row in results.tables["table1"].iterrows()
    )


def _table2(results: Results) -> str:
    """The parameters of every optimizer that was run; those of a pair of optimizers one after the other."""
    cap = results.parameters.max_iterations
    run = {training["optimizer"] for training in results.parameters.derived["trainings"].values()}
    rows = []
    for name, block in results.parameters.optimizers.items():
        if name not in run:
            continue
        parts = [part for part in block.values() if isinstance(part, Mapping)] or [block]
        columns: dict[str, Callable[[Mapping[str, Any]], str]] = {
            "population": lambda part: str(part.get("population", "")),
            "iterations": lambda part: _iterations(part, cap),
            "parameters": _other_parameters,
        }
        written = {title: ", then ".join(filter(None, map(write, parts))) for title, write in columns.items()}
        rows.append({"optimizer": optimizer_name(name), **written})
    return markdown.table(rows)


def _iterations(block: Mapping[str, Any], cap: int | None) -> str:
    own = "the dataset's" if block["iterations"] is None else str(block["iterations"])
    return f"{own}, at most {cap}" if cap else own


def _other_parameters(block: Mapping[str, Any]) -> str:
    shown = {k: v for k, v in block.items() if k not in ("title", "algorithm", "population", "iterations")}
    return ", ".join(f"{name} {value}" for name, value in shown.items())


def _table3(results: Results) -> str:
    """Ours and the paper's, the best of each dataset in bold."""
    table3 = results.tables["table3"]
    if table3.empty:
        return ""
    is_best = table3["acc_mean"] == table3.groupby("dataset")["acc_mean"].transform("max")
    # The paper's first.
    order = sorted(dict.fromkeys(table3["optimizer"]), key=lambda name: name not in paper.OPTIMIZERS)
    rows = []
    for (_, title, model), cells in _by_dataset(table3).groupby(["dataset", "title", "model"], sort=False):
        row = {"dataset": title, "model": model_name(str(model))}
        by_optimizer = {cell.optimizer: cell for cell in cells.itertuples()}
        for optimizer in order:
            cell = by_optimizer.get(optimizer)
            name = optimizer_name(optimizer) + ("" if optimizer in paper.OPTIMIZERS else " †")
            row[name] = "" if cell is None else _table3_cell(cell, is_best[cell.Index])
        rows.append(row)
    beyond = "" if paper.OPTIMIZERS.issuperset(order) else " †: beyond the paper."
    runs = int(table3["runs"].max())
    spread = f", mean ± standard deviation over {runs} runs" if runs > 1 else ", of one run"
    note = f"Ours{spread} (the paper's; difference). Bold: the highest mean on the dataset.{beyond}"
    return f"{note}\n\n{markdown.table(rows)}"


def _table3_cell(cell: Any, is_best: bool) -> str:
    return markdown.ours_and_paper(cell.acc_mean, cell.paper, is_best, cell.acc_std if cell.runs > 1 else nan)


def _table4(results: Results) -> str:
    if results.tables["table4"].empty:
        return ""
    return "Ours (the paper's).\n\n" + markdown.table(
        {
            "dataset": row.title,
            "M": markdown.with_paper(row.n_dendrites, row.paper_n_dendrites),
            "alpha_s": markdown.with_paper(row.alpha_s, row.paper_alpha_s),
            "alpha_t": markdown.with_paper(row.alpha_t, row.paper_alpha_t),
        }
        for row in results.tables["table4"].itertuples()
    )


def _table5(results: Results) -> str:
    table5 = results.tables["table5"]
    if table5.empty:
        return ""
    printed = [column for column in table5 if column.startswith("paper_")]
    # The paper's in its order, then the others.
    chosen = sorted(
        measures.chosen(results.parameters.measures),
        key=lambda m: printed.index(column) if (column := f"paper_{m.name}") in printed else len(printed),
    )
    best = {
        m.name: set(m.better(table5[f"{m.name}_mean"]).groupby(table5["dataset"]).idxmax()) for m in chosen
    }
    rows = []
    for index, row in _by_dataset(table5).iterrows():
        cells = {"dataset": row["title"], "method": pair_name(row["model"], row["optimizer"])}
        for m in chosen:
            ours, theirs = row[f"{m.name}_mean"], row.get(f"paper_{m.name}")
            cells[m.title] = markdown.ours_and_paper(ours, theirs, index in best[m.name])
        cells["W+"] = markdown.with_paper(row["w_plus"], row["paper_w_plus"])
        cells["W-"] = markdown.with_paper(row["w_minus"], row["paper_w_minus"])
        cells["p"] = markdown.with_paper(row["p"], row["paper_p"], ".2g")
        rows.append(cells)
    note = (
        "Ours (the paper's; difference). Bold: the best on the dataset. W and p compare MODN with the method "
        "of the row, over paired runs. "
        "The paper prints one MLP; ours is trained twice, as in the paper (BP) and properly (Adam)."
    )
    return f"{note}\n\n{markdown.table(rows)}"


def _by_dataset(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of each dataset together, datasets in the order of their first rows."""
    order = {title: place for place, title in enumerate(dict.fromkeys(table["title"]))}
    return table.sort_values("title", key=lambda titles: titles.map(order), kind="stable")


def _baselines(results: Results) -> str:
    return beyond.baselines(results.parameters, results.tables)


def _extra(results: Results) -> str:
    return beyond.extra(results.parameters, results.tables)


def _learned_filter(results: Results) -> str:
    return filter_section.write(results.tables)


def _circuits(results: Results) -> str:
    return circuit_section.write(results.parameters, results.tables)


def _targets(results: Results) -> str:
    return targets_section.write(results.parameters, results.tables)


def _tuning(results: Results) -> str:
    return tuning_section.write(results.parameters, results.tables)


def _arena(results: Results) -> str:
    return arena_section.write(results.parameters, results.tables)


SECTIONS = (
    Section("summary", "", _summary),
    Section("table1", "Table 1: datasets", _table1),
    Section("table2", "Table 2: optimizers", _table2),
    Section("table3", "Table 3: accuracy of every model with every optimizer", _table3),
    Section("learned_filter", "Does the learned P help?", _learned_filter),
    Section("table4", "Table 4: tuned values", _table4),
    Section("table5", "Table 5: MODN against MLP and DNM at the tuned values", _table5),
    Section("tuning", "Beyond the paper: Tables 4 and 5 tuned without the test set", _tuning),
    Section("arena", "Beyond the paper: which optimizer?", _arena),
    Section("baselines", "Beyond the paper: MODN beside the usual classifiers", _baselines),
    Section("extra", "Beyond the paper: more datasets", _extra),
    Section("circuits", "Beyond the paper: neurons as circuits", _circuits),
    Section("targets", "Beyond the paper: numbers and labels", _targets),
    Section("figures", "Figures", lambda results: ""),
)
