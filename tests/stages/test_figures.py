"""The figures of the report: what is drawn is the data, any subset draws, nothing overlaps."""

import pkgutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from legibility import assert_legible
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from results import (
    TITLES,
    Material,
    make_baseline_runs,
    make_curves,
    make_examples,
    make_material,
    make_rocs,
    make_runs,
)

from modn import metrics, plots
from stages.io import files
from stages.study import figures, names, ranks
from stages.study.figures import StudyFigure, _looks
from stages.study.figures._material import CIRCUIT, EXAMPLES
from stages.study.sections import SECTIONS

LONG = "a rather long name that_somebody_gave to an own dataset, $5 or $6"
REGISTERED = {figure.name: figure for figure in figures.registered()}
each_figure = pytest.mark.parametrize("figure", REGISTERED.values(), ids=REGISTERED)


def parts() -> list[pd.DataFrame]:
    return [make_runs(), make_baseline_runs(), make_curves(), make_rocs()]


@pytest.fixture(scope="module")
def material() -> Material:
    return make_material(*parts())


@pytest.fixture(scope="module")
def small() -> Material:
    return make_material(*map(alone, parts()))


@pytest.fixture(scope="module")
def own() -> Material:
    """Names that nobody knows."""
    return make_material(*[renamed(alone(part)) for part in parts()])


@pytest.fixture(scope="module")
def mixed() -> Material:
    """The same beside a dataset that is known."""
    known = [part[part["dataset"] == "raisin"] for part in parts()]
    unknown = [renamed(alone(part)) for part in parts()]
    return make_material(*[pd.concat(pair, ignore_index=True) for pair in zip(known, unknown, strict=True)])


def alone(table: pd.DataFrame) -> pd.DataFrame:
    """One dataset with one method of each study."""
    own = table[table["dataset"] == "iris"]
    if "baseline" in own:
        return own[own["baseline"] == "knn"]
    return own[(own["model"] == "modn") & (own["optimizer"] == "bbo")]


def renamed(table: pd.DataFrame) -> pd.DataFrame:
    """The same of a dataset, a model, an optimizer and a classifier that nobody knows."""
    names = {"dataset": "own", "title": LONG, "model": "my_model", "optimizer": "my_search"}
    names |= {"baseline": "my_classifier", "name": LONG}
    return table.assign(**{column: name for column, name in names.items() if column in table})


def draw(name: str, material: Material) -> Figure:
    figure = REGISTERED[name]
    return figures.draw(figure, [material[need] for need in figure.needs])


def is_drawable(figure: StudyFigure, material: Material) -> bool:
    return all(len(material[need]) for need in figure.needs)


def test_a_figure_has_the_name_of_its_file_and_a_section_of_the_report() -> None:
    modules = {module.name for module in pkgutil.iter_modules(figures.__path__)}
    assert set(REGISTERED) == {name for name in modules if not name.startswith("_")}
    assert {figure.section for figure in REGISTERED.values()} <= {section.key for section in SECTIONS}


@each_figure
@pytest.mark.slow
def test_everything_draws_legibly(figure: StudyFigure, material: Material) -> None:
    assert_legible(draw(figure.name, material))


@pytest.mark.slow
@each_figure
def test_one_dataset_and_one_method_draw_legibly(figure: StudyFigure, small: Material, own: Material) -> None:
    """With names that nobody knows, which are longer, unless the figure needs the paper's numbers."""
    material = own if is_drawable(figure, own) else small
    if is_drawable(figure, material):  # one optimizer has no rank
        assert_legible(draw(figure.name, material))


@pytest.mark.slow
@each_figure
def test_unknown_names_beside_known_ones_draw_legibly(figure: StudyFigure, mixed: Material) -> None:
    if is_drawable(figure, mixed):
        assert_legible(draw(figure.name, mixed))


