"""The study targets: numbers and labels, from a dataset's conf file to the report."""

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from copies import ROOT, Outcome, Place, Project, copy_of
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from stages.config.checks import check_parameters
from stages.config.schema import TASKS, Dataset, Parameters, Predictor, TaskEstimator
from stages.fetch import clean, fetch
from stages.fit import fit
from stages.io import files
from stages.io.entrypoint import StageError
from stages.resplit import resplit
from stages.study import predicting, targets, targets_section

SMOKE = (
    *("profile=smoke", "datasets=[caesarian]", "baselines=[knn]"),
    *("targets.resplits=2", "predictors=[linear]"),
)
CONF = ROOT / "conf/datasets/targets"


def prepared(place: Place, *overrides: str) -> Parameters:
    parameters = place.variant(SMOKE, *overrides)
    fetch(parameters)
    resplit(parameters)
    return parameters


def parts_of(place: Place, dataset: str) -> dict[str, np.ndarray]:
    return files.read_arrays(place.root / f"data/targets/{dataset}.npz")


def found(place: Place, name: str, dataset: str) -> dict[str, np.ndarray]:
    return files.read_arrays(place.root / f"data/models/targets/{name}/{dataset}.npz")


def tables_of(parameters: Parameters) -> dict[str, pd.DataFrame]:
    summary = targets.summary(targets.runs(parameters))
    return {
        "targets": summary,
        "target_ranks": targets.ranked(summary),
        "target_datasets": targets.sizes(parameters),
    }


# Datasets and parts


