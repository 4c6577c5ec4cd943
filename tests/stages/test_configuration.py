"""conf/: all of it composes and agrees with the paper."""

import functools
import hashlib
import itertools
import json
from copy import deepcopy
from typing import Any

import pandas as pd
import pytest
import yaml
from copies import (
    CHOSEN,
    CONF,
    LEAST,
    LISTED,
    LITTLE,
    ROOT,
    Project,
    changed,
    choices,
    composed_text,
    load,
    pairs,
)

from modn import methods
from stages.config import composition
from stages.config.schema import TASKS
from stages.study import families, paper

PAPER = ROOT / "data/raw/paper"
# Groups of which several are chosen.
SEVERAL = ("baselines", "datasets", "models", "optimizers", "predictors", "readable")
CHOICES = sorted(
    (path.parent.name, path.stem) for path in CONF.glob("*/*.yaml") if not path.parent.name.startswith("_")
)


def read(group: str, name: str) -> dict[str, object]:
    return yaml.safe_load((CONF / group / f"{name}.yaml").read_text())


@pytest.fixture(autouse=True)
def registered() -> None:
    composition.register()


def test_the_groups_are_those_of_the_design() -> None:
    assert {group for group, _ in CHOICES} == {*SEVERAL, "profile", "split", "runtime"}


def holds(values: Any, own: Any) -> bool:
    """Whether all values of a file are there; beside them, defaults."""
    if isinstance(own, dict):
        return all(name in values and holds(values[name], value) for name, value in own.items())
    return bool(values == own)


def composed_with(chosen: dict[str, list[str]], *others: str) -> dict[str, Any]:
    """The parameters with these choices of groups, and little beside them."""
    overrides = [override for override in LITTLE if override.partition("=")[0] not in chosen]
    overrides += [f"{group}=[{','.join(names)}]" for group, names in chosen.items()]
    return load(composed_text(*others, base=tuple(overrides)))


@functools.cache
def everything() -> dict[str, Any]:
    """The parameters with all choices of all groups, also those outside the default run."""
    return composed_with({group: choices(group) for group in SEVERAL})


@pytest.mark.slow
def test_all_choices_of_a_group_compose_together() -> None:
    composed = everything()
    for group in SEVERAL:
        assert sorted(composed[group]) == choices(group)
        for name, values in composed[group].items():
            own = read(group, name)
            own.pop("defaults", None)
            assert holds(values, own), name


def test_a_choice_of_each_group_composes_alone() -> None:
    last = {group: choices(group)[-1:] for group in SEVERAL if group not in ("models", "optimizers")}
    composed = composed_with(last)  # other tests have the others
    assert {group: list(composed[group]) for group in last} == last


@pytest.mark.slow
def test_every_split_and_runtime_composes() -> None:
    for split, runtime in itertools.zip_longest(choices("split"), choices("runtime")):
        chosen = {group: name for group, name in (("split", split), ("runtime", runtime)) if name}
        overrides = [f"{group}={name}" for group, name in chosen.items()]
        composed = load(composition.compose_conf([*LEAST, *overrides]))
        for group, name in chosen.items():
            own = {key: value for key, value in read(group, name).items() if "${" not in str(value)}
            assert own and holds(composed[group], own), name


# Optimizers that take values from another one's file, and one of those that do not: all are composed above.
BORROWERS = [name for name in choices("optimizers") if "defaults" in read("optimizers", name)]
ALONE = [*BORROWERS, *(name for name in choices("optimizers")[-1:] if name not in BORROWERS)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "optimizer"),
    [
        *((model, "bbo") for model in choices("models")),
        *(("modnf", name) for name in ALONE),
    ],
)
def test_a_pair_composes_alone(model: str, optimizer: str) -> None:
    overrides = [f"models=[{model}]", f"optimizers=[{optimizer}]", f"++comparison.{model}=[{optimizer}]"]
    overrides += [f"comparison.{name}=[]" for name in LISTED["comparison"] if name != model]
    overrides += [f"tuned.methods.{name}=[]" for name in LISTED["tuned"]["methods"]]
    overrides += [f"sensitivity.model={model}", f"sensitivity.optimizer={optimizer}"]
    overrides += ["sensitivity.dendrites=[6]"]  # MODNP shares them out among two or three classes
    composed = load(composition.compose_conf([*LITTLE, *overrides]))
    assert (list(composed["models"]), list(composed["optimizers"])) == ([model], [optimizer])


