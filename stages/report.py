"""report: one page for the reviewer of a change, made of the tables, the figures and the provenance."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import Any

import pandas as pd

from modn import optimizers
from modn.metrics import classifier_ranks
from modn.plots import style
from stages.config.schema import Parameters
from stages.io import entrypoint, files
from stages.study import page
from stages.study.claims import PAPER_OPTIMIZERS

PAPER: dict[str, Any] = {
    "runs": 30,
    "alpha_s": 10,
    "alpha_t": 1,
    "dendrites_per_class": 10,
    "dendrites": None,
    "max_iterations": None,
    "split.protocol": "published",
    "sensitivity.dendrites": list(range(4, 21)),
    "sensitivity.alpha_s": [1, 5, 10, 15, 20],
    "sensitivity.alpha_t": [0.1, 0.5, 1, 1.5, 2],
}


def report(parameters: Parameters) -> None:
    """Read the report's tables/ and figures/, and data/provenance; write the rest of its folder."""
    folder = files.report_folder(parameters.profile)
    names = ("table1", "table3", "table4", "table5", "baselines", "claims")
    tables = {name: files.read_csv(folder / f"tables/{name}.csv") for name in names}
    made = [
        (study, pair, json.loads((files.PROVENANCE / study / f"{pair}.json").read_text(encoding="utf-8")))
        for study, pairs in [*parameters.derived["pairs"].items(), ("baselines", parameters.baselines)]
        for pair in pairs
    ]
    drawn = {path.stem for path in (folder / "figures").glob("*.png")}
    sections = [
        f"# MODN: report of profile `{parameters.profile}`",
        _what_was_run(parameters, tables),
        _closeness(tables["table3"]),
        "**The paper's claims in our runs**\n\n" + _claims(tables["claims"]),
        *_figure(drawn, "accuracy", "Accuracy of every cell, ours and the paper's"),
        "## Table 1: datasets\n\n" + _table1(tables["table1"]),
        "## Table 2: optimizers\n\n" + _table2(parameters),
        "## Table 3: accuracy of every model with every optimizer\n\n" + _table3(tables["table3"]),
        *_figure(drawn, "paper_scatter", "Paper against ours, all cells of Table 3"),
        *_figure(drawn, "optimizer_ranks", "Mean ranks of the optimizers, on each side among its own"),
    ]
    if not tables["table5"].empty:
        sections += [
            "## Table 4: tuned values\n\n" + _table4(tables["table4"]),
            "## Table 5: MODN against MLP and DNM at the tuned values\n\n" + _table5(tables["table5"]),
            *_figure(drawn, "roc", "ROC curves of Table 5, micro-averaged, mean over runs"),
        ]
    if not tables["baselines"].empty:
        seconds = {name: record["fit_seconds"] for study, name, record in made if study == "baselines"}
        sections += [
            "## Beyond the paper: MODN beside the usual classifiers\n\n"
            + _baselines(tables["baselines"], seconds),
            *_figure(
                drawn, "classifier_ranks", "Mean ranks; a bar joins what the Nemenyi test cannot tell apart"
            ),
        ]
    sections += [
        "## Figures",
        *_figure(drawn, "sensitivity_dendrites", "Fig. 4 a, b: accuracy over the number of dendrites"),
        *_figure(drawn, "sensitivity_alphas", "Fig. 4 c, d: accuracy over alpha_s and alpha_t"),
        *_figure(drawn, "loss_curves", "Fig. 5: loss over the iterations"),
        *_figure(drawn, "filters", "Fig. 6: filters P, with the dendrites' states"),
        *_figure(drawn, "neuron", "Figs. 1 and 2: a trained neuron"),
        "## How it was made\n\n" + _how_it_was_made(made),
    ]
    files.write_json(folder / "provenance.json", provenance_of(parameters, made))
    text = "\n\n".join(sections) + "\n"
    files.write_text(folder / "report.md", text)
    title = f"MODN, profile {parameters.profile}"
    files.write_text(folder / "index.html", page.render(text, title, folder / "figures"))
    print(f"report: reports/{parameters.profile}/report.md and index.html")


