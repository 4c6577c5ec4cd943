"""The plan of a run: its counts are those of the run, its times scale a record, and nothing is written."""

import json
import re
import sys
from typing import Any

import pytest
from copies import FEW, LEAST, LISTED, ROOT, Place, choices, contents, pairs

from stages.config.derived import derive
from stages.fetch import fetch
from stages.io import files
from stages.resplit import resplit
from stages.split import split
from stages.study import families
from stages.study.cells import all_cells, training_of
from stages.tools import evidence, plan
from stages.tools.plan import Part
from stages.train import train

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("composed_once_only")]

QUICK = ROOT / "reports/quick/provenance.json"


def table(text: str) -> dict[str, int]:
    """Stage -> tasks, as printed."""
    studies = "comparison|tuned|sensitivity|baselines|circuits|arena"
    rows = re.findall(rf"^((?:{studies}) \S+|all) +(\d+) ", text, re.MULTILINE)
    return {name: int(tasks) for name, tasks in rows}


def seconds_of(clock: str) -> float:
    if clock.endswith(" s"):
        return float(clock.removesuffix(" s"))
    hours, minutes, seconds = map(int, clock.split(":"))
    return 3600 * hours + 60 * minutes + seconds


def expected(text: str) -> tuple[int, float]:
    """Cores, and seconds of the whole run on them."""
    found = re.search(r"^Expected on (\d+) cores?: ([\d.:]+(?: s)?),", text, re.MULTILINE)
    assert found is not None, text
    return int(found[1]), seconds_of(found[2])


def chosen_in(record: dict[str, Any]) -> list[str]:
    """Overrides that choose what a record has, whatever else conf/ lists."""
    trained: dict[str, dict[str, str]] = {"comparison": {}, "tuned": {}, "sensitivity": {}, "arena": {}}
    fitted: dict[str, list[str]] = {"baselines": [], "circuits": [], "targets": []}
    for stage in record["stages"]:
        study, _, name = stage.partition(" ")
        if study in fitted:
            fitted[study].append(name)
        else:
            model, optimizer = name.split("-")
            before = trained[study].get(model)
            trained[study][model] = f"{before},{optimizer}" if before else optimizer
    datasets: dict[str, set[str]] = {"": set(), "targets": set()}
    for stage, made in record["stages"].items():
        datasets["targets" if stage.startswith("targets ") else ""] |= set(made["core_seconds"])
    return [
        f"datasets=[{','.join(sorted(datasets['']))}]",
        f"datasets/targets=[{','.join(sorted(datasets['targets']))}]",
        f"predictors=[{','.join(fitted['targets'])}]",
        f"baselines=[{','.join(fitted['baselines'])}]",
        f"readable=[{','.join(fitted['circuits'])}]",
        *pairs(trained["comparison"], trained["tuned"]),
        *([] if trained["arena"] else ["arena.datasets=[]"]),
    ]


def recorded(place: Place, profile: str = "quick") -> None:
    path = place.root / f"reports/{profile}/provenance.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((ROOT / f"reports/{profile}/provenance.json").read_bytes())