@pytest.mark.parametrize("path", sorted(CONF.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_bundled_dataset_has_a_source_and_at_most_1503_rows(path: Path) -> None:
    dataset = yaml.safe_load(path.read_text())
    assert dataset["file"] == f"data/raw/targets/{path.stem}.csv"
    content = (ROOT / dataset["file"]).read_bytes()
    assert hashlib.sha256(content).hexdigest() == dataset["sha256"]
    assert content.count(b"\n") <= 1504
    header = content.partition(b"\n")[0].decode().split(",")
    assert header[-len(dataset["targets"]) :] == dataset["targets"]
    assert f"| {path.stem}.csv |" in (ROOT / "data/raw/SOURCES.md").read_text()


def test_there_are_three_datasets_of_numbers_and_two_of_labels() -> None:
    tasks = [yaml.safe_load(path.read_text())["task"] for path in CONF.glob("*.yaml")]
    assert tasks.count("regression") >= 3 and tasks.count("labels") >= 2


def test_parts_are_scaled_by_the_training_part_and_the_targets_are_the_datasets_own(place: Place) -> None:
    prepared(place)
    parts = parts_of(place, "slump")
    raw = pd.read_csv(ROOT / "data/raw/targets/slump.csv")
    assert parts["targets"].tolist() == ["slump", "flow", "strength"]
    assert parts["features"].tolist() == raw.columns[:-3].tolist()
    assert parts["y_test"].shape == (2, 31, 3) and parts["y_train"].shape == (2, 72, 3)
    for run in range(2):
        train, test = parts["train_rows"][run], parts["test_rows"][run]
        assert sorted([*train, *test]) == list(range(103))
        np.testing.assert_array_equal(parts["y_test"][run], raw.iloc[test, -3:])
        np.testing.assert_array_equal(parts["low"][run], raw.iloc[train, :-3].min())
        assert parts["X_train"][run].min() == 0 and parts["X_train"][run].max() == 1
    assert set(parts["test_rows"][0]) != set(parts["test_rows"][1])
    assert np.unique(parts_of(place, "emotions")["y_train"]).tolist() == [0, 1]
    table1 = (place.root / "data/table1.csv").read_text()
    assert "caesarian" in table1 and "slump" not in table1, "the paper's table is the paper's"


RAW = {"x": ["1", "2", "4", "3"], "a": ["0", "1", "1", "0"], "b": ["0.5", "2", "7", "1"]}


def cleaned(task: str, columns: list[str], **changes: list[str]) -> pd.DataFrame:
    dataset = Dataset("Mine", "data/raw/mine.csv", task=task, targets=columns)
    return clean(pd.DataFrame(RAW | changes), "mine", dataset)


def test_targets_are_last_and_numbers() -> None:
    tidy = cleaned("regression", ["a"])
    assert tidy.columns.tolist() == ["x", "b", "a"] and tidy["a"].tolist() == [0, 1, 1, 0]
    assert cleaned("labels", ["a"])["b"].tolist() == [0.5, 2, 7, 1]


@pytest.mark.parametrize(
    ("task", "columns", "changes", "message"),
    [
        (
            "regression",
            ["c"],
            {},
            r"mine.csv: column 'c' is missing; allowed: x, a, b \(recipe: conf/datasets/targets/mine",
        ),
        (
            "regression",
            ["b"],
            {"b": ["1", "high", "2", "3"]},
            r"'high' in line 1, column 'b', is not a finite",
        ),
        ("regression", ["b"], {"b": ["1", "", "2", "3"]}, r"a target is missing in line 1, column 'b'"),
        ("regression", ["b"], {"b": ["2", "2", "2.0", "2"]}, r"column 'b' has one value; at least two"),
        ("labels", ["a", "b"], {}, r"0.5 in lines 0, 1, 2, column 'b', is no label; allowed: 0 and 1"),
        ("labels", ["x", "a", "b"], {}, r"there is no feature column beside a target"),
    ],
)
def test_a_target_that_cannot_be_used_is_named(
    task: str, columns: list[str], changes: dict[str, list[str]], message: str
) -> None:
    with pytest.raises(StageError, match=message):
        cleaned(task, columns, **changes)


def test_a_label_that_no_training_row_has_is_said(place: Place) -> None:
    rare = pd.DataFrame({"x": range(10), "a": [1] + [0] * 9})
    rare.to_csv(place.root / "data/raw/targets/emotions.csv", index=False)
    own = ("targets.datasets.emotions.sha256=null", "targets.datasets.emotions.targets=[a]")
    with pytest.raises(StageError, match=r"emotions: target number 0 has one value in the training part"):
        prepared(place, "datasets/targets=[emotions]", "seed=4", "targets.resplits=9", *own)


# Fits


@pytest.mark.slow
def test_what_is_stored_are_the_predictions_of_the_model_on_the_test_part(place: Place) -> None:
    parameters = prepared(place, "max_iterations=null")
    fit(parameters, "targets", "linear")
    for dataset, model in (("slump", Ridge()), ("emotions", OneVsRestClassifier(LogisticRegression()))):
        parts, stored = parts_of(place, dataset), found(place, "linear", dataset)
        for run in range(2):
            scaler = StandardScaler().fit(parts["X_train"][run])
            model.fit(scaler.transform(parts["X_train"][run]), parts["y_train"][run])
            X = scaler.transform(parts["X_test"][run])
            np.testing.assert_allclose(stored["predictions"][run], model.predict(X))
            if dataset == "emotions":
                np.testing.assert_allclose(stored["scores"][run], model.predict_proba(X))


def test_numbers_are_scaled_within_the_training_part() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 2)), 1e6 + 1000 * rng.random((40, 1))
    svr = TaskEstimator("", "sklearn.svm.SVR", per_output=True, standardise_targets=True)
    arrays, _ = predicting.predict_one(svr, "regression", 0, X[:30], y[:30], X[30:])
    mean, deviation = y[:30].mean(), y[:30].std()
    expected = SVR().fit(X[:30], (y[:30, 0] - mean) / deviation).predict(X[30:]) * deviation + mean
    np.testing.assert_allclose(arrays["predictions"][:, 0], expected)


def test_a_forest_has_a_score_for_each_label() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 3)), rng.integers(2, size=(60, 4))
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    scores = predicting.label_scores(forest, X)
    assert scores.shape == (60, 4)
    np.testing.assert_array_equal(scores > 0.5, forest.predict(X).astype(bool) & (scores != 0.5))


PREDICTORS = sorted(path.stem for path in (ROOT / "conf/predictors").glob("*.yaml"))


@pytest.mark.slow
@pytest.mark.parametrize("name", PREDICTORS)
def test_every_model_of_conf_predicts_every_task(place: Place, name: str) -> None:
    few_rows = ("targets.resplits=1", "targets.datasets.emotions.test_size=450")
    fit(prepared(place, f"predictors=[{','.join(PREDICTORS)}]", *few_rows), "targets", name)
    for dataset, shape in (("slump", (1, 31, 3)), ("emotions", (1, 450, 6))):
        stored = found(place, name, dataset)
        assert stored["predictions"].shape == stored["scores"].shape == shape
        assert np.isfinite(stored["scores"]).all()
    labels = found(place, name, "emotions")
    assert np.isin(labels["predictions"], (0, 1)).all() and len(np.unique(labels["scores"])) > 2