def _what_was_run(parameters: Parameters, tables: dict[str, pd.DataFrame]) -> str:
    cells = len(tables["table3"]) + len(tables["table5"])
    lines = [
        f"- **Run:** {len(tables['table1'])} datasets, {cells} cells of Tables 3 and 5, {parameters.runs} "
        f"runs of each; protocol `{parameters.split.protocol}`, seed {parameters.seed}.",
        f"- **Parameters that differ from the paper's:** {', '.join(_differences(parameters)) or 'none'}.",
    ]
    if parameters.max_iterations:
        lines.append(
            f"- **Only {parameters.max_iterations} iterations:** the numbers below mean nothing; they show "
            "that everything runs."
        )
    return "\n".join(lines)


def _differences(parameters: Parameters) -> list[str]:
    """Parameters that are not the paper's, as `key value (paper's value)`."""
    result = []
    for key, printed in PAPER.items():
        value: Any = parameters
        for name in key.split("."):
            value = getattr(value, name)
        if value != printed:
            result.append(f"`{key}` {value} ({'none' if printed is None else printed})")
    for name in PAPER_OPTIMIZERS & set(parameters.optimizers):
        block = parameters.optimizers[name]
        for field in fields(optimizers.parameters_class(block["algorithm"])):
            if field.name not in ("iterations", "gradient") and block.get(field.name) != field.default:
                result.append(f"`optimizers.{name}.{field.name}` {block.get(field.name)} ({field.default})")
    return sorted(result)


def _closeness(table3: pd.DataFrame) -> str:
    """How close to the paper, per optimizer."""
    printed = table3.dropna(subset="paper")
    if printed.empty:
        return "- **Closeness to the paper:** it prints none of these cells."
    rows = []
    for optimizer, cells in [("all", printed), *printed.groupby("optimizer", sort=False)]:
        inside = ((cells["acc_low"] <= cells["paper"]) & (cells["paper"] <= cells["acc_high"])).sum()
        rows.append(
            {
                "optimizer": "all" if optimizer == "all" else style.optimizer_name(str(optimizer)),
                "cells": len(cells),
                "mean absolute difference": f"{cells['difference'].abs().mean():.3f}",
                "mean difference": f"{cells['difference'].mean():+.3f}",
                "printed value in our 95 % interval": f"{inside} of {len(cells)}",
            }
        )
    return "**How close to the paper (accuracy, Table 3)**\n\n" + _markdown(rows)


def _claims(claims: pd.DataFrame) -> str:
    return _markdown(
        {"claim": row.claim, "in our runs": _text(row.ours), "verdict": f"**{row.verdict}**"}
        for row in claims.itertuples()
    )


def _table1(table1: pd.DataFrame) -> str:
    columns = {"train": "training rows", "test": "test rows", "classes": "classes", "features": "features"}
    return _markdown(
        {"dataset": row["title"], **{name: row[key] for key, name in columns.items()}}
        for _, row in table1.iterrows()
    )


def _table2(parameters: Parameters) -> str:
    """Every optimizer's parameters as run."""
    rows = []
    for name, block in parameters.optimizers.items():
        iterations = "the dataset's" if block["iterations"] is None else block["iterations"]
        if parameters.max_iterations:
            iterations = f"{iterations}, at most {parameters.max_iterations}"
        rest = ", ".join(
            f"{key} {value}"
            for key, value in block.items()
            if key not in ("algorithm", "population", "iterations")
        )
        row = {"optimizer": style.optimizer_name(name), "population": block["population"]}
        rows.append({**row, "iterations": iterations, "parameters": rest})
    return _markdown(rows)


