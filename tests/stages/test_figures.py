"""The figures of the report: what is drawn is the data, any subset draws, nothing overlaps."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from tests.legibility import assert_legible

from modn import filters, metrics, plots
from modn.neuron import Neuron
from stages.study import figures, measures, ranks, tables
from stages.study.figures import _looks
from stages.study.figures._material import Example
from stages.study.sections import SECTIONS

PAPER = Path(__file__).parents[2] / "data" / "raw" / "paper"
TITLES: dict[str, str] = pd.read_csv(PAPER / "table1_datasets.csv").set_index("dataset")["name"].to_dict()
LONG = "a rather long name that_somebody_gave to an own dataset, $5 or $6"


def make_table() -> pd.DataFrame:
    """Cells like those of Table 3, with a seventh optimizer that the paper does not have."""
    rng = np.random.default_rng(0)
    table = pd.read_csv(PAPER / "table3_acc_by_optimizer.csv").rename(columns={"acc": "paper"}).dropna()
    exact = table[table["optimizer"] == "bp"].assign(optimizer="bp_exact", paper=np.nan)
    table = pd.concat([table, exact], ignore_index=True)
    table["title"] = table["dataset"].map(TITLES)
    table["acc_mean"] = np.clip(table["paper"].fillna(0.7) + rng.normal(0, 0.03, len(table)), 0, 0.98)
    table["acc_low"] = table["acc_mean"] - 0.02
    table["acc_high"] = table["acc_mean"] + 0.04
    return table


def make_curves() -> pd.DataFrame:
    """Loss curves of the five pairs of Fig. 5."""
    pairs = [("modn", "bbo"), ("modnp", "bbo"), ("modnf", "bbo"), ("modnp", "bp"), ("modnf", "bp")]
    parts = []
    for number, (dataset, (model, optimizer)) in enumerate(itertools.product(TITLES, pairs)):
        budget = 3000 if optimizer == "bp" else 300 if dataset == "iris" else 400
        iteration = np.linspace(0, budget, 21)
        mean = 0.3 + 0.01 * number + np.exp(-iteration / 100)
        cell = {"dataset": dataset, "title": TITLES[dataset], "model": model, "optimizer": optimizer}
        values = {
            "iteration": iteration,
            "budget": budget,
            "mean": mean,
            "low": mean - 0.1,
            "high": mean + 0.1,
        }
        parts.append(pd.DataFrame(cell | values))
    return pd.concat(parts, ignore_index=True)


def make_runs() -> pd.DataFrame:
    """Both sweeps of Fig. 4; the cell where they cross is in the table twice."""
    rng = np.random.default_rng(1)
    sweep = [(M, 10.0, 1.0) for M in range(4, 21, 2)]
    grid = [(12, alpha_s, alpha_t) for alpha_s in (1.0, 5.0, 10.0) for alpha_t in (0.1, 0.5, 1.0, 2.0)]
    rows = []
    for dataset, run in itertools.product(("raisin", "iris"), range(3)):
        accuracies = {cell: rng.uniform(0.6, 0.9) for cell in dict.fromkeys(sweep + grid)}
        for cell in sweep + grid:
            rows.append((dataset, TITLES[dataset], "modn", "bbo", run, *cell, accuracies[cell]))
    columns = ["dataset", "title", "model", "optimizer", "run", "n_dendrites", "alpha_s", "alpha_t", "acc"]
    return pd.DataFrame(rows, columns=columns)


def make_rocs() -> pd.DataFrame:
    """Mean ROC curves of three methods on all datasets."""
    rng = np.random.default_rng(2)
    parts = []
    for dataset, (skill, (model, optimizer)) in itertools.product(
        TITLES, enumerate([("mlp", "bp"), ("dnm", "bbo"), ("modn", "bbo")])
    ):
        y = rng.integers(3, size=(2, 40))
        scores = rng.normal(size=(2, 40, 3)) + skill * (y[..., None] == np.arange(3))
        curve = metrics.mean_roc(
            [metrics.roc_points(*run) for run in zip(y, scores, strict=True)], n_points=21
        )
        cell = {"dataset": dataset, "title": TITLES[dataset], "model": model, "optimizer": optimizer}
        parts.append(pd.DataFrame(cell | curve._asdict() | {"auc": 0.7 + 0.1 * skill}))
    return pd.concat(parts, ignore_index=True)


def make_examples() -> list[plots.FilterExample]:
    rng = np.random.default_rng(3)
    return [
        plots.FilterExample(dataset, TITLES[dataset], model, P, 0.5 + 0.01 * M)
        for dataset, M, C in (("caesarian", 20, 2), ("iris", 30, 3), ("glass", 60, 6))
        for model, P in (
            ("modn", rng.random((M, C)) < 0.5),
            ("modnp", filters.partition(M, C)),
            ("modnf", filters.full(M, C)),
        )
    ]


def make_baselines() -> pd.DataFrame:
    """Four classifiers on all datasets, one of them far behind, and one that has two datasets only."""
    skills = {"modn": 0.9, "knn": 0.88, "svm": 0.91, "last": 0.2}
    rng = np.random.default_rng(5)
    rows = [
        (dataset, name, f"The {name}", search, skill + rng.uniform(0, 0.05))
        for dataset in TITLES
        for name, skill in [*skills.items(), *([("dnm", 0.5)] if dataset in ("iris", "wine") else [])]
        for search in ("default", "grid")
    ]
    return pd.DataFrame(rows, columns=["dataset", "baseline", "name", "search", "acc_mean"])


def alone(table: pd.DataFrame) -> pd.DataFrame:
    """One dataset, one model, one optimizer."""
    chosen = table[(table["dataset"] == "iris") & (table["optimizer"] == "bbo")]
    return chosen[chosen["model"] == chosen["model"].iloc[0]]


@each_tabled
def test_everything_draws_legibly(draw: Callable[[pd.DataFrame], Figure]) -> None:
    assert_legible(draw(TABLED[draw]()))


@each_tabled
def test_one_dataset_and_one_pair_draw_legibly(draw: Callable[[pd.DataFrame], Figure]) -> None:
    assert_legible(draw(alone(TABLED[draw]())))


@each_tabled
def test_an_own_dataset_with_unknown_names_draws_legibly(draw: Callable[[pd.DataFrame], Figure]) -> None:
    own = alone(TABLED[draw]()).assign(
        dataset="own", title=LONG, model="my_model", optimizer="my_search", paper=np.nan
    )
    known = TABLED[draw]()
    assert_legible(draw(own))
    assert_legible(draw(pd.concat([known[known["dataset"] == "raisin"], own])))


def test_names_are_the_papers() -> None:
    assert style.pair_name("modnp", "bp_exact") == "MODNP+BP (exact)"
    assert style.pair_name("modnf", "pbil") == "MODNF+PBIL"
    assert style.pair_name("my_model", "cmaes") == "MY MODEL+CMAES"
    table = pd.DataFrame({"model": ["zz", "modnf", "dnm", "modn"]})
    assert list(style.models_of(table)) == ["modn", "modnf", "dnm", "zz"]


def test_accuracy_bars_are_the_table() -> None:
    table = make_table()
    figure = plots.accuracy_bars(table)
    assert [panel.get_title("left") for panel in figure.axes] == ["MODN", "MODNP", "MODNF"]
    for panel, model in zip(figure.axes, ("modn", "modnp", "modnf"), strict=True):
        cells = table[table["model"] == model]
        assert len(panel.patches) == len(cells)
        for dataset, group in cells.groupby("dataset"):
            place = list(TITLES).index(dataset)
            heights = [
                p.get_height() for p in panel.patches if abs(p.get_x() + p.get_width() / 2 - place) < 0.5
            ]
            assert sorted(heights) == sorted(group["acc_mean"])
        drawn = np.concatenate([line.get_ydata() for line in panel.lines if line.get_marker() == "D"])
        assert sorted(drawn[~np.isnan(drawn)]) == sorted(cells["paper"].dropna())
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names[:3] == ["BBO, ours", "BP, ours", "BP (exact), ours"]
    assert names[-2:] == ["paper", "interval over runs"]


def test_accuracy_bars_alone_say_their_number_and_mark_no_paper_where_there_is_none() -> None:
    cell = alone(make_table())
    figure = plots.accuracy_bars(cell)
    (panel,) = figure.axes
    assert [text.get_text() for text in panel.texts] == [f"{cell['acc_mean'].iloc[0]:.3f}"]
    own = plots.accuracy_bars(cell.assign(paper=np.nan, acc_low=cell["acc_mean"], acc_high=cell["acc_mean"]))
    assert [text.get_text() for text in own.legends[0].get_texts()] == ["BBO, ours"]


@pytest.mark.parametrize(("datasets", "optimizers"), [(2, 6), (3, 4), (12, 1), (1, 7)])
def test_numbers_above_the_bars_do_not_touch(datasets: int, optimizers: int) -> None:
    """Equal heights are the worst case."""
    table = make_table()
    names = list(table["optimizer"].unique())[:optimizers]
    own = pd.DataFrame(
        [(f"d{i}", f"Dataset {i}", "modn", name) for i in range(datasets) for name in names],
        columns=["dataset", "title", "model", "optimizer"],
    ).assign(acc_mean=0.9876, acc_low=0.98, acc_high=0.99, paper=0.97)
    figure = plots.accuracy_bars(own)
    assert len(figure.axes[0].texts) == datasets * optimizers
    assert_legible(figure)


def test_loss_curves_are_the_curves_over_the_spent_budget() -> None:
    curves = make_curves()
    figure = plots.loss_curves(
        curves.sample(frac=1, random_state=0).sort_values("dataset", key=lambda d: d.map(list(TITLES).index))
    )
    assert [panel.get_title() for panel in figure.axes] == list(TITLES.values())
    panel = figure.axes[list(TITLES).index("iris")]
    names = [line.get_label().split(" (")[0] for line in panel.lines]
    assert names == ["MODN+BBO", "MODNP+BBO", "MODNF+BBO", "MODNP+BP", "MODNF+BP"]
    own = curves[(curves["dataset"] == "iris") & (curves["model"] == "modnp") & (curves["optimizer"] == "bp")]
    np.testing.assert_allclose(panel.lines[3].get_ydata(), own["mean"])
    np.testing.assert_allclose(panel.lines[3].get_xdata(), own["iteration"] / 30)
    assert panel.lines[3].get_linestyle() == "--" and panel.lines[0].get_linestyle() == "-"
    assert panel.lines[1].get_color() == panel.lines[3].get_color() != panel.lines[0].get_color()
    assert len(panel.collections) == 5
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend[0] == "MODN+BBO (300 or 400 iterations)" and legend[-1] == "MODNF+BP (3000 iterations)"


def test_sensitivity_to_dendrites_is_the_sweep_alone() -> None:
    runs = make_runs()
    figure = plots.sensitivity_dendrites(runs)
    for panel, dataset in zip(figure.axes, ("raisin", "iris"), strict=True):
        own = runs[(runs["dataset"] == dataset) & (runs["alpha_s"] == 10) & (runs["alpha_t"] == 1)]
        own = own.drop_duplicates(["run", "n_dendrites"])
        points, line = panel.lines
        assert len(points.get_xdata()) == len(own) == 27
        np.testing.assert_allclose(line.get_ydata(), own.groupby("n_dendrites")["acc"].mean())
        band = panel.collections[0].get_paths()[0].vertices
        interval = metrics.mean_interval(own.loc[own["n_dendrites"] == 12, "acc"])
        at_12 = band[band[:, 0] == 12, 1]
        assert at_12.min() == pytest.approx(max(interval.low, 0))
        assert at_12.max() == pytest.approx(min(interval.high, 1))
        assert "$\\alpha_s$ = 10, $\\alpha_t$ = 1" in panel.get_title()


def test_sensitivity_to_alphas_is_the_grid_alone() -> None:
    runs = make_runs()
    figure = plots.sensitivity_alphas(runs)
    maps = [panel for panel in figure.axes if panel.images]
    assert len(maps) == 2
    own = runs[(runs["dataset"] == "raisin") & (runs["n_dendrites"] == 12)]
    own = own.drop_duplicates(["run", "alpha_s", "alpha_t"])
    expected = own.pivot_table(index="alpha_t", columns="alpha_s", values="acc").to_numpy()
    np.testing.assert_allclose(maps[0].images[0].get_array(), expected)
    assert [label.get_text() for label in maps[0].get_xticklabels()] == ["1", "5", "10"]
    assert [label.get_text() for label in maps[0].get_yticklabels()] == ["0.1", "0.5", "1", "2"]
    assert [text.get_text() for text in maps[0].texts] == [f"{value:.2f}" for value in expected.ravel()]
    assert maps[0].get_title() == "Raisin grains\nMODN+BBO, M = 12"


def test_filters_show_p_and_count_the_states() -> None:
    examples = make_examples()
    figure = plots.filters(examples)
    assert len(figure.axes) == 9
    for panel, example in zip(figure.axes, examples, strict=True):
        matrix, strip = (mesh for mesh in panel.collections if isinstance(mesh, QuadMesh))
        np.testing.assert_array_equal(matrix.get_array(), example.P.T)
        fed = example.P.sum(axis=1)
        np.testing.assert_array_equal(strip.get_array()[0], np.minimum(fed, 2))
        counts = [
            (np.sum(fed == 0), "inoperative"),
            (np.sum(fed == 1), "exclusive"),
            (np.sum(fed > 1), "communal"),
        ]
        assert panel.get_xlabel() == "dendrites: " + ", ".join(f"{n} {state}" for n, state in counts if n)
        assert panel.get_title().endswith(f"ACC {example.acc:.4f}")
    assert_legible(figure)
    assert_legible(plots.filters(examples[3:4]))
    with pytest.raises(ValueError, match="examples is empty"):
        plots.filters([])


def test_filters_leave_a_missing_model_blank() -> None:
    examples = make_examples()
    figure = plots.filters([examples[0], examples[4]])
    assert [panel.axison for panel in figure.axes] == [True, False, False, True]


def test_roc_draws_the_curves_with_their_auc() -> None:
    curves = make_rocs()
    figure = plots.roc(curves)
    panel = figure.axes[list(TITLES).index("wine")]
    legend = [text.get_text() for text in panel.get_legend().get_texts()]
    assert sorted(legend) == ["DNM+BBO 0.800", "MLP+BP 0.700", "MODN+BBO 0.900"]
    line = next(line for line in panel.lines if line.get_label() == "DNM+BBO 0.800")
    own = curves[(curves["dataset"] == "wine") & (curves["model"] == "dnm")]
    np.testing.assert_allclose(line.get_xydata(), own[["fpr", "tpr"]])


def test_paper_scatter_has_every_printed_cell() -> None:
    table = make_table()
    figure = plots.paper_scatter(table)
    points = [line for line in figure.axes[0].lines if line.get_linestyle() == "None"]
    assert len(points) == 6 and len({line.get_marker() for line in points}) == 6
    drawn = np.concatenate([line.get_xydata() for line in points])
    printed = table.dropna(subset="paper")[["paper", "acc_mean"]].to_numpy()
    assert sorted(map(tuple, drawn)) == sorted(map(tuple, printed))
    bbo = table[table["optimizer"] == "bbo"]
    apart = (bbo["acc_mean"] - bbo["paper"]).abs().mean()
    assert figure.legends[0].get_texts()[0].get_text() == f"BBO: 33 cells, mean |difference| {apart:.3f}"


def test_optimizer_ranks_are_the_mean_ranks_of_both_sides() -> None:
    table = make_table()
    figure = plots.optimizer_ranks(table)
    ours, paper = figure.axes
    assert (ours.get_title(), paper.get_title()) == ("ours, over 11 datasets", "paper, over 11 datasets")
    ranks = metrics.mean_ranks(table)
    for line, model in zip(ours.lines, ("modn", "modnp", "modnf"), strict=True):
        np.testing.assert_allclose(line.get_xdata(), ranks.loc[ranks["model"] == model, "rank"])
    assert max(len(line.get_xdata()) for line in paper.lines) == 6
    names = [label.get_text() for label in ours.get_yticklabels()]
    assert names[0] == "BBO" and len(names) == 7
    (alone_side,) = plots.optimizer_ranks(alone(table).assign(paper=np.nan)).axes
    assert alone_side.get_title() == "ours, over 1 dataset"


def test_classifier_ranks_are_the_mean_ranks_of_those_that_have_every_dataset() -> None:
    table = make_baselines()
    figure = plots.classifier_ranks(table)
    assert_legible(figure)
    for panel, search in zip(figure.axes, ("default", "grid"), strict=True):
        own = table[(table["search"] == search) & (table["baseline"] != "dnm")]
        ranks = own.pivot_table(index="dataset", columns="baseline", values="acc_mean").rank(
            axis=1, ascending=False
        )
        expected = ranks.mean().sort_values(kind="stable")
        np.testing.assert_allclose(panel.collections[0].get_offsets()[:, 0], expected)
        assert [label.get_text() for label in panel.get_yticklabels()] == [
            f"The {name}" for name in expected.index
        ]


def test_bars_join_classifiers_within_the_critical_difference_only() -> None:
    (panel, _) = plots.classifier_ranks(make_baselines()).axes
    ranks = panel.collections[0].get_offsets()[:, 0]
    difference = metrics.critical_difference(4, 11)
    joined = [line.get_ydata() for line in panel.lines if line.get_xdata()[0] == line.get_xdata()[1]]
    assert joined
    for first, last in ((round(low + 0.25), round(high - 0.25)) for low, high in joined):
        assert (first, last) != (0, len(ranks) - 1)
        assert ranks[last] - ranks[first] <= difference
        assert last == len(ranks) - 1 or ranks[last + 1] - ranks[first] > difference


def test_classifier_ranks_of_one_dataset_and_one_classifier_draw_legibly() -> None:
    table = make_baselines()
    own = table[(table["dataset"] == "iris") & (table["baseline"] == "knn")]
    assert_legible(plots.classifier_ranks(own.assign(name=LONG)))
    with pytest.raises(ValueError, match="is empty"):
        plots.classifier_ranks(table.iloc[:0])
