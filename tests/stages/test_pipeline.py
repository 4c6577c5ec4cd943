"""The pipeline end to end, with DVC's own commands, in copies of the project without any remote."""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from copies import FEW, SMALL, Outcome, Project, copy_of

from modn.neuron import Neuron
from stages.io import files

UPSTREAM = {"fetch", "split", "resplit"}
DOWNSTREAM = {"evaluate", "plot", "report"}
BBO, PSO = "train@comparison-modnf-bbo", "train@comparison-modnf-pso"
FITS = {"fit@modn", "fit@knn", "fit@circuits-circuit", "fit@circuits-tree"}
ARENA = "arena"


def reports(project: Project) -> dict[str, bytes]:
    return {name: data for name, data in project.contents().items() if name.startswith("reports/")}


def test_the_first_run_makes_the_report(finished: tuple[Project, Outcome]) -> None:
    project, outcome = finished
    assert outcome.ran >= UPSTREAM | {BBO, PSO, ARENA} | FITS | DOWNSTREAM
    made = reports(project)
    assert {"reports/quick/report.md", "reports/quick/metrics.json"} <= set(made)
    report = made["reports/quick/report.md"].decode()
    assert "Iris" in report and "Caesarian section" in report and "BBO" in report
    assert "**After 600 evaluations" in report and "](figures/arena_curves.png)" in report
    metrics = json.loads(made["reports/quick/metrics.json"])
    for pair in ("modnf-bbo", "modnf-pso"):
        assert 0 < metrics["comparison"][pair]["acc"] <= 1
    tracked = project.succeed("git", "ls-files", "reports").split()
    assert set(tracked) == set(made) - {"reports/quick/index.html"}


def test_the_figures_of_the_report_are_there(finished: tuple[Project, Outcome]) -> None:
    project, _ = finished
    report = (project.root / "reports/quick/report.md").read_text()
    figures = [part.partition(")")[0] for part in report.split("](")[1:]]
    figures = [figure for figure in figures if figure.startswith("figures/")]
    assert figures
    for figure in figures:
        assert (project.root / "reports/quick" / figure).stat().st_size > 1000


def test_the_metrics_are_those_of_the_stored_neurons(finished: tuple[Project, Outcome]) -> None:
    """Counted here by itself, by the readable equations, from what train and split have written."""
    project, _ = finished
    metrics = json.loads((project.root / "reports/quick/metrics.json").read_text())
    for pair in ("modnf-bbo", "modnf-pso"):
        shares = []
        for dataset in ("iris", "caesarian"):
            trained = files.read_arrays(project.root / f"data/models/comparison/{pair}/{dataset}.npz")
            parts = files.read_arrays(project.root / f"data/splits/{dataset}.npz")
            X, y = parts["X_test"][0], parts["y_test"][0]
            for row, P in zip(trained["parameters"], trained["P"], strict=True):
                proba = Neuron.from_parameters(row, P, X.shape[1], 10.0, 1.0).predict_proba(X)
                right = [int(np.argmax(sample)) == label for sample, label in zip(proba, y, strict=True)]
                shares.append(sum(right) / len(right))
        # as many runs of each dataset: the mean of the means is the mean of all
        assert metrics["comparison"][pair]["acc"] == pytest.approx(np.mean(shares), abs=6e-5)  # of 4 digits


def test_the_baselines_are_those_of_what_the_classifiers_said(finished: tuple[Project, Outcome]) -> None:
    project, _ = finished
    metrics = json.loads((project.root / "reports/quick/metrics.json").read_text())
    for name in ("modn", "knn"):
        for search in ("default", "grid"):
            shares = []
            for dataset in ("iris", "caesarian"):
                said = files.read_arrays(project.root / f"data/models/baselines/{name}/{dataset}.npz")
                truth = files.read_arrays(project.root / f"data/resplits/{dataset}.npz")["y_test"]
                shares += [
                    float(np.mean(a == b)) for a, b in zip(said[f"{search}_labels"], truth, strict=True)
                ]
            assert len(shares) == 4
            assert metrics["baselines"][f"{name}-{search}"]["acc"] == pytest.approx(np.mean(shares), abs=6e-5)


@pytest.mark.slow
def test_a_second_run_has_nothing_to_do(project: Project) -> None:
    before = project.contents()
    outcome = project.repro()
    assert outcome.ran == outcome.restored == set()
    assert outcome.skipped >= UPSTREAM | {BBO, PSO} | DOWNSTREAM
    assert project.contents() == before
    assert project.succeed("git", "status", "--porcelain") == ""


