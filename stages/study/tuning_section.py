"""The report about tuning: our own Table 4, Table 5 at its values, and what the test rows would have said."""

from collections.abc import Mapping
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from stages.config.schema import Parameters
from stages.study import chance, markdown
from stages.study.names import pair_name
from stages.study.tuning import VALUES

Tables = Mapping[str, pd.DataFrame]

METHOD = ["model", "optimizer"]
SYMBOLS = dict(zip(VALUES, ("M", "alpha_s", "alpha_t"), strict=True))


def write(parameters: Parameters, tables: Tables) -> str:
    """The answer, then how it was found, Table 4, Table 5 at both values, and the optimism."""
    searches = tables["tuning"]
    if searches.empty or tables["table5_retuned"].empty:
        return ""
    gains = _gains(tables)
    return "\n\n".join(
        [
            f"**{' '.join(filter(None, [_gain(gains), _optimism(searches)]))}**",
            _protocol(parameters),
            _table4(searches, tables["table4"]),
            _table5(tables, gains),
            _pretended(searches),
        ]
    )


def _gains(tables: Tables) -> pd.DataFrame:
    """The accuracy of each cell at our values, at the paper's where they were run, and the difference."""
    keys = ["dataset", "title", *METHOD]
    ours = tables["table5_retuned"][[*keys, "runs", "acc_mean", "acc_std", "p"]]
    if tables["table5"].empty:
        return ours.assign(paper_values=nan, paper_values_std=nan, gain=nan)
    paper = tables["table5"][[*keys, "acc_mean", "acc_std"]]
    paper = paper.rename(columns={"acc_mean": "paper_values", "acc_std": "paper_values_std"})
    both = ours.merge(paper, on=keys, how="left")
    return both.assign(gain=both["acc_mean"] - both["paper_values"])


def _gain(gains: pd.DataFrame) -> str:
    """What our values change, method by method; "" if only ours were run."""
    known = gains.dropna(subset="gain")
    if known.empty:
        return ""
    texts = [
        f"{pair_name(*method)} by {_points(own['gain'])}" for method, own in known.groupby(METHOD, sort=False)
    ]
    return f"At values tuned without the test part, the mean test accuracy changes: {', '.join(texts)}."


def _optimism(searches: pd.DataFrame) -> str:
    pretended, lost = searches["by_test"] - searches["by_cv"], searches["optimism"]
    by = searches["dataset"]
    return (
        "Had the test part chosen among the same candidates, the reported accuracy would have been "
        f"{_points(pretended, by)} higher than that of the candidates chosen by cross-validation; of what it "
        f"reports for its own choice, {_points(lost, by)} vanish on rows that did not choose."
    )


def _points(differences: pd.Series, by: pd.Series | None = None) -> str:
    """A mean difference in points, with its interval over datasets."""
    present = differences.dropna()
    if present.empty:
        return "an unknown number of points"
    groups = present.groupby(present.index if by is None else by[present.index], sort=False)
    arrays = [group.to_numpy() for _, group in groups]
    text = f"{100 * present.mean():+.1f} points"
    if len(arrays) < 2:
        return text
    low, high = chance.resampled_interval(arrays)
    return f"{text} ({100 * low:+.1f} to {100 * high:+.1f})"


def _protocol(parameters: Parameters) -> str:
    tune = parameters.tune
    ranges = ", ".join(f"{symbol} {_range(getattr(tune, name))}" for name, symbol in SYMBOLS.items())
    text = (
        f"For each dataset and method, Optuna's TPE proposes {tune.trials} candidates ({ranges}). Each is "
        f"judged by {tune.folds}-fold cross-validation within the training part, trained as in Table 5; "
        f"those that are not pruned, {tune.repeats} times. No test row is read before the values are chosen. "
        "Intervals are 95 %, over datasets."
    )
    if parameters.split.count > 1:
        text += " The search uses the training part of the first run, which contains test rows of other runs."
    return text


