"""report: one page for the reviewer of a change, made of the tables, the figures and the provenance."""

import json
from typing import Any

import pandas as pd

from modn.plots import style
from stages import entrypoint, files
from stages.schema import Parameters


def report(parameters: Parameters) -> None:
    """Read tables/, figures/ and data/provenance, write report.md."""
    folder = files.report_folder(parameters.profile)
    table1 = pd.read_csv(folder / "tables/table1.csv")
    table3 = pd.read_csv(folder / "tables/table3.csv")
    made = [
        json.loads((files.PROVENANCE / f"{pair}.json").read_text()) for pair in parameters.derived["pairs"]
    ]
    text = "\n\n".join(
        [
            f"# MODN, profile `{parameters.profile}`",
            _summary(parameters, table3),
            "![Accuracy of every cell, ours and the paper's](figures/accuracy.png)",
            "## Table 3: accuracy\n\n" + _table3(table3),
            "## Convergence (Fig. 5)\n\n![Loss over the iterations](figures/loss_curves.png)",
            "## Table 1: datasets\n\n" + _markdown(table1.drop(columns="dataset")),
            _how_it_was_made(parameters, made),
        ]
    )
    files.write_text(folder / "report.md", text + "\n")
    print(f"report: reports/{parameters.profile}/report.md")


def _summary(parameters: Parameters, table3: pd.DataFrame) -> str:
    """What was run, and how close to the paper it came."""
    lines = [
        f"- **Run:** {table3['dataset'].nunique()} datasets, {parameters.runs} runs per cell, protocol "
        f"`{parameters.split.protocol}`, alpha_s = {parameters.alpha_s:g}, alpha_t = {parameters.alpha_t:g}, "
        + (
            f"M = {parameters.dendrites}."
            if parameters.dendrites
            else f"M = {parameters.dendrites_per_class} x classes."
        )
    ]
    if parameters.max_iterations:
        lines.append(
            f"- **Budget:** at most {parameters.max_iterations} iterations: the numbers below mean nothing, "
            "they show that everything runs."
        )
    for (model, optimizer), cells in table3.groupby(["model", "optimizer"], sort=False):
        printed = cells.dropna(subset="paper")
        if printed.empty:
            continue
        inside = ((printed["acc_low"] <= printed["paper"]) & (printed["paper"] <= printed["acc_high"])).sum()
        lines.append(
            f"- **{style.pair_name(str(model), str(optimizer))} against the paper:** mean absolute "
            f"difference {printed['difference'].abs().mean():.3f} over {len(printed)} datasets; the printed "
            f"value lies in our 95 % interval on {inside}."
        )
    return "\n".join(lines)


def _table3(table3: pd.DataFrame) -> str:
    rows = [
        {
            "dataset": row.title,
            "model": style.model_name(row.model),
            "optimizer": style.optimizer_name(row.optimizer),
            "ours": f"{row.acc_mean:.4f}",
            "95 % interval": f"{row.acc_low:.4f} to {row.acc_high:.4f}",
            "paper": "" if pd.isna(row.paper) else f"{row.paper:.4f}",
            "difference": "" if pd.isna(row.difference) else f"{row.difference:+.4f}",
            "AUC": f"{row.auc_mean:.4f}",
        }
        for row in table3.itertuples()
    ]
    return _markdown(pd.DataFrame(rows))


def _how_it_was_made(parameters: Parameters, made: list[dict[str, Any]]) -> str:
    rows = [
        {
            "stage": f"train {pair}",
            "wall seconds": f"{record['wall_seconds']:.1f}",
            "core seconds": f"{sum(record['core_seconds'].values()):.1f}",
        }
        for pair, record in zip(parameters.derived["pairs"], made, strict=True)
    ]
    versions = ", ".join(f"{name} {version}" for name, version in made[0]["versions"].items())
    machine = f"{made[0]['cores']} cores, {made[0]['machine']}"
    return f"## How it was made\n\n{_markdown(pd.DataFrame(rows))}\n\nOn {machine}, with {versions}."


def _markdown(frame: pd.DataFrame) -> str:
    """A pipe table; numbers to the right."""
    numeric = [
        pd.to_numeric(frame[column].replace("", None), errors="coerce").notna().any() for column in frame
    ]
    lines = [list(frame.columns), ["---:" if right else "---" for right in numeric]]
    lines += frame.astype(str).to_numpy().tolist()
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines
    )


if __name__ == "__main__":
    entrypoint.run("report", __doc__, report)