@pytest.mark.slow
def test_alpha_s_runs_training_and_what_follows_and_its_diffs_can_be_reviewed(
    softened: tuple[Project, Outcome], tmp_path: Path
) -> None:
    project, outcome = copy_of(softened[0], tmp_path), softened[1]
    assert outcome.ran >= {BBO, PSO} | DOWNSTREAM
    assert outcome.skipped >= UPSTREAM | FITS  # the classifiers have an alpha_s of their own
    assert yaml.safe_load((project.root / "params.yaml").read_text())["alpha_s"] == 5
    assert "`alpha_s` 5.0 (10)" in (project.root / "reports/quick/report.md").read_text()

    project.commit("alpha_s = 5")
    project.succeed("git", "clone", "--quiet", ".", "clone")  # nothing of DVC's cache, and no remote
    clone = Project(project.root / "clone", project.site_cache)
    parameters = json.loads(clone.succeed("dvc", "params", "diff", "HEAD~1", "HEAD", "--json"))
    changed = {key: change for key, change in parameters["params.yaml"].items() if "derived" not in key}
    assert changed == {"alpha_s": {"old": 10.0, "new": 5.0, "diff": -5.0}}
    metrics = json.loads(clone.succeed("dvc", "metrics", "diff", "HEAD~1", "HEAD", "--json"))
    changes = metrics["reports/quick/summary.json"]
    assert "bbo_to_paper" in changes
    assert all(np.isfinite([change["old"], change["new"]]).all() for change in changes.values())
    clone.succeed("dvc", "plots", "diff", "HEAD~1", "HEAD", "--out", "page")
    page = (clone.root / "page/index.html").read_text()
    assert page.count('"rev": "HEAD~1"') > 1 and page.count('"rev": "HEAD"') > 1
    assert "Accuracy by dataset and method" in page and "Loss over iterations" in page
    assert "Iris" in page and page.count('"facet"') == 2, "a panel per dataset"


@pytest.mark.slow
def test_one_optimizers_parameter_runs_its_stages_only_and_changed_back_nothing(project: Project) -> None:
    """There without the figures and the report, which back again must be those of before."""
    before = project.contents()
    there = project.rerun("optimizers.pso.inertia=0.5", stages=["evaluate"])
    assert there.ran >= {PSO, "evaluate"}
    assert there.skipped >= UPSTREAM | {BBO}
    assert all("pso" in stage for stage in there.ran if "@" in stage)  # no other training, and no fit
    changed = project.contents()
    assert (
        changed["data/models/comparison/modnf-pso/iris.npz"]
        != before["data/models/comparison/modnf-pso/iris.npz"]
    )
    assert (
        changed["data/models/comparison/modnf-bbo/iris.npz"]
        == before["data/models/comparison/modnf-bbo/iris.npz"]
    )
    assert changed["reports/quick/metrics.json"] != before["reports/quick/metrics.json"]

    back = project.rerun()
    assert back.restored >= {PSO}
    assert not any("@" in stage for stage in back.ran)  # no training
    after = project.contents()
    differ = {name for name in before if after.get(name) != before[name]}
    made = ("reports/quick/index.html", "reports/quick/provenance.json")  # they say how long it took
    assert not [name for name in differ if name not in made and not name.startswith("data/provenance/")]
    assert set(after) == set(before)


@pytest.mark.slow
def test_tuning_adds_its_stages_and_its_parameters_run_only_them(project: Project) -> None:
    tuning = ["tuned.values=both", "tune.trials=2", "tune.folds=2", "tune.repeats=1", "tuned.methods.mlp=[]"]
    first = project.rerun(*tuning, stages=["evaluate"])
    tuned = {"tune@modn-bbo", "train@retuned-modn-bbo"}
    assert {stage for stage in first.ran if "@" in stage} == tuned
    assert first.skipped >= UPSTREAM | FITS | {BBO, PSO, "train@tuned-modn-bbo"}
    found = pd.read_csv(project.root / "reports/quick/tables/tuning.csv")  # its section: test_tune.py
    assert found["dataset"].tolist() == ["iris", "caesarian"]

    again = project.rerun(*tuning, "tune.trials=3", "alpha_s=5", stages=["train@retuned-modn-bbo"])
    assert "tune@modn-bbo" in again.ran and {stage for stage in again.ran if "@" in stage} <= tuned
    assert "runs were in data/store" in again.text, "not those of another alpha_s"