@pytest.mark.slow
def test_a_model_of_one_task_leaves_the_others_datasets_out(place: Place) -> None:
    parameters = prepared(place, "predictors.linear.labels=null")
    fit(parameters, "targets", "linear")
    files_made = [path.name for path in (place.root / "data/models/targets/linear").iterdir()]
    assert files_made == ["slump.npz"]
    runs = targets.runs(parameters)
    assert set(runs["task"]) == {"regression"} and set(runs["name"]) == {"Ridge"}
    text = targets_section.write(parameters, tables_of(parameters))
    assert "**Numbers:**" in text and "**Labels:**" not in text


# Tables and the report


@pytest.mark.slow
def test_the_measures_are_of_the_test_parts_and_the_report_opens_with_the_answer(place: Place) -> None:
    parameters = prepared(place)
    fit(parameters, "targets", "linear")
    parameters.predictors["modn_adam"] = parameters.predictors["linear"]
    fit(parameters, "targets", "modn_adam")
    parameters.predictors["none"] = Predictor(TaskEstimator("Nothing", "nowhere.Regressor"))
    fit(parameters, "targets", "none")
    runs = targets.runs(parameters)
    assert runs.groupby(["task", "dataset", "baseline"]).size().tolist() == [2] * 4
    truth, stored = parts_of(place, "slump")["y_test"][1], found(place, "linear", "slump")["predictions"][1]
    rest = ((truth - stored) ** 2).sum(axis=0) / ((truth - truth.mean(axis=0)) ** 2).sum(axis=0)
    row = runs[(runs["dataset"] == "slump") & (runs["run"] == 1)].iloc[0]
    assert row["r2"] == pytest.approx(1 - rest.mean()) and np.isnan(row["micro_f1"])
    tables = tables_of(parameters)
    assert set(tables["targets"]["task"]) == set(TASKS) and "r2_std" in tables["targets"]
    ranks = tables["target_ranks"].set_index(["task", "baseline"])
    assert ranks.loc[("labels", "linear"), ["won", "tied", "lost"]].tolist() == [0, 1, 0]  # the same model
    text = targets_section.write(parameters, tables)
    assert text.startswith("- **Numbers:** Ridge has the best mean R2 over 1 dataset: Ridge 0.")
    assert "- **Labels:** Logistic regression has the best mean micro F1 over 1 dataset" in text
    assert "Left out, because their packages were not installed: Nothing." in text
    assert "| Concrete slump (3 outputs) | 103 | 7 | 3 | R2 |" in text
    assert set(targets.headline(tables["targets"])) == {"regression_r2", "labels_micro_f1"}


def test_without_datasets_there_is_no_such_study(place: Place) -> None:
    parameters = prepared(place, "datasets/targets=[]")
    assert not [name for name in parameters.derived["fits"] if name.startswith("targets")]
    tables = tables_of(parameters)
    assert all(table.empty for table in tables.values())
    assert targets_section.write(parameters, tables) == "" and targets.headline(tables["targets"]) == {}


@pytest.mark.slow
def test_the_study_runs_through_the_pipeline(
    finished: tuple[Project, Outcome], widened: tuple[Project, Outcome], tmp_path: Path
) -> None:
    before, project = finished[0].contents(), copy_of(widened[0], tmp_path)
    runs = pd.read_csv(project.root / "reports/smoke/tables/target_runs.csv")
    assert runs.groupby(["dataset", "baseline"]).size().tolist() == [2] * 4
    report = (project.root / "reports/smoke/report.md").read_text()
    assert "## Beyond the paper: numbers and labels\n\n- **Numbers:** " in report
    assert "figures/targets.png" in report
    after = project.contents()
    for name in ("table1", "table3", "table4", "table5", "runs", "baseline_runs", "circuit_runs", "claims"):
        same = after[f"reports/smoke/tables/{name}.csv"] == before[f"reports/quick/tables/{name}.csv"]
        assert same, f"{name}: the paper's tables stay the paper's"
    assert project.repro().ran == set()