def _range(ends: list[float]) -> str:
    return f"{ends[0]:g} to {ends[1]:g}"


def _table4(searches: pd.DataFrame, table4: pd.DataFrame) -> str:
    """The values of each method; MODN's with the paper's, which has those of MODN alone."""
    printed = {} if table4.empty else table4.set_index("dataset").to_dict("index")
    searched = {  # of each method; a model may lack a value
        method: [name for name in SYMBOLS if own[name].notna().any()]
        for method, own in searches.groupby(METHOD, sort=False)
    }
    rows = []
    for (dataset, title), own in searches.groupby(["dataset", "title"], sort=False):
        row: dict[str, Any] = {"dataset": title}
        found = {(cell.model, cell.optimizer): cell for cell in own.itertuples()}
        for method, names in searched.items():
            for name in names:
                column = f"paper_{'n_dendrites' if name == 'dendrites' else name}"
                theirs = printed.get(dataset, {}).get(column, nan) if method[0] == "modn" else nan
                ours = getattr(found[method], name) if method in found else nan
                row[f"{pair_name(*method)} {SYMBOLS[name]}"] = markdown.with_paper(ours, theirs)
        rows.append(row)
    return f"**Table 4, tuned without the test part** (in brackets: the paper's)\n\n{markdown.table(rows)}"


def _table5(tables: Tables, gains: pd.DataFrame) -> str:
    """Accuracies at both values, and p of MODN against the method."""
    theirs = tables["table5"]
    p_then = {} if theirs.empty else theirs.set_index(["dataset", *METHOD])["p"].to_dict()
    rows = []
    order = {title: place for place, title in enumerate(dict.fromkeys(gains["title"]))}
    for cell in gains.sort_values("title", key=lambda t: t.map(order), kind="stable").itertuples():
        row = {
            "dataset": cell.title,
            "method": pair_name(cell.model, cell.optimizer),
            "ACC at our values": _spread(cell.acc_mean, cell.acc_std, cell.runs),
        }
        if not theirs.empty:
            row["at the paper's"] = _spread(cell.paper_values, cell.paper_values_std, cell.runs)
            row["difference"] = "" if pd.isna(cell.gain) else f"{cell.gain:+.3f}"
        row["p against MODN"] = "" if pd.isna(cell.p) else f"{cell.p:.2g}"
        if not theirs.empty:
            then = p_then.get((cell.dataset, cell.model, cell.optimizer), nan)
            row["p at the paper's"] = "" if pd.isna(then) else f"{then:.2g}"
        rows.append(row)
    return (
        "**Table 5 at both values** (mean ± standard deviation over runs; p as in Table 5)\n\n"
        f"{markdown.table(rows)}"
    )


def _spread(mean: float, deviation: float, runs: int) -> str:
    if pd.isna(mean):
        return ""
    return f"{mean:.3f} ± {deviation:.3f}" if runs > 1 else f"{mean:.3f}"


def _pretended(searches: pd.DataFrame) -> str:
    rows = []
    for method, own in searches.groupby(METHOD, sort=False):
        means = {name: np.mean(own[name]) for name in ("cv", "by_cv", "by_test")}
        rows.append(
            {
                "method": pair_name(*method),
                "datasets": len(own),
                "in cross-validation": markdown.number(means["cv"], 3),
                "on the test part": markdown.number(means["by_cv"], 3),
                "chosen on the test part": markdown.number(means["by_test"], 3),
                "pretended": _points(own["by_test"] - own["by_cv"]),
                "optimism": _points(own["optimism"]),
            }
        )
    note = (
        "**What tuning on the test part would have pretended** (mean accuracy over datasets). All columns "
        "are about the models of the cross-validation, which are trained on all folds but one: only the rows "
        "that choose differ. Optimism: half of the test part chooses, and the accuracy of its choice on the "
        "other half is subtracted; a half chooses with more noise than the whole."
    )
    return f"{note}\n\n{markdown.table(rows)}"
