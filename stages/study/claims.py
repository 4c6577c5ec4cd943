"""The paper's claims checked against our runs: the claim, our evidence, and whether it holds.

A claim is judged on the cells that the paper prints, and only if all of them were run. It holds, or does not
hold, where the runs show it by more than chance: `p` is the probability of such runs if it were not so.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import pandas as pd

from stages.study import chance, measures, paper
from stages.study.names import listed, optimizer_name, pair_name

HOLDS, FAILS, OPEN, NOT_RUN = "holds", "does not hold", "within chance", "not run"
CELL = ["dataset", "model", "optimizer"]

Judgement = tuple[str, str]  # evidence, verdict


class _NotRunError(Exception):
    """Which of the cells that a claim is about were not run."""


def check(
    runs: pd.DataFrame, table5: pd.DataFrame, printed3: pd.DataFrame, printed5: pd.DataFrame
) -> pd.DataFrame:
    """A row per claim: claim, ours (the evidence), verdict; `printed3`, `printed5`: the paper's tables."""
    compared, tuned, swept = (
        runs[runs["study"] == study] for study in ("comparison", "tuned", "sensitivity")
    )
    cells3 = printed3.dropna(subset="acc")[CELL]
    cells5 = printed5.rename(columns={"method": "model"})[["dataset", "model"]]
    cells5 = cells5.assign(optimizer=cells5["model"].map(paper.TUNED))
    pair = partial(_beats, tuned, cells5)
    judges: dict[str, Callable[[], Judgement]] = {
        "BBO is the best optimizer on most datasets (9 of 11)": partial(
            _wins_most, compared, cells3, "optimizer", "bbo"
        ),
        "MODN is the best of the three models on most datasets (7 of 11)": partial(
            _wins_most, compared, cells3, "model", "modn"
        ),
        "BP is less capable than the heuristics (mean ACC, MODNP and MODNF)": partial(
            _bp_last, compared, cells3[cells3["model"] != "modn"]
        ),
        "MODN beats the MLP on all datasets, ACC and AUC": partial(pair, "mlp", measures.OF_THE_PAPER, 1.0),
        "MODN against the MLP is significant (p < 0.05) on all datasets": partial(
            _significant, tuned, cells5, table5
        ),
        "MODN beats DNM in ACC on 4 of 5 binary datasets": partial(pair, "dnm", ("acc",), 0.8),
        "The learned P leaves no dendrite inoperative (Fig. 6)": partial(
            _no_idle_dendrites, compared, cells3
        ),
        "A larger alpha_s promotes ACC (Fig. 4)": partial(_trend, swept, "alpha_s", +1),
        "A smaller alpha_t promotes ACC (Fig. 4)": partial(_trend, swept, "alpha_t", -1),
    }
    return pd.DataFrame(
        [
            {"claim": claim, "ours": evidence, "verdict": verdict}
            for claim, judge in judges.items()
            for evidence, verdict in [_judgement(judge)]
        ]
    )


def _judgement(judge: Callable[[], Judgement]) -> Judgement:
    try:
        return judge()
    except _NotRunError as lacking:
        return str(lacking), NOT_RUN


def _wins_most(runs: pd.DataFrame, cells: pd.DataFrame, factor: str, own: str) -> Judgement:
    """On how many datasets the best cell has this optimizer or model: over half of them must.

    The best cell that has it is tested against the best that has not; a shared first place counts.
    """
    by_run = _by_run(_chosen(runs, cells), "acc")
    won, p_for, p_against = [], [], []
    for dataset, group in by_run.groupby(level="dataset", sort=False):
        ours, theirs = (_best(group[is_own]) for is_own in _sides(group, factor, own))
        p_for.append(chance.better(ours, theirs))
        p_against.append(chance.better(theirs, ours))
        if chance.ahead(ours, theirs) >= 0:
            won.append(str(dataset))
    total, needed = len(p_for), len(p_for) // 2 + 1
    p = chance.at_least(needed, p_for), chance.at_least(total - needed + 1, p_against)
    evidence = f"{len(won)} of {total}" + _where(runs, won, by_run.index.unique("dataset"))
    return _judged(evidence, *p, _beyond_best(runs, cells, factor, own))


def _beyond_best(runs: pd.DataFrame, cells: pd.DataFrame, factor: str, own: str) -> str:
    """How the optimizers beyond the paper change who is the best, each by the mean of its best cell."""
    known = runs[runs["dataset"].isin(cells["dataset"]) & runs["model"].isin(cells["model"])]
    others = [name for name in dict.fromkeys(known["optimizer"]) if name not in paper.OPTIMIZERS]
    if not others:
        return ""
    means = known.groupby(CELL, sort=False, as_index=False)["acc"].mean()
    best = means.pivot_table(index="dataset", columns=factor, values="acc", aggfunc="max")
    if factor == "model":
        won = int((best.idxmax(axis=1) == own).sum())
        return f"with {_and(others)} as well, {won} of {len(best)}"
    counts = [f"{optimizer_name(name)} on {int((best[name] > best[own]).sum())}" for name in others]
    return f"beyond the paper, better than {optimizer_name(own)}: {', '.join(counts)} of {len(best)}"


