"""summary.json: the few numbers that tell how a run turned out, for `dvc exp show` and `dvc metrics show`."""

import pandas as pd

from stages.study import claims
from stages.study.tables import OURS


def headlines(
    table3: pd.DataFrame,
    classifier_ranks: pd.DataFrame,
    extra_ranks: pd.DataFrame,
    closeness: pd.DataFrame,
    judged: pd.DataFrame,
) -> dict[str, float]:
    """The headline numbers that `dvc exp show` has room for; those of what was not run are left out."""
    found: dict[str, float] = {}
    means = table3.groupby(["model", "optimizer"])["acc_mean"].mean()
    for optimizer in ("bbo", "adam"):
        if ("modn", optimizer) in means:
            found[f"modn_{optimizer}"] = means["modn", optimizer]
    if not closeness.empty and "bbo" in set(closeness["optimizer"]):
        found["bbo_to_paper"] = closeness.set_index("optimizer").loc["bbo", "mean_absolute_difference"]
    of_studies = (
        ("modn_default", "best_other", classifier_ranks),
        ("extra_modn", "extra_other", extra_ranks),
    )
    for ours, best_other, ranks in of_studies:
        if ranks.empty:
            continue
        default = ranks[ranks["search"] == "default"].set_index("baseline")["acc_mean"]
        others = default.drop(OURS, errors="ignore")
        if OURS in default:
            found[ours] = default[OURS]
        if len(others):
            found[best_other] = others.max()
    found = {name: round(float(value), 4) for name, value in found.items()}
    return found | {"claims_hold": int((judged["verdict"] == claims.HOLDS).sum())}
