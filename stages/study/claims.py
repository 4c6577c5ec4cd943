"""The paper's claims checked against our runs: the claim, our evidence, and whether it holds."""

from collections.abc import Callable, Sequence

import pandas as pd

from stages.study import measures, paper

Row = dict[str, str]
HOLDS, FAILS, UNDECIDED = "holds", "does not hold", "not decided"


def check(table3: pd.DataFrame, table5: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """A row per claim; a claim whose cells were not all run is not decided."""
    judged = [
        _bbo_best(table3),
        _modn_best(table3),
        _bp_last(table3),
        _beats(
            table5, "mlp-bp", "MODN beats the MLP on all datasets, ACC and AUC", measures.OF_THE_PAPER, 1.0
        ),
        _significant(table5),
        _beats(table5, "dnm-bbo", "MODN beats DNM in ACC on 4 of 5 binary datasets", ("acc",), 0.8),
        _no_idle_dendrites(runs),
        _alpha_trend(runs, "alpha_s", "A larger alpha_s promotes ACC (Fig. 4)", lambda slope: slope > 0),
        _alpha_trend(runs, "alpha_t", "A smaller alpha_t promotes ACC (Fig. 4)", lambda slope: slope < 0),
    ]
    return pd.DataFrame(judged)


def _row(claim: str, evidence: str, holds: bool | None) -> Row:
    verdict = UNDECIDED if holds is None else HOLDS if holds else FAILS
    return {"claim": claim, "ours": evidence, "verdict": verdict}


def _paper_cells(table3: pd.DataFrame) -> pd.DataFrame:
    return table3[table3["optimizer"].isin(paper.OPTIMIZERS) & table3["model"].isin(paper.MODELS)]


def _best_cells(table3: pd.DataFrame) -> pd.DataFrame:
    """The best cell of each dataset, as the paper prints it in bold."""
    cells = _paper_cells(table3)
    return cells.loc[cells.groupby("dataset", sort=False)["acc_mean"].idxmax()]


def _bbo_best(table3: pd.DataFrame) -> Row:
    claim = "BBO is the best optimizer on most datasets (9 of 11)"
    if not paper.HEURISTICS.issubset(table3["optimizer"]):
        return _row(claim, "not run", None)
    best = _best_cells(table3)
    won = int((best["optimizer"] == "bbo").sum())
    others = ", ".join(
        f"{row.title}: {row.optimizer.upper()}" for row in best.itertuples() if row.optimizer != "bbo"
    )
    return _row(claim, f"{won} of {len(best)}" + (f" (else {others})" if others else ""), won > len(best) / 2)


def _modn_best(table3: pd.DataFrame) -> Row:
    claim = "MODN is the best of the three models on most datasets (7 of 11)"
    if not paper.MODELS.issubset(table3["model"]):
        return _row(claim, "not run", None)
    best = _best_cells(table3)
    won = best[best["model"] == "modn"]
    names = ", ".join(won["title"])
    return _row(
        claim, f"{len(won)} of {len(best)}" + (f" ({names})" if names else ""), len(won) > len(best) / 2
    )


def _bp_last(table3: pd.DataFrame) -> Row:
    claim = "BP is less capable than the heuristics (mean ACC, MODNP and MODNF)"
    cells = _paper_cells(table3)
    means = cells[cells["model"] != "modn"].groupby("optimizer")["acc_mean"].mean()
    if not means.index.isin(paper.HEURISTICS).any() or "bp" not in means:
        return _row(claim, "not run", None)
    evidence = ", ".join(f"{name.upper()} {value:.3f}" for name, value in means.sort_values().items())
    return _row(claim, evidence, means.idxmin() == "bp")


def _beats(table5: pd.DataFrame, method: str, claim: str, names: Sequence[str], share: float) -> Row:
    """On how many of the datasets where both were run MODN's mean is higher; at least this share must be."""
    pairs = table5["model"] + "-" + table5["optimizer"]
    ours, theirs = table5[table5["model"] == "modn"].set_index("dataset"), table5[pairs == method]
    theirs = theirs.set_index("dataset")
    common = theirs.index.intersection(ours.index, sort=False)
    if common.empty:
        return _row(claim, "not run", None)
    wins = {m: ours.loc[common, f"{m}_mean"] > theirs.loc[common, f"{m}_mean"] for m in names}
    evidence = ", ".join(
        f"{measures.get(m).title} {int(won.sum())} of {len(common)}" for m, won in wins.items()
    )
    lost = ", ".join(ours.loc[name, "title"] for name in common if not wins["acc"][name])
    holds = all(won.mean() >= share for won in wins.values())
    return _row(claim, evidence + (f" (ACC not on {lost})" if lost else ""), holds)


def _significant(table5: pd.DataFrame) -> Row:
    claim = "MODN against the MLP is significant (p < 0.05) on all datasets"
    tested = table5[(table5["model"] == "mlp") & (table5["optimizer"] == "bp") & table5["p"].notna()]
    if tested.empty:
        return _row(claim, "not run", None)
    smallest = tested["runs"].map(lambda runs: 2.0 ** (1 - runs)).max()  # exact p of runs that all agree
    if smallest >= 0.05:
        return _row(
            claim, f"{tested['runs'].max()} runs cannot show it: p is {smallest:g} at the least", None
        )
    significant = int((tested["p"] < 0.05).sum())
    return _row(claim, f"{significant} of {len(tested)}", significant == len(tested))


def _no_idle_dendrites(runs: pd.DataFrame) -> Row:
    claim = "The learned P leaves no dendrite inoperative (Fig. 6)"
    learned = runs[(runs["study"] == "comparison") & (runs["model"] == "modn") & (runs["optimizer"] == "bbo")]
    if learned.empty:
        return _row(claim, "not run", None)
    share = learned["inoperative"].sum() / learned["n_dendrites"].sum()
    with_idle = int((learned["inoperative"] > 0).sum())
    evidence = f"{with_idle} of {len(learned)} runs have some; {share:.1%} of all dendrites"
    return _row(claim, evidence, with_idle == 0)


def _alpha_trend(runs: pd.DataFrame, alpha: str, claim: str, agrees: Callable[[float], bool]) -> Row:
    """Spearman's correlation of accuracy with one alpha over the grid, per dataset."""
    swept = runs[runs["study"] == "sensitivity"]
    slopes = {}
    for title, group in swept.groupby("title"):
        at_grid = group[group["n_dendrites"] == group["n_dendrites"].mode().iloc[0]]
        if min(at_grid[alpha].std(), at_grid["acc"].std()) > 0:
            slopes[title] = at_grid[alpha].corr(at_grid["acc"], method="spearman")
    if not slopes:
        return _row(claim, "not run", None)
    evidence = "rank correlation " + ", ".join(f"{title} {slope:+.2f}" for title, slope in slopes.items())
    return _row(claim, evidence, all(agrees(slope) for slope in slopes.values()))
