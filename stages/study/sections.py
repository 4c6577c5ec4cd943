"""The sections of the report: a key, a title, and a function that writes the text from the results."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

import pandas as pd

from stages.config.schema import Parameters
from stages.study import (
    arena_section,
    beyond,
    circuit_section,
    fidelity_section,
    filter_section,
    markdown,
    measures,
    paper,
    targets_section,
    tuning_section,
)
from stages.study.names import model_name, optimizer_name, pair_name

TABLES = (
    *("table1", "table3", "table4", "table5", "baselines", "extra", "extra_datasets"),
    *("claims", "closeness", "classifier_ranks", "extra_ranks"),
    *("circuits", "circuit_sizes", "circuit_cells", "targets", "target_ranks", "target_datasets"),
    *("learned_filter", "learned_filter_means", "learned_filter_states", "learned_filter_outcomes"),
    *("table5_retuned", "tuning"),
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
    return fidelity_section.run(results.parameters, results.tables)


def _fidelity(results: Results) -> str:
    return fidelity_section.write(results.tables)


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
    return f"{_best_optimizers(table3)}\n\n{note}\n\n{markdown.table(rows)}"


def _best_optimizers(table3: pd.DataFrame) -> str:
    """On how many datasets each optimizer has the highest mean; a shared first place counts for each."""
    texts = []
    printed = table3[table3["optimizer"].isin(paper.OPTIMIZERS)]
    known = {"Among the paper's optimizers": printed, "Among all": table3}
    for title, cells in known.items():
        if cells.empty or (title == "Among all" and len(printed) == len(table3)):
            continue
        best = cells.pivot_table(index="dataset", columns="optimizer", values="acc_mean", aggfunc="max")
        wins = best.eq(best.max(axis=1), axis=0).sum().sort_values(ascending=False, kind="stable")
        counts = [f"{optimizer_name(str(name))}'s on {won}" for name, won in wins.items() if won]
        texts.append(f"{title} the highest mean is {', '.join(counts)} of {len(best)} datasets.")
    return f"**{' '.join(texts)}** A shared first place counts for each."


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
    return f"{_rivals_beaten(table5)}\n\n{note}\n\n{markdown.table(rows)}"


def _rivals_beaten(table5: pd.DataFrame) -> str:
    """On how many datasets MODN's mean accuracy is higher than each method's, here and in the paper."""
    of_modn = table5["model"] == "modn"
    both = table5[~of_modn].merge(table5[of_modn], on="dataset", suffixes=("", "_modn"))
    parts = []
    for (model, optimizer), own in both.groupby(["model", "optimizer"], sort=False):
        won, then = (int((own[f"{name}_modn"] > own[name]).sum()) for name in ("acc_mean", "paper_acc"))
        printed = f" (printed: {then})" if optimizer == paper.TUNED.get(str(model)) else ""
        parts.append(f"{pair_name(str(model), str(optimizer))} on {won} of {len(own)} datasets{printed}")
    return f"**MODN has a higher mean accuracy than {', than '.join(parts)}.**" if parts else ""


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


# One story: is the paper reproduced, does its main idea help, and what else are its neurons good for?
SECTIONS = (
    Section("summary", "", _summary),
    Section("fidelity", "Is the paper reproduced?", _fidelity),
    Section("table1", "Table 1: datasets", _table1),
    Section("table2", "Table 2: optimizers", _table2),
    Section("table3", "Table 3: accuracy of every model with every optimizer", _table3),
    Section("table4", "Table 4: tuned values", _table4),
    Section("table5", "Table 5: MODN against MLP and DNM at the tuned values", _table5),
    Section("tuning", "Beyond the paper: Tables 4 and 5 tuned without the test set", _tuning),
    Section("figures", "Figures of the paper", lambda results: ""),
    Section("learned_filter", "Does the learned P help?", _learned_filter),
    Section("arena", "Beyond the paper: which optimizer?", _arena),
    Section("baselines", "Beyond the paper: MODN beside the usual classifiers", _baselines),
    Section("extra", "Beyond the paper: more datasets", _extra),
    Section("circuits", "Beyond the paper: neurons as circuits", _circuits),
    Section("targets", "Beyond the paper: numbers and labels", _targets),
)
