"""The study `arena`: equal evaluations, counted independently; the same rows for all; any subset reports."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import yaml
from copies import LISTED, ROOT, SMOKE, Place
from results import make_arena

from modn import methods
from modn.fast.objective import Objective
from modn.methods import Method
from stages.arena import arena as run_arena
from stages.config.schema import Parameters
from stages.fetch import fetch
from stages.io import files
from stages.io.entrypoint import StageError
from stages.resplit import resplit
from stages.study import arena, arena_section, families, seeding
from stages.study.cells import Cell
from stages.study.competing import Recorded, compete, marks_of
from stages.study.families.modn import problem_of

GRADIENT = 4.0
BUDGETS = [300, 700]
rng = np.random.default_rng(0)
X, y = rng.random((30, 3)), np.arange(30) % 2


def cell(filter: str, optimizer: str = "any") -> Cell:
    settings = {"family": "modn", "filter": filter}
    return Cell("arena", "own", "modn", optimizer, 4, 2, 10.0, 1.0, settings)


def small(solver: str, filter: str) -> Method:
    """Of 10 individuals, or a few more where the algorithm needs them."""
    method = methods.make(solver, filter, filter_iterations=3)
    optimizer = getattr(method, "optimizer", None)
    return (
        replace(method, optimizer=replace(optimizer, population=min(optimizer.population, 10)))
        if optimizer
        else method
    )


class Counted:
    """How many individuals the objectives of all kinds evaluate, with and without gradients."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.losses = self.gradients = 0
        loss, gradient = Objective.loss, Objective._loss_and_gradient

        def counted_loss(own: Objective, *arguments: np.ndarray) -> np.ndarray:
            found = loss(own, *arguments)
            self.losses += len(found)
            return found

        def counted_gradient(own: Objective, *arguments: np.ndarray) -> tuple[np.ndarray, ...]:
            found = gradient(own, *arguments)
            self.gradients += len(found[0])
            return found

        monkeypatch.setattr(Objective, "loss", counted_loss)
        monkeypatch.setattr(Objective, "_loss_and_gradient", counted_gradient)

    @property
    def cost(self) -> float:
        return self.losses + GRADIENT * self.gradients


PAIRS = [
    (solver, filter)
    for solver in [*methods.solvers(), f"de{methods.JOINED}adam"]
    for filter in ("learned", "partition")
    if filter == "partition" or methods.learns_filter(solver)
]