def _bp_last(runs: pd.DataFrame, cells: pd.DataFrame) -> Judgement:
    by_run = _by_run(_chosen(runs, cells), "acc")
    means = by_run.groupby(level="optimizer").mean()  # over datasets and models, run by run
    heuristics = [name for name in means.index if name in paper.HEURISTICS]
    p_for = chance.at_least(
        len(heuristics), (chance.better(means.loc[name], means.loc["bp"]) for name in heuristics)
    )
    p_against = chance.at_least(1, (chance.better(means.loc["bp"], means.loc[name]) for name in heuristics))
    others = runs[~runs["optimizer"].isin(paper.OPTIMIZERS)].merge(
        cells[["dataset", "model"]].drop_duplicates()
    )
    beyond = others.groupby("optimizer")["acc"].mean()
    return _judged(_in_order(means.mean(axis=1)), p_for, p_against, _and_beyond(_in_order(beyond)))


def _beats(
    runs: pd.DataFrame, cells: pd.DataFrame, method: str, names: Sequence[str], share: float
) -> Judgement:
    """On how many of the paper's datasets MODN's mean is higher; at least this share must be."""
    datasets = cells.loc[cells["model"] == method, "dataset"]
    needed = cells[cells["dataset"].isin(datasets) & cells["model"].isin(["modn", method])]
    chosen = _chosen(runs, needed)
    wins, p = _against(chosen, (method, paper.TUNED[method]), names, share)
    evidence = _counted(wins, len(datasets)) + _where(runs, wins["acc"], datasets, "ACC ")
    others = []
    of_method = runs[(runs["model"] == method) & runs["dataset"].isin(datasets)]
    for optimizer in dict.fromkeys(of_method["optimizer"]):
        rival = of_method[of_method["optimizer"] == optimizer]
        if optimizer != paper.TUNED[method] and rival["dataset"].nunique() == len(datasets):
            more, _ = _against(pd.concat([chosen, rival]), (method, optimizer), names, share)
            others.append(f"{pair_name(method, optimizer)}: {_counted(more, len(datasets))}")
    return _judged(evidence, *p, _and_beyond(", ".join(others)))


def _against(
    runs: pd.DataFrame, method: tuple[str, str], names: Sequence[str], share: float
) -> tuple[dict[str, list[str]], tuple[float, float]]:
    """The datasets on which MODN is ahead of a method in each measure, and p for and against the share."""
    wins: dict[str, list[str]] = {name: [] for name in names}
    p_for, p_against = [], []
    for name in names:
        by_run = measures.get(name).better(_by_run(runs, name))
        for dataset, group in by_run.groupby(level="dataset", sort=False):
            ours, theirs = group.loc[(dataset, "modn", paper.TUNED["modn"])], group.loc[(dataset, *method)]
            p_for.append(chance.better(ours, theirs))
            p_against.append(chance.better(theirs, ours))
            if chance.ahead(ours, theirs) > 0:
                wins[name].append(str(dataset))
    needed = round(share * len(p_for))
    return wins, (chance.at_least(needed, p_for), chance.at_least(len(p_for) - needed + 1, p_against))


def _significant(runs: pd.DataFrame, cells: pd.DataFrame, table5: pd.DataFrame) -> Judgement:
    chosen = _chosen(runs, cells[cells["model"].isin(["modn", "mlp"])])
    tested = table5[(table5["model"] == "mlp") & (table5["optimizer"] == paper.TUNED["mlp"])]
    tested = tested[tested["dataset"].isin(chosen["dataset"])]
    smallest = tested["runs"].map(lambda runs: 2.0 ** (1 - runs)).max()  # exact p of runs that all agree
    if smallest >= chance.LEVEL:
        return f"{tested['runs'].max()} runs cannot show it: p is {smallest:g} at the least", OPEN
    shown = tested["p"] < chance.LEVEL
    ours, theirs = (
        (shown & (tested["w_plus"] > tested["w_minus"])),
        shown & (tested["w_plus"] < tested["w_minus"]),
    )
    evidence = f"{ours.sum()} of {len(tested)} for MODN, {theirs.sum()} for the MLP"
    enough = theirs.any() or tested["runs"].min() >= paper.PARAMETERS["runs"]
    return evidence, HOLDS if ours.all() else FAILS if enough else OPEN


