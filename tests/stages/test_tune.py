"""tune: a function of parameters, training part and seed; it reads no test row; if killed, it resumes."""

import json
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest
from copies import LITTLE, SMOKE, Place, pairs

from stages.config.schema import Parameters, Tune
from stages.evaluate import evaluate
from stages.fetch import fetch
from stages.io import files, store
from stages.io.entrypoint import StageError
from stages.plot import plot
from stages.report import report
from stages.split import split
from stages.study import searching, tuning
from stages.study.searching import Search
from stages.train import train
from stages.tune import tune

METHOD = ("modn", "bbo")
SMALL = (
    *("baselines=[]", "max_iterations=2", "optimizers.bbo.population=10", "tuned.values=ours"),
    *("tune.trials=3", "tune.batch=2", "tune.folds=2", "tune.repeats=1"),
    *("circuits.datasets=[]", "sensitivity.datasets=[]", "figures.filters=[]", "arena.datasets=[]"),
    *pairs({"modnf": "bbo"}, {"modn": "bbo", "dnm": "bbo", "mlp": "bp"}),
)
RANGES = {"dendrites": [4, 60], "alpha_s": [1.0, 20.0], "alpha_t": [0.1, 2.0]}


def chosen(place: Place, *overrides: str) -> Parameters:
    return place.variant(SMOKE, *SMALL, *overrides)


def prepared(place: Place, *overrides: str) -> Parameters:
    parameters = chosen(place, *overrides)
    fetch(parameters)
    split(parameters)
    return parameters


def found(place: Place) -> dict[str, bytes]:
    return {name: data for name, data in place.made().items() if name.startswith("data/models/tuning/")}


