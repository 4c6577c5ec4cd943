"""The report beyond the paper: MODN beside other classifiers, on the paper's datasets and on more."""

from collections.abc import Collection, Mapping, Sequence
from math import isnan, nan
from typing import Any

import pandas as pd

from stages.config.schema import Estimator, Parameters
from stages.study import markdown, measures
from stages.study.measures import Measure
from stages.study.tables import OURS, SEARCHES

Tables = Mapping[str, pd.DataFrame]

CALIBRATION = (
    "For log-loss and ECE lower is better; ECE is the calibration error, with 15 bins of equal width on the "
    "highest probability. A classifier without probabilities has neither."
)


def baselines(parameters: Parameters, tables: Tables) -> str:
    """A row per classifier and search, the best mean first; then its accuracy on each dataset."""
    fitted, ranks = tables["baselines"], tables["classifier_ranks"]
    if fitted.empty:
        return _left_out(parameters, fitted)
    chosen = _measures(parameters)
    titles = dict(zip(fitted["dataset"], fitted["title"], strict=True))
    overall = {} if ranks.empty else ranks.set_index(["search", "baseline"]).to_dict("index")
    rows: list[tuple[int, float, dict[str, Any]]] = []
    for (search, name, title), cells in fitted.groupby(["search", "baseline", "name"], sort=False):
        means = overall.get((search, name), {})  # empty: it lacks some datasets
        accuracies = cells.set_index("dataset")["acc_mean"]
        row = {"classifier": title, "parameters": SEARCHES[str(search)]}
        row |= {f"mean {m.title}": markdown.number(means.get(f"{m.name}_mean", nan)) for m in chosen}
        row["mean rank"] = markdown.number(means.get("rank", nan), 2)
        row |= {titles[key]: markdown.number(accuracies.get(key, nan), 3) for key in titles}
        rows.append((list(SEARCHES).index(str(search)), -means.get("acc_mean", 0.0), row))
    rows.sort(key=lambda ranked: ranked[:2])
    note = (
        f"Protocol `sound`: {int(fitted['runs'].max())} stratified resplits of each dataset, the same for "
        "all classifiers. All fitting and tuning uses training data only. Each classifier runs with its "
        "default parameters, and tuned: with the best of a small grid of parameters, as large for all. Ranks "
        "compare classifiers of the same kind, default or tuned. MODN is trained by Adam; with its default "
        "parameters it chooses its weight decay by cross-validation. Its defaults were chosen on the "
        "training part of the first resplit, which contains test rows of other resplits. DNM handles binary "
        f"datasets only. AUC is micro-averaged; the SVM's uses its decision function. {CALIBRATION}"
    )
    answer = _answer(ranks, chosen)
    return _blocks(answer, note, markdown.table(row for *_, row in rows), _left_out(parameters, fitted))


def extra(parameters: Parameters, tables: Tables) -> str:
    """A row per classifier: means, mean ranks, and what MODN won and lost; then the accuracies."""
    fitted, ranks = tables["extra"], tables["extra_ranks"]
    if fitted.empty:
        return _left_out(parameters, fitted) if parameters.extra.datasets else ""
    chosen = _measures(parameters)
    rows = []
    for own in ranks.sort_values("acc_mean", ascending=False, kind="stable").to_dict("records"):
        row = {"classifier": own["name"]}
        row |= {f"mean {m.title}": markdown.number(own[f"{m.name}_mean"]) for m in chosen}
        for m in chosen:
            rank = own["rank"] if m.name == "acc" else own.get(f"{m.name}_rank", nan)
            row[f"rank by {m.title}"] = markdown.number(rank, 2)
        counts = [own.get(count, nan) for count in ("won", "tied", "lost")]
        row["MODN won, tied, lost"] = "" if isnan(counts[0]) else ", ".join(f"{n:.0f}" for n in counts)
        rows.append(row)
    note = (
        f"Datasets that the paper does not have ({len(tables['extra_datasets'])}), protocol `sound`: "
        f"stratified resplits of each ({int(fitted['runs'].max())}), the same for all classifiers. Each runs "
        "with its default parameters, except what its name says. MODN's were chosen on these and the "
        "paper's datasets, by cross-validation within training parts. Won, tied and lost: on how many "
        f"datasets MODN's mean accuracy is higher, equal and lower. {CALIBRATION} A classifier that does "
        "not handle all datasets is not ranked."
    )
    accuracies = f"Mean accuracy on each dataset, the best in bold:\n\n{_accuracies(tables)}"
    table = markdown.table(rows) if rows else ""
    return _blocks(_answer(ranks, chosen), note, table, _left_out(parameters, fitted), accuracies)


