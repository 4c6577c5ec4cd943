"""The report about fidelity: what was run, how close it is to the paper, and which of its claims hold."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pandas as pd

from modn import methods
from stages.config.schema import Parameters
from stages.study import chance, claims, markdown, paper
from stages.study.names import optimizer_name
from stages.study.tables import CLOSE

Tables = Mapping[str, pd.DataFrame]

VERDICTS = {  # as verbs of one claim, and of several
    claims.HOLDS: ("holds", "hold"),
    claims.FAILS: ("does not hold", "do not hold"),
    claims.OPEN: ("is within chance", "are within chance"),
    claims.NOT_RUN: ("was not run", "were not run"),
}
MAIN = "bbo"  # the paper draws its conclusions from the models that it trains


def run(parameters: Parameters, tables: Tables) -> str:
    """What was run, and by which parameters it differs from the paper."""
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
    return "\n".join(lines)


def write(tables: Tables) -> str:
    """The answer, the closeness to the printed accuracies, and every claim with its verdict."""
    judged = markdown.table(
        {"claim": row.claim, "verdict": f"**{row.verdict}**", "in our runs": row.ours}
        for row in tables["claims"].itertuples()
    )
    meaning = (
        "A claim is judged only if all cells that it is about were run. p: the probability of runs like ours "
        f"if the opposite of the verdict were true. Within chance: not below {chance.LEVEL:g} either way."
    )
    return "\n\n".join(
        [
            f"{_answer(tables['claims'])} {_distance(tables['closeness'])}".strip(),
            _closeness(tables["closeness"]),
            f"**The paper's claims in our runs**\n\n{meaning}\n\n{judged}",
        ]
    )


def _answer(judged: pd.DataFrame) -> str:
    """How many claims hold."""
    counts = Counter(judged["verdict"])
    held, not_run = counts[claims.HOLDS], counts[claims.NOT_RUN]
    word = (
        "Not shown"
        if not_run == len(judged)
        else "Yes"
        if held == len(judged)
        else "Partly"
        if held
        else "No"
    )
    parts = ", ".join(
        f"{counts[verdict]} {verbs[counts[verdict] > 1]}"
        for verdict, verbs in VERDICTS.items()
        if verdict in counts
    )
    return f"**{word}:** of the paper's {len(judged)} claims {parts}."


def _distance(closeness: pd.DataFrame) -> str:
    """How far the accuracies are from the printed ones; "" if none is printed."""
    means = {} if closeness.empty else closeness.set_index("optimizer").to_dict("index")
    parts = [
        f"{means[key]['mean_absolute_difference']:.3f} {title} ({means[key]['cells']} cells)"
        for key, title in ((MAIN, f"for {optimizer_name(MAIN)}"), ("all", "over all optimizers"))
        if key in means
    ]
    return (
        f"The mean absolute difference to the printed accuracies is {' and '.join(parts)}." if parts else ""
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