def _table3(table3: pd.DataFrame) -> str:
    """Ours (the paper's; difference), the best of each dataset in bold."""
    best = table3.loc[table3.groupby("dataset")["acc_mean"].idxmax()].index
    order = list(dict.fromkeys(table3["optimizer"]))
    rows = []
    for (_, title, model), cells in table3.groupby(["dataset", "title", "model"], sort=False):
        row = {"dataset": title, "model": style.model_name(str(model))}
        by_optimizer = {cell.optimizer: cell for cell in cells.itertuples()}
        for optimizer in order:
            cell = by_optimizer.get(optimizer)
            text = "" if cell is None else _ours_and_paper(cell.acc_mean, cell.paper, cell.Index in best)
            row[style.optimizer_name(optimizer) + ("" if optimizer in PAPER_OPTIMIZERS else " †")] = text
        rows.append(row)
    dataset_order = list(dict.fromkeys(table3["title"]))
    rows.sort(key=lambda row: dataset_order.index(row["dataset"]))
    note = "Ours (the paper's; difference)." + " †: beyond the paper." * (
        not PAPER_OPTIMIZERS.issuperset(order)
    )
    return f"{note}\n\n{_markdown(rows)}"


def _table4(table4: pd.DataFrame) -> str:
    return "Ours (the paper's).\n\n" + _markdown(
        {
            "dataset": row.title,
            "M": f"{row.n_dendrites}{_in_brackets(row.paper_n_dendrites)}",
            "alpha_s": f"{row.alpha_s:g}{_in_brackets(row.paper_alpha_s)}",
            "alpha_t": f"{row.alpha_t:g}{_in_brackets(row.paper_alpha_t)}",
        }
        for row in table4.itertuples()
    )


def _table5(table5: pd.DataFrame) -> str:
    best = {
        measure: set(table5.loc[table5.groupby("dataset")[f"{measure}_mean"].idxmax()].index)
        for measure in ("acc", "auc")
    }
    rows = [
        {
            "dataset": row.title,
            "method": style.pair_name(row.model, row.optimizer),
            "AUC": _ours_and_paper(row.auc_mean, row.paper_auc, row.Index in best["auc"]),
            "ACC": _ours_and_paper(row.acc_mean, row.paper_acc, row.Index in best["acc"]),
            "W+": "" if pd.isna(row.w_plus) else f"{row.w_plus:g}{_in_brackets(row.paper_w_plus)}",
            "W-": "" if pd.isna(row.w_minus) else f"{row.w_minus:g}{_in_brackets(row.paper_w_minus)}",
            "p": "" if pd.isna(row.p) else f"{row.p:.2g}{_in_brackets(row.paper_p, '.2g')}",
        }
        for row in table5.sort_values("title", key=_first_seen(table5["title"]), kind="stable").itertuples()
    ]
    note = (
        "Ours (the paper's; difference). W and p: MODN against the method of the row, over paired runs. "
        "The paper prints one MLP; ours stands twice, trained as there (BP) and properly (Adam)."
    )
    return f"{note}\n\n{_markdown(rows)}"


def _baselines(baselines: pd.DataFrame, seconds: dict[str, dict[str, float]]) -> str:
    """A row per classifier and search, the best mean first; then the datasets."""
    titles = dict(zip(baselines["dataset"], baselines["title"], strict=True))
    ranks = {(row.search, row.baseline): row.rank for row in classifier_ranks(baselines).itertuples()}
    rows = []
    for (search, name, title), cells in baselines.groupby(["search", "baseline", "name"], sort=False):
        everywhere = len(cells) == len(titles)
        accuracies = cells.set_index("dataset")["acc_mean"]
        row = {
            "classifier": title,
            "parameters": "default" if search == "default" else "from a grid",
            "mean ACC": f"{accuracies.mean():.4f}" if everywhere else "",
            "mean AUC": f"{cells['auc_mean'].mean():.4f}" if everywhere else "",
            "mean rank": f"{ranks[search, name]:.2f}" if everywhere else "",
            "seconds per fit": f"{seconds[name][search]:.2g}",
        }
        row |= {titles[key]: f"{accuracies[key]:.3f}" if key in accuracies else "" for key in titles}
        rows.append(row)
    rows.sort(key=lambda row: (row["parameters"] != "default", -float(row["mean ACC"] or 0)))
    runs = int(baselines["runs"].max())
    note = (
        f"Protocol `sound`: {runs} stratified resplits of each dataset, the same for all; what is fitted or "
        "searched, is so within the training part. Each classifier as its library gives it, and with the "
        "best of a small grid of parameters, grids of equal size; ranks are among those of the same kind. "
        "MODN is trained by Adam; its default looks for the decay of its weights by itself, in the same way. "
        "Its defaults were chosen on the training part of the first resplit, rows of which are test rows of "
        "others. DNM has the tables of two classes only. AUC: micro-averaged, of the SVM by its decision "
        "function. Seconds: the median."
    )
    return f"{note}\n\n{_markdown(rows)}"