@pytest.mark.slow
def test_a_queued_sweep_is_readable(fresh: Project) -> None:
    fresh.succeed("python", "-m", "stages.tools.params", *SMALL)
    fresh.commit("One dataset and one training")
    settings = [part for override in SMALL for part in ("-S", override)]
    fresh.succeed("dvc", "exp", "run", "--queue", *settings, "-S", "alpha_s=choice(2,5)", "evaluate")
    assert fresh.succeed("dvc", "queue", "status").count("Queued") == 2
    fresh.succeed("dvc", "exp", "run", "--run-all")
    readable = ["--only-changed", "--drop", ".*(Created|derived|datasets|/).*"]
    table = pd.read_csv(io.StringIO(fresh.succeed("dvc", "exp", "show", "--csv", *readable)))
    swept = table[table["typ"].str.startswith("branch")]
    assert sorted(swept["alpha_s"]) == [2, 5] and swept["claims_hold"].notna().all()
    assert len(table.columns) < 15, list(table.columns)


@pytest.mark.slow
def test_nothing_depends_on_where_it_runs(project: Project) -> None:
    outcome = project.rerun("runtime.workers=2")
    assert outcome.ran == {"params"} and outcome.restored == set()


def test_every_stage_names_files_that_exist(project: Project) -> None:
    """A dependency that was renamed away would be found only by the user."""
    missing = yaml.safe_load(project.succeed("dvc", "status", "--json"))
    assert missing == {}


REFUSED = [  # by our checks, and by Hydra; test_refused_overrides.py has many more
    ("alpha_s=-1", ["alpha_s is -1.0", "allowed: a finite number > 0"]),
    ("datasets=[nope]", ["datasets has no 'nope'", "allowed: ", "blood_transfusion, "]),
]


@pytest.mark.parametrize(("override", "expected"), REFUSED, ids=[override for override, _ in REFUSED])
@pytest.mark.slow
def test_a_refused_experiment_says_why_and_changes_nothing(
    project: Project, override: str, expected: list[str]
) -> None:
    before = project.contents()
    done = project.run("dvc", "exp", "run", *(part for o in [*FEW, override] for part in ("-S", o)))
    assert done.returncode != 0
    assert all(part in done.stdout for part in expected), done.stdout
    assert "Running stage" not in done.stdout
    assert project.contents() == before
    assert project.succeed("git", "status", "--porcelain") == ""


@pytest.mark.slow
def test_an_edit_by_hand_is_refused_though_no_stage_that_would_run_reads_it(project: Project) -> None:
    """test_params_file.py has other edits."""
    path = project.root / "params.yaml"
    path.write_text(path.read_text().replace("  - pso\n", "", 1))
    edited = project.contents()
    done = project.run("dvc", "repro")
    reason = "derived.trainings.comparison-modnf-pso does not follow from the rest"
    assert done.returncode != 0 and reason in done.stdout, done.stdout
    assert "`make params` returns to the defaults" in done.stdout
    assert project.contents() == edited


@pytest.mark.slow
def test_a_failed_experiment_leaves_the_last_report_and_a_line_tells_what_is_in_force(
    project: Project,
) -> None:
    before = reports(project)
    raw = project.root / "data/raw/uci/iris.csv"
    raw.write_text(raw.read_text() + "1,2,3,4,Iris-setosa\n")
    settings = [part for override in [*FEW, "alpha_s=5"] for part in ("-S", override)]
    done = project.run("dvc", "exp", "run", *settings)
    assert done.returncode != 0
    assert "data/raw/uci/iris.csv is damaged" in done.stdout
    assert reports(project) == before
    line = project.succeed("python", "-m", "stages.tools.params", "--show")
    assert "alpha_s=5 (default 10)" in line and "`make params` returns to the defaults" in line
    assert project.succeed("python", "-m", "stages.tools.params") == "params: profile quick\n"
    project.succeed("git", "checkout", "--quiet", "data/raw", "params.yaml")
    assert project.repro().ran == {"params"}


@pytest.mark.slow
def test_another_profile_has_a_report_of_its_own(
    finished: tuple[Project, Outcome], widened: tuple[Project, Outcome]
) -> None:
    before, (project, outcome) = reports(finished[0]), widened
    assert outcome.ran >= DOWNSTREAM
    assert outcome.skipped >= {BBO, PSO}
    after = reports(project)
    assert {name: after[name] for name in before} == before
    assert "reports/smoke/report.md" in after


@pytest.mark.slow
def test_another_profile_alone_repeats_nothing_upstream(project: Project) -> None:
    upstream = {*UPSTREAM, BBO, PSO}
    smoke = project.rerun("profile=smoke", "targets.resplits=3", stages=sorted(upstream))
    assert smoke.skipped >= upstream and smoke.ran <= {"params"}