@pytest.mark.parametrize(("solver", "filter"), PAIRS)
def test_every_method_stays_within_the_budget_and_uses_it(
    solver: str, filter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(monkeypatch)
    method = small(solver, filter)
    found, _ = compete(cell(filter), method, BUDGETS, GRADIENT, 100, X, y)
    allowed = sum(BUDGETS) if method.plans_ahead else BUDGETS[-1]
    assert 0.75 * allowed < counted.cost <= allowed
    assert (found["evaluations"] <= BUDGETS).all()
    assert found["loss"][1] <= found["loss"][0] or method.plans_ahead
    objective = Objective(X, y, 4, 2, 10.0, 1.0)
    for k, loss in enumerate(found["loss"]):
        assert objective.loss(found["parameters"][k], found["P"][k])[0] == pytest.approx(loss, rel=1e-5)
    assert (np.diff(found["curve"][np.isfinite(found["curve"])]) <= 0).all()
    assert found["curve"][-1] <= found["loss"].min()


@pytest.mark.parametrize("filter", ["learned", "partition"])
def test_a_method_that_plans_nothing_is_judged_early_as_if_it_had_been_stopped(filter: str) -> None:
    method = small("bbo", filter)
    found, _ = compete(cell(filter), method, [200, 700], GRADIENT, 100, X, y)
    name = ("arena", "own", "modn", "any", "700")  # the generator of the longest
    problem = problem_of(cell(filter), X, y)
    for k, budget in enumerate((200, 700)):
        iterations = method.iterations_within(problem, budget)
        assert method.cost(problem, iterations) == budget
        stopped = method.train(problem, iterations, seeding.generator(100, *name))
        assert stopped.loss == found["loss"][k] == found["curve"][found["marks"] == budget][0]
        np.testing.assert_array_equal(stopped.parameters, found["parameters"][k])
        np.testing.assert_array_equal(np.asarray(stopped.P), found["P"][k])


def test_marks_count_individuals_one_by_one() -> None:
    objective = Recorded(X, y, 4, 2, 10.0, 1.0)
    objective.watch(np.array([3, 7, 12, 40]), GRADIENT)
    population = np.random.default_rng(1).uniform(-1, 1, (10, objective.n_parameters))
    P = np.ones((4, 2), dtype=bool)
    first = objective.loss(population[:5], P)  # evaluations 1 to 5
    second, _ = objective.loss_and_gradient(population[5:7], P)  # 6 to 9, 10 to 13
    objective.finish()
    expected = [first[:3].min(), first.min(), min(*first, second[0]), min(*first, *second)]
    assert [loss for loss, _ in objective.passed] == expected
    for loss, (parameters, chosen) in objective.passed:
        assert Objective(X, y, 4, 2, 10.0, 1.0).loss(parameters, chosen)[0] == pytest.approx(loss, rel=1e-6)
    assert objective.spent == 5 + 2 * GRADIENT


def test_marks_are_spread_and_hold_the_budgets() -> None:
    marks = marks_of([1000, 10000, 40000])
    assert {100, 1000, 10000, 40000} <= set(marks) and (np.diff(marks) > 0).all()
    assert list(marks_of([50])) == [50]


# The stage


def prepared(place: Place, *overrides: str) -> Parameters:
    few = ("arena.models=[modnp]", "arena.optimizers=[bbo,bp]", "arena.budgets=[200,400]")
    parameters = place.variant(SMOKE, *few, *overrides)
    fetch(parameters)
    resplit(parameters)
    return parameters


def stored(place: Place) -> dict[str, bytes]:
    return {
        str(path.relative_to(place.root)): path.read_bytes()
        for path in sorted((place.root / "data/models/arena").rglob("*.npz"))
    }


def test_no_test_row_is_read(place: Place) -> None:
    parameters = prepared(place)
    run_arena(parameters)
    before = stored(place)
    assert list(before) == [f"data/models/arena/modnp-{name}/iris.npz" for name in ("bbo", "bp")]
    path = place.root / "data/resplits/iris.npz"
    parts = files.read_arrays(path)
    files.write_arrays(path, parts | {"X_test": parts["X_test"] * np.nan, "y_test": parts["y_test"] * 0 - 1})
    place.forget()
    run_arena(parameters)
    assert stored(place) == before


def test_all_optimizers_see_the_rows_of_the_baselines_and_other_runs_others(place: Place) -> None:
    parameters = prepared(place, "arena.runs=2")
    run_arena(parameters)
    parts = files.read_arrays(place.root / "data/resplits/iris.npz")
    for name in ("bbo", "bp"):
        found = files.read_arrays(place.root / f"data/models/arena/modnp-{name}/iris.npz")
        for run in range(2):
            objective = Objective(parts["X_train"][run], parts["y_train"][run], 30, 3, 10.0, 1.0)
            loss = objective.loss(found["parameters"][run][-1], found["P"][run][-1])[0]
            assert loss == pytest.approx(found["loss"][run][-1], rel=1e-5)


def test_bad_training_rows_end_in_one_message(place: Place) -> None:
    parameters = prepared(place)
    path = place.root / "data/resplits/iris.npz"
    parts = files.read_arrays(path)
    files.write_arrays(path, parts | {"y_train": parts["y_train"] + 7})
    with pytest.raises((ValueError, StageError), match="y"):
        run_arena(parameters)
    path.write_bytes(b"PK, but no arrays")
    with pytest.raises(StageError, match=r"data/resplits/iris\.npz is damaged"):
        run_arena(parameters)
    assert stored(place) == {}


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("arena.budgets=[400,200]", "arena.budgets is .*ascending"),
        ("arena.budgets=[3]", f"arena.budgets is .*an integer from {LISTED['arena']['gradient_cost']} to"),
        ("arena.budgets=[50]", "arena.budgets is 50; allowed: at least 100, which modnp with bbo needs"),
        ("arena.models=[mlp]", "arena.models is 'mlp'; allowed: models of the family modn"),
        ("arena.optimizers=[sgd]", "arena.optimizers is 'sgd'; allowed: "),
        ("arena.gradient_cost=0", "arena.gradient_cost is 0"),
        ("arena.targets=[2]", "arena.targets is .*"),
    ],
)
def test_what_cannot_compete_is_refused(place: Place, override: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        place.variant(SMOKE, "arena.models=[modnp]", override)


def test_the_cost_of_a_gradient_is_the_measured_one() -> None:
    measured = files.read_csv(ROOT / "data/raw/measured/gradient_costs.csv")
    ratios = measured[["bp_ratio", "adam_ratio"]].to_numpy()
    conf = yaml.safe_load((ROOT / "conf/config.yaml").read_text())["arena"]
    assert conf["gradient_cost"] == round(float(np.exp(np.log(ratios).mean())))
    assert set(measured["dataset"]) == set(conf["datasets"])


def test_costs_are_quoted_for_the_same_settings_only(place: Place) -> None:
    def quoted(*overrides: str) -> list[str]:
        return list(arena.costs(place.variant(SMOKE, "arena.optimizers=[bbo,adam]", *overrides))["optimizer"])

    assert quoted() == ["bbo", "adam"]
    assert quoted("optimizers.bbo.population=50") == ["adam"]
    assert quoted("+optimizers.bbo.title=Another") == ["bbo", "adam"]


# The tables


def test_gaps_are_shares_of_what_an_equal_guess_leaves() -> None:
    curves = pd.DataFrame(
        {"dataset": "own", "model": "modn", "run": 0, "optimizer": ["a", "a", "b", "b"], "guess": 1.0}
        | {"evaluations": [100, 1000] * 2, "loss": [np.inf, 0.2, 2.0, 0.6]}
    )
    np.testing.assert_allclose(arena.with_gaps(curves)["gap"], [np.nan, 0.0, 1.0, 0.5])
    means = arena.mean_curves(curves)
    assert means[["optimizer", "evaluations"]].to_numpy().tolist() == [["a", 1000], ["b", 100], ["b", 1000]]
    hit = arena.reached(curves, [0.5, 0.1]).set_index(["optimizer", "evaluations"])["share"]
    assert hit.to_dict() == {("a", 100): 0.0, ("a", 1000): 1.0, ("b", 100): 0.0, ("b", 1000): 0.5}
    nothing = curves.assign(loss=1.5)
    assert (arena.with_gaps(nothing)["gap"] == 0).all(), "no optimizer is better than another"


def test_ranks_are_by_loss_downwards_and_by_accuracy_upwards() -> None:
    ranks = arena.mean_ranks(arena.summary(make_arena()[0]))
    last = ranks[ranks["budget"] == 10000].set_index(["measure", "model", "optimizer"])
    for model in ("modn", "modnp", "modnf", "all"):
        assert last.loc[("loss", model, "adam"), "rank"] == last.loc[("acc", model, "adam"), "rank"] == 1
        assert ("loss", model, "bp") in last.index or model in ("modn", "all")
    assert last.loc[("loss", "modnp", "bp"), "rank"] == 3
    assert last.loc[("loss", "modnp", "bp"), "p"] == pytest.approx(2 * 2 / 2**11)
    assert (last["low"] <= last["rank"]).all() and (last["rank"] <= last["high"]).all()


# The section


def section(place: Place, runs: pd.DataFrame) -> str:
    parameters = place.variant(SMOKE, "arena.budgets=[1000,10000]")
    table = arena.summary(runs)
    return arena_section.write(parameters, {"arena": table, "arena_ranks": arena.mean_ranks(table)})


def test_the_answer_is_three_sentences_from_the_tables(place: Place) -> None:
    text = section(place, make_arena()[0])
    answer = text.split("\n\n")[0]
    assert answer.startswith(
        "**After 10,000 evaluations Adam has the lowest training loss, with a mean rank of 1.0 "
        "(95 % interval 1.0 to 1.0) among 2 optimizers on 11 datasets; all others are behind by more than "
        "chance."
    )
    assert (
        "By test accuracy Adam leads" in answer
        and "points between the best mean, Adam, and the worst, BBO." in answer
    )
    assert "At equal cost BBO, the best search without gradients by training loss," in answer
    assert "-" in answer.rpartition("a difference of ")[2]


def test_ties_are_named_together(place: Place) -> None:
    runs = make_arena()[0]
    own = runs[runs["model"] == "modnp"].assign(loss=0.4, acc=0.9)
    answer = section(place, own).split("\n\n")[0]
    assert "BBO, Adam, BP share the lowest training loss, with a mean rank of 2.0" in answer
    assert "BBO, Adam, BP lead with a mean of 0.900" in answer and "+0.0 points" in answer


def test_one_optimizer_or_one_kind_says_so(place: Place) -> None:
    runs = make_arena()[0]
    alone = section(place, runs[runs["optimizer"] == "bbo"])
    assert alone.startswith("**Only BBO took part: there is nothing to compare.**")
    kinds = runs[runs["optimizer"].isin(["adam", "bp"])]
    assert "No search without gradients took part" in section(place, kinds)
    one = section(place, runs[runs["dataset"] == "iris"])
    assert "on 1 dataset;" in one and "(one dataset)" in one and "interval" not in one.split("\n\n")[0]
    assert section(place, runs[:0]) == ""


def test_a_pair_of_optimizers_is_neither_a_search_nor_a_descent() -> None:
    assert arena_section.uses_gradient("lshade+adam") == {False, True}
    assert arena_section.uses_gradient("bbo") == {False}
    assert families.modules_of({"algorithm": "lshade+adam"}) == ("lshade", "adam")
