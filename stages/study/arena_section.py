"""The report about the arena: which optimizer trains a dendritic neuron best?"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from modn import methods, metrics, optimizers
from stages.config.schema import Parameters
from stages.study import chance, markdown
from stages.study.names import listed, model_name, optimizer_name
from stages.study.ranks import DECIMALS
from stages.study.tables import ALL_MODELS, overall

Tables = Mapping[str, pd.DataFrame]


class Leader(NamedTuple):
    """The first of a ranking, those that share its place, and those behind it by no more than chance."""

    names: list[str]
    row: Mapping[str, Any]
    near: list[str]


def write(parameters: Parameters, tables: Tables) -> str:
    """The answer in three sentences, how it was found, mean ranks at each budget, and means by model."""
    table, ranks = tables["arena"], tables["arena_ranks"]
    if table.empty:
        return ""
    blocks = [
        answer(parameters, table, ranks),
        _note(parameters, table),
        _ranks(ranks) if len(ranks) else "",
        _means(table),
    ]
    return "\n\n".join(filter(None, blocks))


def answer(parameters: Parameters, table: pd.DataFrame, ranks: pd.DataFrame) -> str:
    """Three sentences: the lowest loss, the highest accuracy, and searches beside descents."""
    budget = int(table["budget"].max())
    if ranks.empty:
        only = optimizer_name(str(table["optimizer"].iloc[0]))
        return f"**Only {only} took part: there is nothing to compare.**"
    last = overall(ranks[ranks["budget"] == budget])
    lowest, highest = _lowest_loss(last, budget), _highest_accuracy(last)
    return f"**{lowest} {highest} {_without_gradients(parameters, table, last)}**"


def leader(ranks: pd.DataFrame, measure: str) -> Leader:
    """Who leads by a measure; `ranks` are those of one model at one budget."""
    own = ranks[ranks["measure"] == measure].sort_values("rank", kind="stable")
    behind = (own["rank"] - own["rank"].iloc[0]).round(DECIMALS)
    first = own[behind == 0]
    near = own[(behind > 0) & (own["p"] >= chance.LEVEL)]
    return Leader(first["optimizer"].tolist(), first.iloc[0].to_dict(), near["optimizer"].tolist())


def _lowest_loss(last: pd.DataFrame, budget: int) -> str:
    names, row, near = leader(last, "loss")
    n_optimizers = last["optimizer"].nunique()
    verb = "share" if len(names) > 1 else "has"
    spread = f" (95 % interval {row['low']:.1f} to {row['high']:.1f})" if row["datasets"] > 1 else ""
    return (
        f"After {budget:,} evaluations {_joined(names)} {verb} the lowest training loss, with a mean rank of "
        f"{row['rank']:.1f}{spread} among {n_optimizers} optimizers on "
        f"{_counted(int(row['datasets']), 'dataset')}; {_behind(near)}."
    )


def _highest_accuracy(last: pd.DataFrame) -> str:
    names, row, near = leader(last, "acc")
    own = last[last["measure"] == "acc"]
    means = own.set_index("optimizer")["mean"]
    worst = str(means.idxmin())
    verb = "lead" if len(names) > 1 else "leads"
    return (
        f"By test accuracy {_joined(names)} {verb} with a mean of {row['mean']:.3f}, and {_behind(near)}: "
        f"the choice is worth {100 * (means.max() - means.min()):.1f} points between the best mean, "
        f"{optimizer_name(str(means.idxmax()))}, and the worst, {optimizer_name(worst)}."
    )


def _behind(near: list[str]) -> str:
    """The optimizers that the paired tests cannot tell from the first."""
    if not near:
        return "all others are behind by more than chance"
    return f"{_joined(near)} {'is' if len(near) == 1 else 'are'} within chance of the first"


def _without_gradients(parameters: Parameters, table: pd.DataFrame, last: pd.DataFrame) -> str:
    """The best search beside the best descent, each chosen by its training loss."""
    by_loss = last[last["measure"] == "loss"].sort_values("rank", kind="stable")["optimizer"]
    kinds = {name: uses_gradient(parameters.optimizers[name]["algorithm"]) for name in by_loss}
    best = {kind: next((name for name in by_loss if kinds[name] == {kind}), None) for kind in (False, True)}
    search, descent = best[False], best[True]
    if search is None or descent is None:
        kind = "search without gradients" if search is None else "descent"
        return f"No {kind} took part, so the two cannot be compared."
    final = table[table["budget"] == table["budget"].max()]
    means = final.pivot_table(index="dataset", columns="optimizer", values="acc_mean", sort=False)
    ahead = (means[search] - means[descent]).to_numpy()
    low, high = chance.resampled_interval([np.array([value]) for value in ahead])
    p = metrics.wilcoxon(means[search], means[descent]).p
    doubt = "one dataset"
    if len(ahead) > 1:
        doubt = f"95 % interval {100 * low:+.1f} to {100 * high:+.1f}, p = {p:.2g}"
    return (
        f"At equal cost {optimizer_name(search)}, the best search without gradients by training loss, "
        f"has a mean accuracy of {means[search].mean():.3f} and {optimizer_name(descent)}, the best descent, "
        f"{means[descent].mean():.3f}: a difference of {100 * ahead.mean():+.1f} points ({doubt})."
    )


def uses_gradient(algorithm: str) -> set[bool]:
    """Whether the parts of an algorithm follow a gradient: {True}, {False}, or both for a mixed pair."""
    return {optimizers.parameters_class(part).uses_gradient for part in algorithm.split(methods.JOINED)}


def _note(parameters: Parameters, table: pd.DataFrame) -> str:
    wanted = parameters.derived["arena"]
    budgets = ", ".join(f"{budget:,}" for budget in wanted["budgets"])
    return (
        f"Every optimizer trains every model that it can, at {budgets} evaluations; protocol `sound`, "
        f"{_counted(int(table['runs'].max()), 'run')}, each on a stratified resplit that all optimizers "
        "share. Evaluations are counted one by one, those that search P included, and one with a gradient "
        f"counts as {wanted['gradient_cost']:g}, as measured. Where the course of an optimizer depends on "
        "its budget, it is run for each. Settings: the paper's Table 2; those of the others were chosen on "
        "other datasets (docs/optimizers.md). The loss is Eq. 10 on the training part. Adam, as the library "
        "trains by it, minimises another loss with a weight decay chosen by cross-validation, which counts "
        "as well. `all`: the mean over models, among the optimizers that train them all."
    )


def _ranks(ranks: pd.DataFrame) -> str:
    """Mean ranks by loss and accuracy at each budget, of all models; the last budget's best first."""
    own = overall(ranks)
    last = own[own["budget"] == own["budget"].max()].set_index(["measure", "optimizer"])
    order = last.loc["loss"].sort_values("rank", kind="stable").index
    cells = own.set_index(["measure", "budget", "optimizer"]).to_dict("index")
    rows = []
    for optimizer in order:
        row = {"optimizer": optimizer_name(optimizer)}
        for measure, title in (("loss", "loss"), ("acc", "ACC")):
            for budget in sorted(own["budget"].unique()):
                cell = cells[measure, budget, optimizer]
                spread = f" ({cell['low']:.1f} to {cell['high']:.1f})" if cell["datasets"] > 1 else ""
                row[f"{title}, {budget:,}"] = f"{cell['rank']:.2f}{spread}"
        for measure, title in (("loss", "p, loss"), ("acc", "p, ACC")):
            p = last.loc[(measure, optimizer), "p"]
            row[title] = "" if pd.isna(p) else f"{p:.2g}"
        rows.append(row)
    difference = own["critical_difference"].iloc[0]
    models = "all models" if own["model"].iloc[0] == ALL_MODELS else model_name(str(own["model"].iloc[0]))
    title = (
        f"Mean ranks over the datasets, {models}, with 95 % intervals over datasets; critical difference "
        f"{difference:.2f}. p: against the first by the same measure after the last budget, by Wilcoxon's "
        "signed ranks of the datasets' means, times the number of comparisons"
    )
    return f"{title}:\n\n{markdown.table(rows)}"


def _means(table: pd.DataFrame) -> str:
    """Mean loss and accuracy over the datasets after the last budget, by model; the best in bold."""
    final = table[table["budget"] == table["budget"].max()]
    by_model = {
        (model, column): own.groupby("optimizer", sort=False)[column].mean()
        for model, own in final.groupby("model", sort=False)
        for column in ("loss_mean", "acc_mean")
    }
    rows = []
    for optimizer in dict.fromkeys(final["optimizer"]):
        row = {"optimizer": optimizer_name(str(optimizer))}
        for (model, column), means in by_model.items():
            best = means.min() if column == "loss_mean" else means.max()
            text = markdown.number(means.get(optimizer, np.nan), 3)
            title = f"{model_name(str(model))}, {'loss' if column == 'loss_mean' else 'ACC'}"
            row[title] = f"**{text}**" if means.get(optimizer) == best else text
        rows.append(row)
    budget = int(final["budget"].iloc[0])
    return (
        f"Means over the datasets after {budget:,} evaluations, the best in bold:\n\n{markdown.table(rows)}"
    )


def _joined(slugs: list[str]) -> str:
    return listed([optimizer_name(slug) for slug in slugs])


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