def test_figures_are_drawn_when_none_of_their_needs_is_empty(
    tmp_path: Path, material: Material, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "EXAMPLES", tmp_path / "examples.npz")
    files.write_arrays(files.EXAMPLES, {})
    for name, table in material.items():
        if name not in (EXAMPLES, CIRCUIT):
            files.write_csv(tmp_path / f"{name}.csv", table.iloc[:0] if name == "curves" else table)
    found = figures.drawable(tmp_path)
    lacking = {EXAMPLES, CIRCUIT, "curves"}
    assert set(found) == {figure for figure in REGISTERED.values() if not lacking & set(figure.needs)}
    assert all(len(own) == len(figure.needs) for figure, own in found.items())


def test_the_same_results_give_the_same_bytes_and_others_do_not(tmp_path: Path, material: Material) -> None:
    table3 = material["table3"]
    other = material | {"table3": table3.assign(acc_mean=table3["acc_mean"] + 0.01)}
    for name, source in {"first": material, "second": material, "other": other}.items():
        plots.save(draw("paper_scatter", source), tmp_path / f"{name}.png")
    first, second, third = ((tmp_path / f"{name}.png").read_bytes() for name in ("first", "second", "other"))
    assert first == second != third


def test_names_are_the_papers() -> None:
    assert names.pair_name("modnp", "bp_exact") == "MODNP+BP (exact)"
    assert names.pair_name("modnf", "pbil") == "MODNF+PBIL"
    assert names.pair_name("my_model", "my_search") == "MY MODEL+MY SEARCH"
    table = pd.DataFrame({"model": ["zz", "modnf", "dnm", "modn"]})
    assert list(_looks.models_of(table)) == ["modn", "modnf", "dnm", "zz"]


def test_accuracy_points_are_the_table(material: Material) -> None:
    table = material["table3"]
    figure = draw("accuracy", material)
    optimizers = ["bbo", "bp", "bp_exact", "ga", "pso", "pbil", "es"]
    titles = [panel.get_title("left") for panel in figure.axes]
    assert titles == ["BBO", "BP", "BP (exact) †", "GA", "PSO", "PBIL", "ES"]
    for panel, optimizer in zip(figure.axes, optimizers, strict=True):
        cells = table[table["optimizer"] == optimizer]
        ours, paper = (
            np.concatenate([line.get_xdata() for line in panel.lines if line.get_marker() == marker])
            for marker in ("o", "D")
        )
        assert sorted(ours) == sorted(cells["acc_mean"])
        assert sorted(paper[~np.isnan(paper)]) == sorted(cells["paper"].dropna())
        rows = np.concatenate([line.get_ydata() for line in panel.lines if line.get_marker() == "o"])
        places = {list(TITLES)[round(row)] for row in rows}
        assert places == set(cells["dataset"])
        segments = [lines.get_segments() for lines in panel.collections]
        spans = np.concatenate([own for own in segments if own])[:, :, 0]
        assert sorted(map(tuple, spans)) == sorted(map(tuple, cells[["acc_low", "acc_high"]].to_numpy()))
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["MODN, ours", "MODNP, ours", "MODNF, ours", "paper", "95 % interval"]


def test_accuracy_marks_no_paper_and_no_interval_where_there_is_none(material: Material) -> None:
    cell = alone(material["table3"])
    single = cell.assign(paper=np.nan, acc_low=cell["acc_mean"], acc_high=cell["acc_mean"])
    own = draw("accuracy", {"table3": single})
    assert [text.get_text() for text in own.legends[0].get_texts()] == ["MODN, ours"]


def test_loss_curves_are_the_curves_over_the_spent_budget() -> None:
    curves = make_curves()
    shuffled = curves.sample(frac=1, random_state=0)
    shuffled = shuffled.sort_values("dataset", key=lambda d: d.map(list(TITLES).index))
    figure = draw("loss_curves", {"curves": shuffled})
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