# What is refused


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("targets.datasets.slump.task=ranking", r"slump.task is 'ranking'; allowed: labels, regression"),
        (
            "targets.datasets.slump.task=classification",
            r"slump.task is 'classification'; allowed: labels, reg",
        ),
        (
            "targets.datasets.slump.targets=[]",
            r"slump.targets is \[\]; allowed: at least one column, each once",
        ),
        ("targets.datasets.slump.targets=[flow,flow]", r"slump.targets is .*; allowed: each value once"),
        (
            "targets.datasets.slump.class_column=flow",
            r"class_column is 'flow'; allowed: none, since the task is reg",
        ),
        (
            "targets.datasets.slump.n_classes=3",
            r"slump.n_classes is 3; allowed: none, since the task is regression",
        ),
        (
            "targets.datasets.slump.drop_classes=[a]",
            r"drop_classes is \['a'\]; allowed: none, since the task",
        ),
        ("datasets.caesarian.task=labels", r"datasets.caesarian.task is 'labels'; allowed: classification"),
        (
            "datasets.caesarian.targets=[age]",
            r"caesarian.targets is \['age'\]; allowed: none, since the task is cl",
        ),
        ("datasets.caesarian.class_column=null", r"caesarian.class_column is None; allowed: a text"),
        ("datasets/targets=[nope]", r"datasets/targets has no 'nope'; allowed: airfoil, concrete"),
        ("predictors=[nope]", r"predictors has no 'nope'; allowed: hist_gradient_boosting, linear"),
        (
            "predictors.linear.labels.estimator=os.system",
            r"linear.labels.estimator is 'os.system'; allowed: ",
        ),
        ("targets.resplits=0", r"targets.resplits is 0; allowed: an integer from 1 to 10000"),
        ("targets.measures.labels=[r2]", r"targets.measures.labels is 'r2'; allowed: hamming, label_auc, "),
        (
            "targets.measures.regression=[]",
            r"targets.measures.regression is \[\]; allowed: at least one measure",
        ),
        ("measures=[acc,auc,r2]", r"measures is .*; allowed: acc and auc, and also ece, log_loss; each once"),
    ],
)
def test_what_is_not_allowed_is_refused(place: Place, override: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        place.changed(override, *SMOKE)


def test_a_dataset_is_in_one_study_and_a_predictor_does_something(place: Place) -> None:
    parameters = place.parameters(*SMOKE)
    parameters.predictors["linear"] = Predictor()
    with pytest.raises(
        ValueError, match=r"predictors.linear is \{\}; allowed: an estimator for at least one"
    ):
        check_parameters(parameters)
    parameters.targets.datasets["caesarian"] = parameters.targets.datasets["slump"]
    with pytest.raises(
        ValueError, match=r"targets.datasets is \[.*\]; allowed: none of datasets \(caesarian\)"
    ):
        check_parameters(parameters)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        (
            "predictors.linear.regression.estimator=sklearn.svm.SVC",
            r"estimator is 'sklearn.svm.SVC'; allowed: a reg",
        ),
        (
            "predictors.linear.labels.estimator=sklearn.svm.SVR",
            r"estimator is 'sklearn.svm.SVR'; allowed: a class",
        ),
        (
            "+predictors.linear.labels.parameters.k=3",
            r"no key 'predictors.linear.labels.parameters.k'; allowed: C",
        ),
    ],
)
def test_a_model_that_does_not_suit_its_task_is_refused(place: Place, override: str, message: str) -> None:
    parameters = prepared(place, "datasets/targets=[slump]", override)
    before = place.made()
    with pytest.raises(StageError, match=message):
        fit(parameters, "targets", "linear")
    assert place.made() == before


def test_a_regressor_is_no_baseline(place: Place) -> None:
    parameters = place.variant(SMOKE, "baselines.knn.estimator=sklearn.svm.SVR")
    with pytest.raises(
        StageError, match=r"baselines.knn.estimator is 'sklearn.svm.SVR'; allowed: a classifier"
    ):
        fit(parameters, "baselines", "knn")


def test_a_predictor_that_is_unknown_is_refused(place: Place) -> None:
    with pytest.raises(StageError, match=r"baseline=knn is unknown; allowed: linear"):
        fit(place.parameters(*SMOKE), "targets", "knn")