def _no_idle_dendrites(runs: pd.DataFrame, cells: pd.DataFrame) -> Judgement:
    learned = _chosen(runs, cells[(cells["model"] == "modn") & (cells["optimizer"] == "bbo")])
    share = learned["inoperative"].sum() / learned["n_dendrites"].sum()
    with_idle = int((learned["inoperative"] > 0).sum())
    low, high = chance.share_interval(with_idle, len(learned))
    evidence = (
        f"{with_idle} of {len(learned)} runs have some (95 % interval {low:.0%} to {high:.0%}); "
        f"{share:.1%} of all dendrites"
    )
    return evidence, FAILS if with_idle else HOLDS


def _trend(runs: pd.DataFrame, alpha: str, sign: int) -> Judgement:
    """Spearman's correlation of accuracy with one alpha over the grid, on each dataset of Fig. 4."""
    chosen = _chosen(runs, pd.DataFrame([(name, "modn", "bbo") for name in paper.SWEPT], columns=CELL))
    slopes, p_for, p_against = {}, [], []
    for title, group in chosen.groupby("title"):
        at_grid = group[group["n_dendrites"] == group["n_dendrites"].mode().iloc[0]]
        if not min(at_grid[alpha].std(), at_grid["acc"].std()) > 0:
            raise _NotRunError(f"needs more than one {alpha} on {title}")
        slopes[title] = at_grid[alpha].corr(at_grid["acc"], method="spearman")
        p_for.append(chance.rising(sign * at_grid[alpha], at_grid["acc"]))
        p_against.append(chance.rising(-sign * at_grid[alpha], at_grid["acc"]))
    evidence = "rank correlation " + ", ".join(f"{title} {slope:+.2f}" for title, slope in slopes.items())
    return _judged(evidence, chance.at_least(len(p_for), p_for), chance.at_least(1, p_against))


def _judged(evidence: str, p_for: float, p_against: float, more: str = "") -> Judgement:
    """The verdict, and the evidence with its p-value; without a verdict, with both."""
    if min(p_for, p_against) < chance.LEVEL:
        verdict, p = (HOLDS, p_for) if p_for < p_against else (FAILS, p_against)
        certainty = "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
    else:
        verdict, certainty = OPEN, f"p = {p_for:.2g} for it, {p_against:.2g} against it"
    return "; ".join(filter(None, [evidence, certainty, more])), verdict


def _chosen(runs: pd.DataFrame, needed: pd.DataFrame) -> pd.DataFrame:
    """The runs of the needed cells, all of which must be there."""
    present = runs[CELL].drop_duplicates()
    lacking = needed.merge(present, how="left", on=CELL, indicator=True).query("_merge == 'left_only'")
    if lacking.empty:
        return runs.merge(needed, on=CELL)
    datasets = [name for name in needed["dataset"].unique() if name not in set(runs["dataset"])]
    pairs = lacking[~lacking["dataset"].isin(datasets)]
    if len(datasets) == needed["dataset"].nunique():
        datasets, pairs = [], lacking
    names = [pair_name(model, optimizer) for _, model, optimizer in pairs[CELL].itertuples(index=False)]
    parts = [
        f"datasets {listed(datasets)}" if datasets else "",
        listed(list(dict.fromkeys(names))) if names else "",
    ]
    raise _NotRunError("lacks " + "; ".join(filter(None, parts)))


def _by_run(runs: pd.DataFrame, measure: str) -> pd.DataFrame:
    """A row per cell, a column per run."""
    cells = pd.MultiIndex.from_frame(runs[CELL].drop_duplicates())
    return runs.pivot_table(index=CELL, columns="run", values=measure).reindex(cells)


def _sides(cells: pd.DataFrame, factor: str, own: str) -> tuple[pd.Series, pd.Series]:
    is_own = cells.index.get_level_values(factor) == own
    return is_own, ~is_own


def _best(cells: pd.DataFrame) -> pd.Series:
    return cells.loc[cells.mean(axis=1).idxmax()]


def _where(runs: pd.DataFrame, won: Sequence[str], datasets: Iterable[str], measure: str = "") -> str:
    """The titles of the datasets that were won, or of those that were not if they are fewer."""
    titles: Mapping[str, str] = dict(zip(runs["dataset"], runs["title"], strict=True))
    lost = [name for name in datasets if name not in won]
    if not lost or not won:
        return ""
    word, names = ("not on", lost) if len(lost) <= len(won) else ("on", won)
    return f" ({measure}{word} {', '.join(titles[name] for name in names)})"


def _counted(wins: Mapping[str, list[str]], total: int) -> str:
    return ", ".join(f"{measures.get(name).title} {len(won)} of {total}" for name, won in wins.items())


def _in_order(means: pd.Series) -> str:
    return ", ".join(
        f"{optimizer_name(str(name))} {value:.3f}" for name, value in means.sort_values().items()
    )


def _and(optimizers: Sequence[str]) -> str:
    names = [optimizer_name(name) for name in optimizers]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _and_beyond(text: str) -> str:
    return f"beyond the paper: {text}" if text else ""