def test_params_yaml_is_what_conf_composes_to() -> None:
    """In the profile that it names: `make repro PROFILE=smoke` leaves a params.yaml of that profile."""
    text = (ROOT / "params.yaml").read_text()
    composed = composed_text(f"profile={load(text)['profile']}", base=())
    assert text == composed, "params.yaml is stale: make params"


@pytest.mark.slow
def test_dvcs_own_composition_writes_the_same_bytes(fresh: Project) -> None:
    overrides = [*LEAST, "alpha_s=5"]
    (fresh.root / "compose.py").write_text(
        "from dvc.repo import Repo\n"
        "from dvc.utils.hydra import compose_and_dump\n"
        "settings = Repo().config['hydra']\n"
        "assert settings['enabled']\n"
        "folders = [f'{Repo().root_dir}/{settings[key]}' for key in ('config_dir', 'plugins_path')]\n"
        f"compose_and_dump('dvc.yml', folders[0], None, settings['config_name'], folders[1], {overrides})\n"
    )
    fresh.succeed("python", "compose.py")
    by_dvc = (fresh.root / "dvc.yml").read_text()
    assert composition.compose_conf(overrides) == by_dvc
    assert yaml.safe_load(by_dvc)["alpha_s"] == 5


@pytest.mark.slow
def test_a_profile_is_the_paper_with_less_effort() -> None:
    """Fewer runs, and of every list a part: what is the same run, has the same parameters."""
    numbers = (".targets.resplits", ".arena.runs")
    effort = {"profile", "runs", "resplits", "grid_folds", "max_iterations", "runtime", "derived", "tune"}
    composed = {name: load(composed_text(f"profile={name}", base=())) for name in choices("profile")}
    for name, values in composed.items():
        assert values["profile"] == name and values["derived"]["trainings"]

    def is_part(fewer: Any, more: Any, key: str) -> None:
        if isinstance(more, dict):
            assert fewer.keys() <= more.keys(), key
            for name, value in fewer.items():
                is_part(value, more[name], f"{key}.{name}")
        elif isinstance(more, list):
            assert [item for item in more if item in fewer] == fewer, key
        else:
            assert fewer == more or key.endswith(numbers), key

    for fewer, more in (("smoke", "paper"), ("quick", "paper")):
        own = {key: value for key, value in composed[fewer].items() if key not in effort}
        assert own["tuned"].pop("values") in ("paper", composed[more]["tuned"]["values"])
        is_part(own, composed[more], fewer)
        assert composed[fewer]["runs"] < composed[more]["runs"]
    assert composed["quick"]["datasets"] == composed["paper"]["datasets"]
    fewer, more = (set(composed[name]["baselines"]) for name in ("quick", "paper"))
    assert more - fewer == set(choices("baselines/optional"))
    fewer, more = (set(composed[name]["readable"]) for name in ("quick", "paper"))
    assert more - fewer == set(choices("readable/optional"))
    for study in ("extra", "targets"):
        assert set(composed["paper"][study]["datasets"]) == set(choices(f"datasets/{study}"))
    assert set(composed["paper"]["predictors"]) == set(choices("predictors"))