def test_sensitivity_to_dendrites_is_the_sweep_alone(material: Material) -> None:
    runs = material["runs"][material["runs"]["study"] == "sensitivity"]
    figure = draw("sensitivity_dendrites", material)
    for panel, dataset in zip(figure.axes, ("raisin", "iris"), strict=True):
        own = runs[(runs["dataset"] == dataset) & (runs["alpha_s"] == 10) & (runs["alpha_t"] == 1)]
        points, line = panel.lines
        assert len(points.get_xdata()) == len(own) == 27
        np.testing.assert_allclose(line.get_ydata(), own.groupby("n_dendrites")["acc"].mean())
        band = panel.collections[0].get_paths()[0].vertices
        interval = metrics.mean_interval(own.loc[own["n_dendrites"] == 12, "acc"])
        at_12 = band[band[:, 0] == 12, 1]
        assert at_12.min() == pytest.approx(max(interval.low, 0))
        assert at_12.max() == pytest.approx(min(interval.high, 1))
        assert "$\\alpha_s$ = 10, $\\alpha_t$ = 1" in panel.get_title()


def test_sensitivity_to_alphas_is_the_grid_alone(material: Material) -> None:
    runs = material["runs"][material["runs"]["study"] == "sensitivity"]
    figure = draw("sensitivity_alphas", material)
    maps = [panel for panel in figure.axes if panel.images]
    assert len(maps) == 2
    own = runs[(runs["dataset"] == "raisin") & (runs["n_dendrites"] == 12)]
    expected = own.pivot_table(index="alpha_t", columns="alpha_s", values="acc").to_numpy()
    np.testing.assert_allclose(maps[0].images[0].get_array(), expected)
    assert [label.get_text() for label in maps[0].get_xticklabels()] == ["1", "5", "10"]
    assert [label.get_text() for label in maps[0].get_yticklabels()] == ["0.1", "0.5", "1", "2"]
    assert [text.get_text() for text in maps[0].texts] == [f"{value:.2f}" for value in expected.ravel()]
    assert maps[0].images[0].norm is maps[1].images[0].norm, "one scale of colours"
    assert maps[0].get_title() == "Raisin grains\nMODN+BBO, M = 12"


def test_filters_show_p_and_count_the_states() -> None:
    examples = make_examples()
    figure = draw("filters", {EXAMPLES: examples})
    assert len(figure.axes) == 9
    for panel, example in zip(figure.axes, examples, strict=True):
        matrix, strip = (mesh for mesh in panel.collections if isinstance(mesh, QuadMesh))
        np.testing.assert_array_equal(matrix.get_array(), example.neuron.P.T)
        fed = example.neuron.P.sum(axis=1)
        np.testing.assert_array_equal(strip.get_array()[0], np.minimum(fed, 2))
        counts = [
            (np.sum(fed == 0), "inoperative"),
            (np.sum(fed == 1), "exclusive"),
            (np.sum(fed > 1), "communal"),
        ]
        assert panel.get_xlabel() == "dendrites: " + ", ".join(f"{n} {state}" for n, state in counts if n)
        assert panel.get_title().endswith(f"\nACC {example.acc:.4f} (seed 101, best of 3 runs)")
    assert_legible(draw("filters", {EXAMPLES: examples[3:4]}))


def test_filters_leave_a_missing_model_blank() -> None:
    examples = make_examples()
    figure = draw("filters", {EXAMPLES: [examples[0], examples[4]]})
    assert [panel.axison for panel in figure.axes] == [True, False, False, True]


def test_roc_draws_the_curves_with_their_auc() -> None:
    curves = make_rocs()
    figure = draw("roc", {"roc": curves})
    panel = figure.axes[list(TITLES).index("wine")]
    legend = [text.get_text() for text in panel.get_legend().get_texts()]
    assert sorted(legend) == ["DNM+BBO 0.800", "MLP+BP 0.700", "MODN+BBO 0.900"]
    line = next(line for line in panel.lines if line.get_label() == "DNM+BBO 0.800")
    own = curves[(curves["dataset"] == "wine") & (curves["model"] == "dnm")]
    np.testing.assert_allclose(line.get_xydata(), own[["fpr", "tpr"]])


