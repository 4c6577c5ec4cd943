"""The report about numbers and labels: MODN with other target cells, beside other models."""

from collections.abc import Mapping
from math import isnan, nan
from typing import Any

import pandas as pd

from stages.config.schema import TASKS, Parameters
from stages.study import beyond, markdown, measures
from stages.study.measures import Measure
from stages.study.tables import OUR_PREDICTOR

Tables = Mapping[str, pd.DataFrame]

TITLES = {"regression": "Numbers", "labels": "Labels"}


def write(parameters: Parameters, tables: Tables) -> str:
    """The answer for each task, the protocol, and for each task the means and every dataset."""
    table, ranks, sizes = tables["targets"], tables["target_ranks"], tables["target_datasets"]
    if table.empty:
        return ""
    tasks = [task for task in TASKS if (table["task"] == task).any()]
    note = (
        f"Protocol `sound`: resplits of each dataset ({int(table['runs'].max())}), the same for all models "
        "and not stratified. All fitting uses training data only, as do the scales of features and numbers. "
        "Each model runs with its default parameters; one that predicts a single number or label is fitted "
        "for each in turn. None of MODN's defaults was chosen on these datasets. R2, RMSE, macro F1 and AUC "
        "are means over the outputs. For RMSE and the Hamming loss lower is better."
    )
    estimators = {
        f"{name} {task}": own
        for name, predictor in parameters.predictors.items()
        for task in tasks
        if (own := getattr(predictor, task)) is not None
    }
    present = set(table["baseline"] + " " + table["task"])
    blocks = ["\n".join(_answer(ranks[ranks["task"] == task], table, task) for task in tasks), note]
    blocks.append(beyond.left_out(estimators, present))
    for task in tasks:
        chosen = measures.of_task(task, table, "_mean")
        own = table[table["task"] == task]
        blocks.append(f"**{TITLES[task]}**")
        blocks.append(markdown.table(_means(ranks[ranks["task"] == task], chosen)))
        blocks.append(_by_dataset(own, sizes, chosen))
    return "\n\n".join(filter(None, blocks))


def _answer(ranks: pd.DataFrame, table: pd.DataFrame, task: str) -> str:
    """One line: MODN's place by the mean of the first measure, and its neighbours."""
    first = measures.of_task(task, table, "_mean")[0]
    column = f"{first.name}_mean"
    order = ranks.assign(key=first.better(ranks[column])).sort_values("key", ascending=False, kind="stable")
    names = list(order["baseline"])
    said = [f"{row['name']} {row[column]:.3f}" for _, row in order.iterrows()]
    n_datasets = int(ranks["datasets"].max())
    over = f"mean {first.title} over {n_datasets} dataset{'s' * (n_datasets > 1)}"
    if OUR_PREDICTOR not in names:
        return f"- **{TITLES[task]}:** {over}: {', '.join(said)}."
    ours = order.set_index("baseline").loc[OUR_PREDICTOR]
    place = int((order["key"] > ours["key"]).sum())
    if place == 0:
        verdict = f"{ours['name']} has the best {over}"
    else:
        verdict = f"{ours['name']} is number {place + 1} of {len(names)} by {over}"
    return f"- **{TITLES[task]}:** {verdict}: {', '.join(said)}."


def _means(ranks: pd.DataFrame, chosen: list[Measure]) -> list[dict[str, Any]]:
    """A row per model: the mean of the first measure, the ranks by all, and what MODN won and lost."""
    first = chosen[0]
    rows = []
    for own in ranks.sort_values("rank", kind="stable").to_dict("records"):
        row = {"model": own["name"], f"mean {first.title}": markdown.number(own[f"{first.name}_mean"])}
        for measure in chosen:
            rank = own["rank"] if measure == first else own.get(f"{measure.name}_rank", nan)
            row[f"rank by {measure.title}"] = markdown.number(rank, 2)
        counts = [own.get(count, nan) for count in ("won", "tied", "lost")]
        row["MODN (Adam) won, tied, lost"] = "" if isnan(counts[0]) else ", ".join(f"{n:.0f}" for n in counts)
        rows.append(row)
    return rows


def _by_dataset(table: pd.DataFrame, sizes: pd.DataFrame, chosen: list[Measure]) -> str:
    """The size of each dataset, and all measures of every model, the best in bold."""
    names = dict(zip(table["baseline"], table["name"], strict=True))
    rows = []
    for size in sizes[sizes["dataset"].isin(table["dataset"])].itertuples():
        own = table[table["dataset"] == size.dataset].set_index("baseline")
        for measure in chosen:
            means, row = own[f"{measure.name}_mean"], {"dataset": size.title, "rows": size.train + size.test}
            row |= {"features": size.features, "outputs": size.targets, "measure": measure.title}
            best = measure.better(means).max()
            for key, name in names.items():
                text = markdown.number(means.get(key, nan), 3)
                row[name] = f"**{text}**" if measure.better(means.get(key, nan)) == best else text
            rows.append(row)
    return f"Means over the resplits, the best in bold:\n\n{markdown.table(rows)}"