def test_the_plan_of_a_fresh_clone_counts_every_task_and_writes_nothing(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(place)
    before = contents(place.root, ".")
    overrides = "profile=smoke", "datasets=[iris,caesarian]", "datasets/targets=[]", "baselines=[dnm,knn]"
    monkeypatch.setattr(sys, "argv", ["plan", *overrides])
    plan.main()
    said = capsys.readouterr().out
    tasks = table(said)
    assert tasks["comparison modn-bbo"] == 2 * 2  # datasets, runs
    assert tasks["tuned dnm-bbo"] == 1 * 2  # two classes: caesarian
    assert tasks["sensitivity modn-bbo"] == 7 * 2  # iris: M is 4, 12, 20; two alpha_s, two alpha_t
    assert (tasks["baselines knn"], tasks["baselines dnm"]) == (2 * 2, 1 * 2)
    assert tasks["arena modnp-bp"] == 1 * 2 and "arena modn-bp" not in tasks  # P is discrete
    assert tasks.pop("all") == sum(tasks.values())
    assert expected(said)[0] == 1
    assert contents(place.root, ".") == before


REFUSED = {
    "alpha_s=-1": ["plan: alpha_s is -1.0", "> 0"],
    "profile=nope": ["plan: ", "profile has no 'nope'", "paper"],
    "--record=nope": [
        "plan: reports/nope/provenance.json is missing",
        "allowed: a profile that has a report",
    ],
}


@pytest.mark.parametrize("override", REFUSED)
def test_a_refused_value_is_named(
    override: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["plan", *LEAST, override])
    with pytest.raises(SystemExit) as end:
        plan.main()
    said = str(end.value)  # what Python prints, with the exit code 1
    assert "\n" not in said and capsys.readouterr().out == ""
    assert all(part in said for part in REFUSED[override]), said


def test_the_evaluations_are_those_of_a_run(place: Place) -> None:
    more = [f"optimizers=[{','.join(choices('optimizers'))}]"]
    more += ["comparison.modn=[es]", "comparison.modnp=[adam,pbil]", "tuned.methods.dnm=[bbo]"]
    known = {"modn", "modnp", "modnf", "dnm", "mlp"}
    for key, listed in (("comparison", LISTED["comparison"]), ("tuned.methods", LISTED["tuned"]["methods"])):
        own = {model: chosen for model, chosen in listed.items() if model not in known}
        more += [f"{key}.{model}=[{','.join(chosen)}]" for model, chosen in own.items()]
    parameters = place.parameters(*FEW, *more)
    fetch(parameters)
    split(parameters)
    cells = all_cells(parameters, {"iris": 3, "caesarian": 2}, {})
    assert {cell.family for cell in cells} == set(families.names())
    for training in parameters.derived["trainings"].values():
        train(parameters, training["study"], training["model"], training["optimizer"])
    for cell in cells:
        counted = files.read_arrays(files.MODELS / f"{cell.path}.npz")["evaluations"][0]
        planned = families.get(cell.family).evaluations(cell.settings, *training_of(parameters, cell))
        trained = len(cell.settings.get("theta_o", [1]))  # of a DNM the best is stored
        assert planned == trained * counted, cell


def test_a_run_like_the_record_takes_the_seconds_of_the_record(place: Place) -> None:
    recorded(place)
    record = json.loads(QUICK.read_text())
    parameters = place.parameters(*chosen_in(record), f"runtime.workers={record['cores']}")
    text = plan.plan(parameters, "quick")
    assert "Not in the record" not in text
    stages = record["stages"].values()
    core = sum(sum(stage["core_seconds"].values()) for stage in stages)
    (total,) = re.findall(r"^all +\d+ +(\S.*)$", text, re.MULTILINE)
    assert seconds_of(total) == pytest.approx(core, rel=0.01)
    stored = sum(stage["stored_seconds"] for stage in stages)  # that run did not wait for these tasks
    assert expected(text)[1] == pytest.approx(record["wall_seconds"] + stored / record["cores"], rel=0.1)


def test_ten_times_the_runs_take_ten_times_as_long(place: Place) -> None:
    recorded(place)
    parameters = place.parameters(
        "datasets=[iris]",
        "datasets/targets=[]",
        "baselines=[]",
        "readable=[tree]",
        "predictors=[linear]",
        "runtime.workers=1",
        "sensitivity.datasets=[]",
        "arena.datasets=[]",
    )

    def seconds(runs: int) -> float:
        parameters.runs = runs
        parameters.derived = derive(parameters)
        return expected(plan.plan(parameters, "quick"))[1]

    few, many = seconds(30), seconds(300)
    starts = (10 * few - many) / 9
    assert 0 <= starts < few / 2


def core_seconds(text: str) -> dict[str, float]:
    """Stage -> seconds of all its tasks, as printed."""
    rows = re.findall(r"^(\w+ \S+) +\d+ +([\d.:]+(?: s)?)$", text, re.MULTILINE)
    return {stage: seconds_of(clock) for stage, clock in rows}


def test_the_plan_of_the_paper_is_near_what_it_took(place: Place) -> None:
    """By its own record, but for rounding; from a tenth of the work, within a third in all."""
    if not evidence.examine(ROOT, "paper").current:
        pytest.skip("reports/paper was made by other code, which may be slower or faster")
    for name in ("paper", "quick"):
        recorded(place, name)
    parameters = place.parameters("profile=paper")
    made = json.loads((ROOT / "reports/paper/provenance.json").read_text())["stages"]
    for profile, off in (("paper", 0.02), ("quick", 1 / 3)):
        text = plan.plan(parameters, profile)
        planned = core_seconds(text)
        lacking = set(re.findall(r"^Not in the record: (\w+ \S+) on", text, re.MULTILINE))
        # Which fits there are depends on the packages that are installed.
        both = [stage for stage in planned if stage in made and stage not in lacking]
        assert {stage for stage in made if stage.startswith("comparison")} - lacking <= set(both)
        took = sum(sum(made[stage]["core_seconds"].values()) for stage in both)
        assert sum(planned[stage] for stage in both) == pytest.approx(took, rel=off), profile


def test_the_record_of_a_part_of_a_profile_is_not_taken_for_the_whole(place: Place) -> None:
    path = place.root / "reports/smoke/provenance.json"
    path.parent.mkdir(parents=True)
    assert plan._recorded("smoke") == "quick"
    for overrides, expected in ((("profile=smoke",), "smoke"), (("profile=smoke", "runs=1"), "quick")):
        path.write_text(json.dumps({"parameters_sha256": place.parameters(*overrides).derived["sha256"]}))
        assert plan._recorded("smoke") == expected


def test_what_the_record_lacks_is_taken_from_the_closest_and_said(place: Place) -> None:
    recorded(place)
    recorded_pairs = pairs({"modn": "bbo", "modnp": "bp", "modnf": "bbo,pso"}, {"modn": "bbo", "mlp": "bp"})
    lacking = ["+comparison.mlp=[pso]", "datasets=[iris]", "baselines=[modn,knn]", "arena.datasets=[]"]
    text = plan.plan(place.parameters(*recorded_pairs, *lacking), "quick")
    assert "Not in the record: comparison mlp-pso on iris: as comparison modn-pso on iris" in text
    assert text.count("Not in the record") == 1


def test_the_closest_has_the_same_optimizer_then_model_then_study_then_size() -> None:
    wanted = Part("comparison", "modn", "pso", "mine", 1000)
    others = [
        Part("comparison", "modn", "pso", "car", 1100),
        Part("comparison", "modn", "pso", "wine", 5000),
        Part("tuned", "modn", "pso", "iris", 1000),
        Part("comparison", "modnf", "pso", "iris", 1000),
        Part("comparison", "modn", "bbo", "iris", 1000),
        Part("baselines", "modn", "", "iris", 1000),
    ]
    assert sorted(reversed(others), key=wanted.distance) == others


def test_every_baseline_is_planned_on_the_datasets_that_it_is_fitted_on(place: Place) -> None:
    parameters = place.parameters(
        "profile=smoke", "datasets=[iris,caesarian]", "datasets/targets=[]", "baselines=[dnm,knn]"
    )
    fetch(parameters)
    resplit(parameters)
    fits = {(part.model, part.dataset) for part in plan.work_of(parameters) if part.study == "baselines"}
    assert ("dnm", "caesarian") in fits and ("dnm", "iris") not in fits and ("knn", "iris") in fits