def _figure(drawn: set[str], name: str, caption: str) -> list[str]:
    return [f"![{caption}](figures/{name}.png)\n\n*{caption}*"] if name in drawn else []


def provenance_of(parameters: Parameters, made: list[tuple[str, str, dict[str, Any]]]) -> dict[str, Any]:
    """By what, from which parameters and in what time."""
    values = {key: value for key, value in asdict(parameters).items() if key != "runtime"}
    clocks = ("wall_seconds", "core_seconds", "fit_seconds")
    return {
        **{key: made[0][2][key] for key in ("versions", "cores", "machine")},
        "parameters_sha256": hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest(),
        "stages": {f"{study} {name}": {key: r[key] for key in clocks if key in r} for study, name, r in made},
        "wall_seconds": sum(record["wall_seconds"] for *_, record in made),
    }


def _how_it_was_made(made: list[tuple[str, str, dict[str, Any]]]) -> str:
    rows = [
        {
            "stage": f"fit {pair}" if study == "baselines" else f"train {study} {pair}",
            "wall seconds": f"{record['wall_seconds']:.1f}",
            "core seconds": f"{sum(record['core_seconds'].values()):.1f}",
        }
        for study, pair, record in made
    ]
    total = {
        "stage": "**all**",
        "wall seconds": f"{sum(record['wall_seconds'] for *_, record in made):.1f}",
        "core seconds": f"{sum(sum(record['core_seconds'].values()) for *_, record in made):.1f}",
    }
    facts = made[0][2]
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    return (
        f"{_markdown([*rows, total])}\n\nOn {facts['cores']} cores ({facts['machine']}), with {versions}. "
        "The same as data, with a hash of all parameters: [provenance.json](provenance.json)."
    )


def _ours_and_paper(ours: float, paper: float, best: bool) -> str:
    text = f"**{ours:.3f}**" if best else f"{ours:.3f}"
    return text if pd.isna(paper) else f"{text} ({paper:.3f}; {ours - paper:+.3f})"


def _in_brackets(printed: float, layout: str = "g") -> str:
    return "" if pd.isna(printed) else f" ({printed:{layout}})"


def _first_seen(column: pd.Series) -> Any:
    """A sort key: the order in which the values come first."""
    order = {value: position for position, value in enumerate(dict.fromkeys(column))}
    return lambda values: values.map(order)


def _text(value: object) -> str:
    return "" if pd.isna(value) else str(value)


def _markdown(rows: Iterable[dict[str, Any]]) -> str:
    """A pipe table; columns that begin with a digit, a sign or bold digits go to the right."""
    rows = list(rows)
    columns = list(rows[0])
    texts = [[str(row[column]).replace("|", "\\|") for column in columns] for row in rows]
    right = [
        all(not text or text.lstrip("*+-")[:1].isdigit() for text in column)
        for column in zip(*texts, strict=True)
    ]
    lines = [columns, ["---:" if numeric else "---" for numeric in right], *texts]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    entrypoint.run("report", __doc__, report)
