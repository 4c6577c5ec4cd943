"""The study circuits: what models at several sizes decide and cost, counted here by itself."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from copies import ROOT, Place
from sklearn.tree import DecisionTreeClassifier

from modn import Circuit, MODNClassifier, circuit_path
from stages.config.schema import Parameters, Readable
from stages.fetch import fetch
from stages.fit import fit
from stages.io import files
from stages.io.entrypoint import StageError
from stages.resplit import resplit
from stages.study import circuit_section, circuits, reading, seeding

TITLES = {"caesarian": "Caesarian section"}
NO_BASELINES = pd.DataFrame(columns=["dataset", "title", "baseline", "name", "search", "run", "acc"])
SMOKE = (
    *("profile=smoke", "datasets=[caesarian]", "datasets/targets=[]"),
    *("circuits.datasets=[caesarian]", "circuits.sizes=[1,3]"),
    *("baselines=[modn]", "max_iterations=20", "readable.tree.grid.max_leaf_nodes=[4]"),
    *("readable.tree.grid.ccp_alpha=[0.0]", "readable.tree.grid.min_samples_leaf=[1,3]"),
)


def prepared(place: Place, *overrides: str) -> Parameters:
    parameters = place.variant(SMOKE, *overrides)
    fetch(parameters)
    resplit(parameters)
    return parameters


FITTED: dict[str, bytes] = {}  # the same for each test: it is fitted once, and copied


@pytest.fixture
def fitted(place: Place) -> Parameters:
    if not FITTED:
        parameters = prepared(place)
        for name in parameters.readable:
            fit(parameters, "circuits", name)
        FITTED.update(place.made())
    place.restore(FITTED)
    return place.parameters(*SMOKE)


def found(place: Place, name: str) -> dict[str, np.ndarray]:
    return files.read_arrays(place.root / f"data/models/circuits/{name}/caesarian.npz")


def parts_of(place: Place) -> dict[str, np.ndarray]:
    return files.read_arrays(place.root / "data/resplits/caesarian.npz")


@pytest.mark.slow
def test_a_circuit_is_that_of_the_neuron_of_the_baselines(place: Place, fitted: Parameters) -> None:
    fitted.baselines["modn"].grid.clear()
    fit(fitted, "baselines", "modn")
    neurons = files.read_arrays(place.root / "data/models/baselines/modn/caesarian.npz")
    circuit, parts = found(place, "circuit"), parts_of(place)
    np.testing.assert_array_equal(circuit["neuron_labels"], neurons["default_labels"])
    assert circuit["sizes"].tolist() == [[0, 1, 3], [0, 1, 3]]
    for run in range(2):
        seed = int(seeding.generator(100 + run, "baselines", "caesarian", "modn").integers(2**31))
        X, y = parts["X_train"][run], parts["y_train"][run]
        model = MODNClassifier(max_iter=20, random_state=seed).fit(X, y)
        path = circuit_path(model, X, y, random_state=seed)
        for k, size in enumerate((None, 1, 3)):
            own = path.circuit(size) if size else model.to_circuit(X, y, random_state=seed)
            np.testing.assert_array_equal(circuit["labels"][run][k], own.predict(parts["X_test"][run]))
            assert circuit["conditions"][run][k] == own.n_conditions <= (size or 60)
            assert circuit["gates"][run][k] == own.n_gates


@pytest.mark.slow
def test_a_tree_of_a_size_has_that_many_conditions(place: Place, fitted: Parameters) -> None:
    trees, parts = found(place, "tree"), parts_of(place)
    assert trees["conditions"][:, 1:].tolist() == [[1, 3], [1, 3]]
    assert np.isnan(trees["gates"]).all()
    seed = int(seeding.generator(100, "circuits", "caesarian", "tree").integers(2**31))
    tree = DecisionTreeClassifier(max_leaf_nodes=4, random_state=seed)
    tree.fit(parts["X_train"][0], parts["y_train"][0])
    np.testing.assert_array_equal(trees["labels"][0][2], tree.predict(parts["X_test"][0]))


@pytest.mark.slow
def test_the_tables_are_those_of_the_predictions(place: Place, fitted: Parameters) -> None:
    runs = circuits.runs(fitted, TITLES, NO_BASELINES)
    assert list(runs) == circuits.RUN and len(runs) == 2 * (1 + 3 + 3)
    truth = parts_of(place)["y_test"]
    neuron = found(place, "circuit")["neuron_labels"]
    table = circuits.summary(runs).set_index("model")
    assert list(table.index) == ["neuron", "circuit", "tree"]
    assert table.loc["neuron", "acc_mean"] == pytest.approx(np.mean(neuron == truth))
    for model in ("circuit", "tree"):
        arrays = found(place, model)
        share = np.mean(arrays["labels"][:, 0] == truth)
        assert table.loc[model, "acc_mean"] == pytest.approx(share)
        assert table.loc[model, "conditions"] == arrays["conditions"][:, 0].mean()
        assert table.loc[model, "to_neuron"] == pytest.approx(share - np.mean(neuron == truth))
    sizes = circuits.sizes(runs)
    assert sizes[["model", "size"]].to_numpy().tolist() == [
        [model, size] for model in ("circuit", "tree") for size in (1, 3)
    ]
    share = np.mean(found(place, "tree")["labels"][:, 2] == truth)
    assert sizes["acc_mean"].iloc[3] == pytest.approx(share)


def test_a_baseline_stands_beside_them(fitted: Parameters) -> None:
    columns = [*NO_BASELINES]
    rows = [
        ("caesarian", "Caesarian section", "ebm", "EBM", search, 0, 0.5) for search in ("default", "grid")
    ]
    rows.append(("caesarian", "Caesarian section", "svm", "SVM", "default", 0, 0.6))
    table = circuits.summary(circuits.runs(fitted, TITLES, pd.DataFrame(rows, columns=columns)))
    assert list(table["model"]) == ["neuron", "circuit", "tree", "ebm"]
    assert table["acc_mean"].iloc[3] == 0.5 and np.isnan(table["conditions"].iloc[3])
    assert circuits.headline(table)["ebm"] == {"acc": 0.5}


@pytest.mark.slow
def test_the_circuit_that_is_drawn_decides_in_the_features_own_units(
    place: Place, fitted: Parameters
) -> None:
    first = circuits.first_circuits(fitted)
    drawn = circuits.drawn(fitted, first)  # figures.circuit is no part of the study: the first dataset
    assert set(drawn) == {"circuit/caesarian", "circuit/seed"} and drawn["circuit/seed"] == 100
    circuit = Circuit.from_dict(json.loads(str(drawn["circuit/caesarian"])))
    parts, tidy = parts_of(place), pd.read_csv(place.root / "data/tables/caesarian.csv")
    assert [feature.name for feature in circuit.features] == [*tidy.columns[:-1]]
    rows = tidy.iloc[parts["test_rows"][0], :-1]
    expected = parts["classes"][found(place, "circuit")["labels"][0][0]]
    np.testing.assert_array_equal(circuit.predict(rows.to_numpy()), expected)


def test_cells_are_quoted_of_the_very_circuit_only(place: Place, fitted: Parameters) -> None:
    first = circuits.first_circuits(fitted)
    path = place.root / "data/raw/measured/circuit_cells.csv"
    header = path.read_text().partition("\n")[0]
    path.write_text(f"{header}\n{circuits.digest('another')},caesarian,1,2,40,0.23\n")
    cells = circuits.cells(first, TITLES)
    assert cells["cells"].isna().all() and cells["yosys"].tolist() == [""]
    assert "Yosys" not in circuit_section._cells(cells)
    path.write_text(f"{header}\n{circuits.digest(first['caesarian'])},caesarian,1,2,40,0.23\n")
    text = circuit_section._cells(circuits.cells(first, TITLES))
    assert "Yosys 0.23" in text and text.endswith(" 40 |")


def test_the_committed_cells_can_be_quoted() -> None:
    measured = files.read_csv(ROOT / "data/raw/measured/circuit_cells.csv")
    assert measured["circuit"].is_unique and measured["circuit"].str.fullmatch("[0-9a-f]{16}").all()
    assert (measured["cells"] > 0).all() and (measured["conditions"] > 0).all()


@pytest.mark.slow
def test_a_model_without_its_package_is_left_out_and_that_is_said(
    place: Place, fitted: Parameters, capsys: pytest.CaptureFixture[str]
) -> None:
    fitted.readable["figs"] = Readable("FIGS", "nowhere.Classifier")
    fit(fitted, "circuits", "figs")
    assert "fit: figs is left out: the package nowhere is not installed" in capsys.readouterr().out
    runs = circuits.runs(fitted, TITLES, NO_BASELINES)
    table, sizes = circuits.summary(runs), circuits.sizes(runs)
    cells = circuits.cells(circuits.first_circuits(fitted), TITLES)
    text = circuit_section.write(fitted, {"circuits": table, "circuit_sizes": sizes, "circuit_cells": cells})
    assert "Left out, because their packages were not installed: FIGS." in text
    assert "| Decision tree | 0." in text and "| Neuron | 0." in text


def test_the_section_opens_with_its_answer() -> None:
    rows = [
        ("a", "circuit", "Circuit", 0.9, -0.02, 8.0),
        ("b", "circuit", "Circuit", 0.8, 0.0, 12.0),
        ("a", "tree", "Decision tree", 0.85, -0.07, 5.0),
        ("b", "tree", "Decision tree", 0.81, 0.01, 5.0),
        ("a", "ebm", "EBM", 0.95, 0.03, np.nan),
    ]
    table = pd.DataFrame(rows, columns=["dataset", "model", "name", "acc_mean", "to_neuron", "conditions"])
    assert circuit_section._answer(table) == (
        "**A circuit of 10.0 conditions is 1.0 points below its neuron** in the mean. It is ahead of "
        "Decision tree on 1 of 2 datasets (0.850 against 0.830 in the mean)."
    )
    assert circuit_section._answer(table[table["model"] == "tree"]) == ""


def test_figs_gives_the_same_twice_although_it_draws_from_the_global_generator() -> None:
    pytest.importorskip("imodels")
    rng = np.random.default_rng(0)
    X, y = rng.integers(3, size=(60, 8)).astype(float), rng.integers(3, size=60)  # many ties
    figs = Readable("", "imodels.FIGSClassifier", grid={"max_rules": [2, 5]}, size="max_rules")
    one, two = (reading.read_one(figs, [1, 4], 2, 7, X, y, X)[0] for _ in range(2))
    for key in one:
        np.testing.assert_array_equal(one[key], two[key])
    assert one["conditions"][1:].tolist() == [1, 4] and one["conditions"][0] in (2, 5)


def test_a_model_without_a_size_is_fitted_once_and_what_cannot_be_counted_is_missing() -> None:
    X, y = np.arange(20.0)[:, None], np.arange(20) // 10
    knn = Readable("", "sklearn.neighbors.KNeighborsClassifier", standardise=True)
    arrays, _ = reading.read_one(knn, [1, 4], 2, 0, X, y, X)
    assert arrays["sizes"].tolist() == [0] and np.isnan(arrays["conditions"]).all()


def test_without_datasets_there_is_no_such_study(place: Place) -> None:
    parameters = place.variant(SMOKE, "circuits.datasets=[wine]")  # which is not chosen
    assert set(parameters.derived["fits"]) == {"modn"}
    runs = circuits.runs(parameters, TITLES, NO_BASELINES)
    tables = {"circuits": circuits.summary(runs), "circuit_sizes": circuits.sizes(runs)}
    assert all(table.empty for table in tables.values())
    cells = circuits.cells(circuits.first_circuits(parameters), TITLES)
    assert circuit_section.write(parameters, tables | {"circuit_cells": cells}) == ""
    assert circuits.drawn(parameters, {}) == {} and circuits.headline(tables["circuits"]) == {}


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("circuits.datasets=[irsi]", r"circuits.datasets is 'irsi'; allowed: .*iris"),
        ("circuits.beside=[bem]", r"circuits.beside is 'bem'; allowed: .*ebm"),
        ("circuits.sizes=[0]", r"circuits.sizes is \[0\]; allowed: "),
        ("figures.circuit=wein", r"figures.circuit is 'wein'; allowed: .*wine"),
        ("readable=[nope]", r"readable has no 'nope'; allowed: circuit, tree"),
        ("readable.tree.estimator=os.system", r"readable.tree.estimator is 'os.system'; allowed: "),
        ("readable.tree.grid.ccp_alpha=[]", r"readable.tree.grid.ccp_alpha is \[\]; allowed: at least one"),
        ("readable.tree.size=a-b", r"readable.tree.size is 'a-b'; allowed: the name of a parameter"),
    ],
)
def test_what_is_not_allowed_is_refused(place: Place, override: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        place.changed(override, *SMOKE)


@pytest.mark.slow
def test_a_parameter_that_a_model_lacks_is_refused(place: Place) -> None:
    with pytest.raises(StageError, match=r"no key 'readable.tree.parameters.deep'; allowed: .*max_depth"):
        fit(prepared(place, "+readable.tree.parameters.deep=3"), "circuits", "tree")
    with pytest.raises(StageError, match=r"readable.tree.size is 'depth'; allowed: .*max_depth"):
        fit(prepared(place, "readable.tree.size=depth"), "circuits", "tree")
    with pytest.raises(StageError, match=r"baseline=knn is unknown; allowed: circuit, tree"):
        fit(prepared(place), "circuits", "knn")


@pytest.mark.parametrize("path", sorted((ROOT / "conf/readable").rglob("*.yaml")), ids=lambda p: p.stem)
def test_every_model_of_conf_has_a_size(path: Path) -> None:
    assert "\nsize: " in path.read_text(), "so that it is in the figure of accuracy over size"