def test_smoke_has_every_study_and_kind_of_method() -> None:
    smoke = load(composed_text("profile=smoke", base=()))
    trainings = smoke["derived"]["trainings"].values()
    assert {one["study"] for one in trainings} == {"comparison", "tuned", "sensitivity"}
    assert {one["family"] for one in trainings} == set(families.names())
    kinds = {type(families.get(one["family"]).method(smoke["models"][one["model"]],
             smoke["optimizers"][one["optimizer"]])).__name__ for one in trainings}  # fmt: skip
    assert kinds == {"Search", "TwoStep", "Descent", "Memetic"}
    fits = smoke["derived"]["fits"].values()
    assert {one["study"] for one in fits} == {"baselines", "circuits", "targets"}
    assert {dataset["task"] for dataset in smoke["targets"]["datasets"].values()} == set(TASKS)


def test_the_defaults_are_the_papers() -> None:
    composed = load(composed_text(f"profile={CHOSEN['profile']}", base=()))
    assert (composed["alpha_s"], composed["alpha_t"], composed["dendrites_per_class"]) == (10, 1, 10)
    printed_datasets = pd.read_csv(PAPER / "table1_datasets.csv")["dataset"].tolist()
    assert [name for name in composed["datasets"] if name in printed_datasets] == printed_datasets
    printed = pd.read_csv(PAPER / "table3_acc_by_optimizer.csv").dropna()
    trainings = composed["derived"]["trainings"].values()
    pairs = {(one["model"], one["optimizer"]) for one in trainings if one["study"] == "comparison"}
    assert pairs >= set(zip(printed["model"], printed["optimizer"], strict=True))
    assert composed["split"] == {"protocol": "published", "seed": 22, "count": 1}


@pytest.mark.parametrize("name", choices("optimizers"))
def test_an_optimizers_file_names_each_of_its_fields(name: str) -> None:
    values = composed_optimizer(name)
    values.pop("title", None)
    algorithm = values.pop("algorithm")
    defaults = methods.parameters(algorithm)
    if methods.JOINED in algorithm:
        values["first"].pop("algorithm")
        then = defaults.pop("then")
        assert values["then"].keys() <= then.keys()  # what is left out is the default
        values["then"].pop("iterations", None)  # a pair may have a budget of its own
        assert values["then"].items() <= then.items()
        del values["then"]
    elif name == "bp":  # Table 3's column is reproduced with the printed gradient
        assert values.pop("gradient") == "published"
        assert defaults.pop("gradient") == "exact"
    assert values.keys() == defaults.keys()
    if name in paper.OPTIMIZERS:  # of the others, conf may have values of its own
        assert {key: tuple(v) if isinstance(v, list) else v for key, v in values.items()} == defaults


def composed_optimizer(name: str) -> dict[str, Any]:
    return deepcopy(everything()["optimizers"][name])


def test_a_pair_takes_the_first_optimizers_values_from_its_file() -> None:
    own, pair = composed_optimizer("bbo"), composed_optimizer("bbo_adam")
    other = composed_optimizer("lshade_adam")
    assert own["iterations"] is None and pair["first"]["iterations"] == 100
    assert pair["first"] == own | {"iterations": 100}
    edited = composed_with(
        {"optimizers": ["bbo", "bbo_adam", "lshade_adam"]},
        *pairs({"modn": "bbo"}, {}),
        "arena.datasets=[]",
        "optimizers.bbo.population=50",
        "optimizers.lshade_adam.first.population=60",
    )["optimizers"]
    assert edited["bbo"]["population"] == 50
    assert edited["bbo_adam"] == pair  # one optimizer's parameter is not another's
    assert edited["lshade_adam"]["first"] == other["first"] | {"population": 60}


@pytest.mark.parametrize("name", families.names())
def test_a_family_without_its_parameters_is_refused_or_complete(name: str) -> None:
    family = families.get(name)
    required = set(family.allowed) - set(family.defaults)
    if required:
        with pytest.raises(ValueError, match=rf"models.mine.{min(required)} is None; allowed: "):
            family.check("models.mine", {"title": "Mine", "family": name})
    else:
        family.check("models.mine", {"title": "Mine", "family": name})
    with pytest.raises(ValueError, match=r"there is no key 'models.mine.colour'; allowed: .*family"):
        family.check("models.mine", {"title": "Mine", "family": name, "colour": "red"})