def _answer(ranks: pd.DataFrame, chosen: Sequence[Measure]) -> str:
    """The place of MODN by each measure, default and tuned; "" if it or all others were not run."""
    texts = []
    for search, own in [] if ranks.empty else ranks.groupby("search", sort=False):
        ours = own[own["baseline"] == OURS]
        if len(own) > 1 and len(ours):
            texts.append(_standing(SEARCHES[str(search)], own, ours.iloc[0], chosen))
    return f"**{' '.join(texts)}**" if texts else ""


def _standing(search: str, ranks: pd.DataFrame, ours: pd.Series, chosen: Sequence[Measure]) -> str:
    """MODN among the classifiers of one search: places, the best rival, and whose ranks are far from its."""
    places = []
    for m in chosen:
        means = m.better(ranks[f"{m.name}_mean"].dropna())
        if ours.name in means:
            place = int((means > means[ours.name]).sum()) + 1
            places.append(f"{place} of {len(means)} by {m.title} ({ours[f'{m.name}_mean']:.3f})")
    rivals = ranks.drop(ours.name)
    best = rivals.loc[rivals["acc_mean"].idxmax()]
    reach = ours["critical_difference"]
    far = {
        "better": rivals.loc[rivals["rank"] > ours["rank"] + reach, "name"],
        "worse": rivals.loc[rivals["rank"] < ours["rank"] - reach, "name"],
    }
    apart = [f"significantly {word} than {', '.join(names)}" for word, names in far.items() if len(names)]
    return (
        f"MODN, {search}, is number {', '.join(places)} in the mean over {int(ours['datasets'])} datasets; "
        f"the best rival has an accuracy of {best['acc_mean']:.3f} ({best['name']}). By mean rank it is "
        f"{' and '.join(apart) or 'within the critical difference of all others'}."
    )


def _accuracies(tables: Tables) -> str:
    """The size of each extra dataset, and the mean accuracy of each classifier."""
    fitted = tables["extra"]
    means = fitted.pivot_table(index="dataset", columns="baseline", values="acc_mean")
    names = dict(zip(fitted["baseline"], fitted["name"], strict=True))
    rows = []
    for size in tables["extra_datasets"].itertuples():
        row = {"dataset": size.title, "rows": size.train + size.test}
        row |= {"features": size.features, "classes": size.classes}
        own = means.loc[size.dataset]
        for baseline, name in names.items():
            text = markdown.number(own[baseline], 3)
            row[name] = f"**{text}**" if own[baseline] == own.max() else text
        rows.append(row)
    return markdown.table(rows)


def _measures(parameters: Parameters) -> list[Measure]:
    return measures.of_baselines(parameters.measures, parameters.baseline_measures)


def _left_out(parameters: Parameters, table: pd.DataFrame) -> str:
    present = set() if table.empty else set(table["baseline"])
    return left_out(parameters.baselines, present)


def left_out(chosen: Mapping[str, Estimator], present: Collection[str]) -> str:
    """The classifiers of optional packages that are not present; the others are always installed."""
    absent = [
        own.title
        for name, own in chosen.items()
        if name not in present and not own.estimator.startswith(("modn.", "sklearn."))
    ]
    return f"Left out, because their packages were not installed: {', '.join(absent)}." if absent else ""


def _blocks(*texts: str) -> str:
    return "\n\n".join(filter(None, texts))