def test_roc_tells_two_optimizers_of_a_model_apart() -> None:
    curves = make_rocs()
    more = curves[curves["model"] == "mlp"].assign(optimizer="adam")
    panel = draw("roc", {"roc": pd.concat([curves, more])}).axes[0]
    colours = {line.get_color() for line in panel.lines if not line.get_label().startswith("_")}
    assert len(colours) == 4


def test_paper_scatter_has_every_printed_cell(material: Material) -> None:
    table = material["table3"]
    figure = draw("paper_scatter", material)
    points = [line for line in figure.axes[0].lines if line.get_linestyle() == "None"]
    assert len(points) == 6 and len({line.get_marker() for line in points}) == 6
    drawn = np.concatenate([line.get_xydata() for line in points])
    printed = table.dropna(subset="paper")[["paper", "acc_mean"]].to_numpy()
    assert sorted(map(tuple, drawn)) == sorted(map(tuple, printed))
    bbo = table[table["optimizer"] == "bbo"]
    apart = (bbo["acc_mean"] - bbo["paper"]).abs().mean()
    assert figure.legends[0].get_texts()[0].get_text() == f"BBO: 33 cells, mean |difference| {apart:.3f}"


def test_optimizer_ranks_are_the_mean_ranks_of_both_sides(material: Material) -> None:
    table = material["table3"]
    figure = draw("optimizer_ranks", material)
    ours, paper = figure.axes
    assert (ours.get_title(), paper.get_title()) == ("ours, over 11 datasets", "paper, over 11 datasets")
    expected = ranks.mean_ranks(table[table["paper"].notna()])
    for line, model in zip(ours.lines, ("modn", "modnp", "modnf"), strict=True):
        np.testing.assert_allclose(line.get_xdata(), expected.loc[expected["model"] == model, "rank"])
    assert max(len(line.get_xdata()) for line in paper.lines) == 6
    labels = [label.get_text() for label in ours.get_yticklabels()]
    assert labels[0] == "BBO" and len(labels) == 6, "both sides have the same optimizers"
    own = table[table["dataset"] == "iris"].assign(paper=np.nan)
    (side,) = draw("optimizer_ranks", {"optimizer_ranks": ranks.optimizer_ranks(own)}).axes
    assert side.get_title() == "ours, over 1 dataset"


def test_classifier_ranks_are_the_mean_ranks_of_those_that_have_every_dataset(material: Material) -> None:
    table = material["baselines"]
    figure = draw("classifier_ranks", material)
    assert [panel.get_title("left") for panel in figure.axes] == ["default", "tuned"]
    for panel, search in zip(figure.axes, ("default", "grid"), strict=True):
        own = table[(table["search"] == search) & (table["baseline"] != "dnm")]
        of_datasets = own.pivot_table(index="dataset", columns="baseline", values="acc_mean")
        expected = of_datasets.rank(axis=1, ascending=False).mean().sort_values(kind="stable")
        np.testing.assert_allclose(panel.collections[0].get_offsets()[:, 0], expected)
        names = [label.get_text() for label in panel.get_yticklabels()]
        assert names == [f"The {name}" for name in expected.index]


def test_bars_join_classifiers_within_the_critical_difference_only(material: Material) -> None:
    panel, _ = draw("classifier_ranks", material).axes
    values = panel.collections[0].get_offsets()[:, 0]
    difference = ranks.critical_difference(4, 11)
    joined = [line.get_ydata() for line in panel.lines if line.get_xdata()[0] == line.get_xdata()[1]]
    assert joined
    for first, last in ((round(low + 0.25), round(high - 0.25)) for low, high in joined):
        assert (first, last) != (0, len(values) - 1)
        assert values[last] - values[first] <= difference
        assert last == len(values) - 1 or values[last + 1] - values[first] > difference