def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of all tasks that are computed from now on."""
    names: list[str] = []
    run_tasks = store.run_tasks

    def counted(runtime: Any, function: Any, tasks: Any) -> Iterator[tuple[str, Any]]:
        for name, result in run_tasks(runtime, function, tasks):
            names.append(name)
            yield name, result

    monkeypatch.setattr(store, "run_tasks", counted)
    return names


@pytest.mark.slow
def test_the_values_are_within_their_ranges_and_those_of_the_best_complete_trial(place: Place) -> None:
    tune(prepared(place, "tune.repeats=2"), *METHOD)
    values = json.loads((place.root / "data/models/tuning/modn-bbo/values.json").read_text())
    assert set(values) == {"iris", "caesarian"}
    for dataset, own in values.items():
        arrays = files.read_arrays(place.root / f"data/models/tuning/modn-bbo/{dataset}.npz")
        assert arrays["acc"].shape == (3, 2, 2)
        complete = ~np.isnan(arrays["acc"]).any(axis=(1, 2))
        means = np.where(complete, arrays["acc"].mean(axis=(1, 2)), -1)
        best = int(arrays["best"])
        assert means[best] == means.max() and complete[best]
        assert own == {name: arrays[name][best] for name in ("dendrites", "alpha_s", "alpha_t")}
        for name, (low, high) in RANGES.items():
            assert ((arrays[name] >= low) & (arrays[name] <= high)).all()
        for alpha in arrays["alpha_s"]:
            assert float(f"{alpha:.2g}") == alpha


@pytest.mark.slow
def test_another_seed_is_another_search(place: Place) -> None:
    tune(prepared(place), *METHOD)
    before = found(place)
    tune(prepared(place, "seed=7"), *METHOD)
    assert found(place) != before


@pytest.mark.slow
def test_a_killed_search_trains_only_what_is_left(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = prepared(place)
    names = computed(monkeypatch)
    tune(parameters, *METHOD)
    undisturbed, every = found(place), set(names)
    place.forget()
    for path in (place.root / "data/models/tuning/modn-bbo").iterdir():
        path.unlink()
    counted = store.run_tasks
    names.clear()
    with monkeypatch.context() as context, pytest.raises(KeyboardInterrupt):

        def killed(*arguments: Any) -> Iterator[tuple[str, Any]]:
            yield from islice(counted(*arguments), 5)
            raise KeyboardInterrupt

        context.setattr(store, "run_tasks", killed)
        tune(parameters, *METHOD)
    kept = set(names[:5])
    assert found(place) == {}
    names.clear()
    tune(parameters, *METHOD)
    assert found(place) == undisturbed
    assert not kept & set(names) and kept | set(names) == every


@pytest.mark.slow
@pytest.mark.parametrize("method", [("modn", "bbo"), ("dnm", "bbo"), ("mlp", "bp")])
def test_no_test_row_is_read(place: Place, method: tuple[str, str]) -> None:
    parameters = prepared(place)
    tune(parameters, *method)
    before = found(place)
    place.forget()
    for path in (place.root / "data/splits").iterdir():
        arrays = files.read_arrays(path)
        poison = {
            "X_test": np.full_like(arrays["X_test"], np.nan),
            "y_test": np.full_like(arrays["y_test"], -999),
            "test_rows": arrays["test_rows"][:, ::-1],
        }
        files.write_arrays(path, arrays | poison)
    tune(parameters, *method)
    assert found(place) == before


def test_each_family_is_tuned_where_it_can_be(place: Place) -> None:
    parameters = prepared(place)
    tune(parameters, "dnm", "bbo")
    tune(parameters, "mlp", "bp")
    folder = place.root / "data/models/tuning"
    assert set(json.loads((folder / "dnm-bbo/values.json").read_text())) == {"caesarian"}  # two classes
    of_mlp = json.loads((folder / "mlp-bp/values.json").read_text())
    assert all(set(own) == {"dendrites"} for own in of_mlp.values())  # it has no alphas


@pytest.mark.parametrize("values", ["ours", "both"])
@pytest.mark.slow
@pytest.mark.usefixtures("coarse")
def test_the_report_answers_with_what_was_found(place: Place, values: str) -> None:
    parameters = prepared(place, f"tuned.values={values}")
    for search in parameters.derived["searches"].values():
        tune(parameters, search["model"], search["optimizer"])
    for training in parameters.derived["trainings"].values():
        train(parameters, training["study"], training["model"], training["optimizer"])
    evaluate(parameters)
    plot(parameters)
    report(parameters)
    folder = place.root / "reports/smoke"
    text = (folder / "report.md").read_text()
    section = text.partition("tuned without the test set\n")[2]
    assert "Had the test part chosen" in section.split("\n\n")[0]
    assert ("At values tuned without the test part" in section) == (values == "both")
    runs = files.read_csv(folder / "tables/runs.csv")
    own = json.loads((place.root / "data/models/tuning/modn-bbo/values.json").read_text())
    of_modn = runs[(runs["study"] == "retuned") & (runs["model"] == "modn")].drop_duplicates("dataset")
    assert dict(zip(of_modn["dataset"], of_modn["n_dendrites"], strict=True)) == {
        dataset: point["dendrites"] for dataset, point in own.items()
    }
    assert ("tuned" in set(runs["study"])) == (values == "both")
    searches = files.read_csv(folder / "tables/tuning.csv")
    assert len(searches) == 2 + 1 + 2 and (searches["by_test"] >= searches["by_cv"]).all()
    trials = files.read_csv(folder / "tables/tuning_trials.csv")
    assert len(trials) == 3 * len(searches) and trials["chosen"].sum() == len(searches)
    assert "retuned" in json.loads((folder / "metrics.json").read_text())
    made = json.loads((folder / "provenance.json").read_text())
    assert {"tuning modn-bbo", "retuned modn-bbo"} <= set(made["stages"]) and "optuna" in made["versions"]


@pytest.mark.slow
def test_the_studies_of_the_paper_do_not_notice(place: Place) -> None:
    """With our values beside the paper's, everything at the paper's has the same bytes."""
    parameters = prepared(place, "tuned.values=paper")
    train(parameters, "tuned", *METHOD)
    before = place.made()
    both = chosen(place, "tuned.values=both")
    place.forget()
    tune(both, *METHOD)
    train(both, "retuned", *METHOD)
    train(both, "tuned", *METHOD)
    after = place.made()
    assert [name for name in before if after[name] != before[name] and "provenance" not in name] == []


def test_a_method_that_is_not_tuned_is_refused(place: Place) -> None:
    with pytest.raises(StageError, match=r"model=modn optimizer=ga is not tuned; allowed: modn-bbo, "):
        tune(chosen(place), "modn", "ga")
    with pytest.raises(StageError, match=r"allowed: none, unless tuned\.values is ours or both"):
        tune(chosen(place, "tuned.values=paper"), *METHOD)
    assert place.made() == {}


def test_without_optuna_one_line_says_what_to_install(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = prepared(place)
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(StageError, match=r"^tune needs Optuna: pip install 'modn\[tune\]'$"):
        tune(parameters, *METHOD)
    assert found(place) == {}


def test_more_folds_than_rows_are_refused(place: Place) -> None:
    parameters = prepared(place, "tune.folds=70")
    with pytest.raises(StageError, match=r"tune.folds is 70; allowed: 2 to 64, .* rows of caesarian"):
        tune(parameters, *METHOD)


BAD = [
    ("tuned.values=theirs", "tuned.values is 'theirs'; allowed: both, ours, paper"),
    ("tuned.methods.modn=[nope]", "tuned.methods.modn is 'nope'; allowed: "),
    ("+tuned.modn=[bbo]", "there is no key 'tuned.modn'; allowed: methods, values"),
    ("tune.trials=0", "tune.trials is 0; allowed: an integer from 1 to 10000"),
    ("tune.batch=0", "tune.batch is 0; allowed: an integer from 1 to 10000"),
    ("tune.folds=1", "tune.folds is 1; allowed: an integer from 2 to 10000"),
    ("tune.repeats=0", "tune.repeats is 0; allowed: an integer from 1 to 10000"),
    ("tune.dendrites=[60,4]", "tune.dendrites is [60, 4]; allowed: [lowest, highest], each an integer >= 1"),
    ("tune.dendrites=[4]", "tune.dendrites is [4]; allowed: [lowest, highest], each an integer >= 1"),
    (
        "tune.alpha_s=[0,20]",
        "tune.alpha_s is [0.0, 20.0]; allowed: [lowest, highest], each a finite number > 0",
    ),
    ("tune.alpha_t=[]", "tune.alpha_t is []; allowed: [lowest, highest]"),
]


@pytest.mark.parametrize(("override", "message"), BAD, ids=[override for override, _ in BAD])
def test_values_that_are_not_allowed(place: Place, override: str, message: str) -> None:
    with pytest.raises(ValueError) as refusal:
        place.changed(override, *LITTLE)
    assert message in str(refusal.value)


# The search


def new_search(names: tuple[str, ...] = tuple(RANGES), multiple_of: int = 1, **changes: Any) -> Search:
    chosen = Tune(**{"trials": 20, "batch": 5, "folds": 2, "repeats": 2, **RANGES, **changes})
    return Search(chosen, names, multiple_of, seed=0)


def test_it_finds_the_best_part_of_the_range_and_prunes() -> None:
    """On accuracies that fall with the distance of log alpha_s from that of 4, without noise."""
    search = new_search(("dendrites", "alpha_s"))
    for _ in range(8):
        search.ask(5)
        while search.at_work():
            search.tell(
                {
                    trial.number: [1 - abs(np.log(trial.values["alpha_s"] / 4)) / 3] * 2
                    for trial in search.at_work()
                }
            )
    assert 3.2 < search.best().values["alpha_s"] < 5
    repeats = [len(trial.accuracies) for trial in search.trials]
    assert repeats[:5] == [2] * 5  # there is nothing yet to compare with
    assert 5 < repeats.count(1) < 35
    pruned = [trial.accuracy for trial in search.trials if len(trial.accuracies) == 1]
    assert max(pruned) < search.best().accuracy


def test_of_equals_the_first_is_chosen() -> None:
    search = new_search(repeats=1)
    search.ask(3)
    search.tell({0: [0.5, 0.5], 1: [0.4, 1.0], 2: [0.7, 0.7]})
    assert search.best().number == 1 and search.at_work() == []


def test_dendrites_are_multiples_where_each_class_has_its_own() -> None:
    search = new_search(multiple_of=7, dendrites=[5, 30])
    search.ask(30)
    assert {trial.values["dendrites"] for trial in search.trials} == {7, 14, 21, 28}
    with pytest.raises(StageError, match=r"is \[4, 6\]; allowed: a range with a multiple of 7"):
        new_search(multiple_of=7, dendrites=[4, 6])


def test_an_end_of_the_range_is_not_left_by_rounding() -> None:
    search = new_search(("dendrites", "alpha_t"), alpha_t=[0.1111, 0.1112])
    search.ask(3)
    assert {trial.values["alpha_t"] for trial in search.trials} == {0.1111}
    assert searching.DIGITS == 2


# The optimism


def test_candidates_that_differ_by_luck_alone_are_all_optimism() -> None:
    rng = np.random.default_rng(0)
    right = (rng.random((30, 100)) < 0.7).astype(float)
    lucky = tuning.optimism(right)
    assert 0.08 < lucky < 0.2  # the best of 30 on 50 rows: about two of their standard errors of 0.065
    assert tuning.optimism(np.repeat(right[:1], 30, axis=0)) == pytest.approx(0, abs=0.01)  # no choice
    assert np.isnan(tuning.optimism(right[:, :1]))


def test_a_candidate_that_is_truly_better_is_no_optimism() -> None:
    right = np.zeros((3, 40))
    right[1] = 1
    assert tuning.optimism(right) == 0