@pytest.mark.parametrize("name", pd.read_csv(PAPER / "table1_datasets.csv")["dataset"])
def test_a_datasets_file_agrees_with_the_paper_and_with_its_table(name: str) -> None:
    values = read("datasets", name)
    table1 = pd.read_csv(PAPER / "table1_datasets.csv").set_index("dataset").loc[name]
    tuned = pd.read_csv(PAPER / "table4_tuned_hyperparameters.csv").set_index("dataset").loc[name]
    assert str(values["title"]).lower() == table1["name"].lower()
    assert (values["test_size"], values["n_classes"]) == (table1["test"], table1["classes"])
    assert values["tuned"] == {
        "dendrites": tuned["M"],
        "alpha_s": tuned["alpha_s"],
        "alpha_t": tuned["alpha_t"],
    }
    assert values["sha256"] == hashlib.sha256((ROOT / str(values["file"])).read_bytes()).hexdigest()


def test_overrides_of_every_kind_arrive() -> None:
    own = ("alpha_s=5", "profile=paper", "optimizers.bbo.population=50", "split=sound")
    composed = composed_with({"datasets": ["iris", "wine"]}, *own, "datasets/extra=[]")
    assert (composed["alpha_s"], composed["profile"], composed["runs"]) == (5, "paper", 30)
    assert list(composed["datasets"]) == list(composed["derived"]["budgets"]) == ["iris", "wine"]
    assert composed["optimizers"]["bbo"]["population"] == 50
    assert composed["split"] == {"protocol": "sound", "seed": 100, "count": 30}


def test_dendrites_need_not_be_shared_out_where_no_model_shares_them() -> None:
    fixed = [*pairs({"modn": "bbo", "modnf": "bbo"}, {}), "arena.models=[modn,modnf]"]
    composed = load(composition.compose_conf([*LITTLE, *fixed, "dendrites=16"]))
    assert composed["dendrites"] == 16


# Some of the paper's.
PAIRS = pairs(
    {"modn": "bbo,ga,pso", "modnp": "bbo,bp", "modnf": "bbo,bp,es"},
    {"modn": "bbo", "dnm": "bbo", "mlp": "bp,adam"},
)


@pytest.mark.parametrize(
    ("only", "expected"),
    [
        ({"optimizers": ["bbo"]}, ["comparison-modn-bbo", "comparison-modnp-bbo", "comparison-modnf-bbo",
                                   "tuned-modn-bbo", "tuned-dnm-bbo", "sensitivity-modn-bbo"]),
        ({"models": ["dnm", "mlp"]}, ["tuned-dnm-bbo", "tuned-mlp-bp", "tuned-mlp-adam"]),
        ({"models": ["modnf"], "optimizers": ["bp", "es"]}, ["comparison-modnf-bp", "comparison-modnf-es"]),
    ],
)  # fmt: skip
def test_a_run_can_be_restricted(only: dict[str, list[str]], expected: list[str]) -> None:
    chosen = dict.fromkeys(("models", "optimizers")) | only
    derived = changed(load(composed_text(*PAIRS)), f"only={json.dumps(chosen)}").derived
    assert derived["pairs"] == list(derived["trainings"]) == expected


def test_a_restriction_is_composed() -> None:
    derived = composed_with({"datasets": ["wine"]}, *PAIRS, "only.optimizers=[bbo]")["derived"]
    assert (
        derived["pairs"]
        == list(derived["trainings"])
        == [
            *("comparison-modn-bbo", "comparison-modnp-bbo", "comparison-modnf-bbo"),
            *("tuned-modn-bbo", "tuned-dnm-bbo"),  # and no sensitivity, which is of other datasets
        ]
    )
