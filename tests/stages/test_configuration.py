"""conf/: all of it composes and agrees with the paper."""

import functools
import hashlib
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from copies import LISTED, LITTLE, Project, choices, pairs

from modn import methods
from stages.config import composition
from stages.config.schema import TASKS
from stages.study import families, paper

ROOT = Path(__file__).resolve().parents[2]
CONF = ROOT / "conf"
PAPER = ROOT / "data/raw/paper"
LISTS = ("datasets", "models", "optimizers")  # groups of which several are chosen
CHOICES = sorted(
    (path.parent.name, path.stem) for path in CONF.glob("*/*.yaml") if not path.parent.name.startswith("_")
)


def read(group: str, name: str) -> dict[str, object]:
    return yaml.safe_load((CONF / group / f"{name}.yaml").read_text())


@pytest.fixture(autouse=True)
def registered() -> None:
    composition.register()


def test_the_groups_are_those_of_the_design() -> None:
    assert {group for group, _ in CHOICES} >= {*LISTS, "profile", "split", "runtime"}


@pytest.mark.parametrize(("group", "choice"), CHOICES)
def test_every_choice_composes(group: str, choice: str) -> None:
    """With little beside it; all that is chosen by default composes together in params.yaml."""
    overrides = [override for override in LITTLE if not override.startswith(f"{group}=")]
    overrides += [f"{group}=[{choice}]" if group in LISTS else f"{group}={choice}"]
    if group in ("models", "optimizers"):
        model, optimizer = (choice, "bbo") if group == "models" else ("modnf", choice)
        overrides += [f"optimizers=[{optimizer}]" if group == "models" else f"models=[{model}]"]
        overrides += [f"comparison.{name}=[]" for name in LISTED["comparison"] if name != model]
        overrides += [f"tuned.methods.{name}=[]" for name in LISTED["tuned"]["methods"]]
        overrides += [f"++comparison.{model}=[{optimizer}]"]
        overrides += [f"sensitivity.model={model}", f"sensitivity.optimizer={optimizer}"]
        overrides += ["sensitivity.dendrites=[6]"]  # MODNP shares them out among two or three classes
    composed = yaml.safe_load(composition.compose_conf(overrides))
    if group in LISTS:
        own = read(group, choice)
        assert list(composed[group]) == [choice]
        own.pop("defaults", None)
        assert composed[group][choice].items() >= {k: v for k, v in own.items() if k != "first"}.items()
    else:
        assert composed["profile"] == (choice if group == "profile" else "quick")
        assert composed["derived"]["trainings"]


def test_params_yaml_is_what_conf_composes_to() -> None:
    """In the profile that it names: `make repro PROFILE=smoke` leaves a params.yaml of that profile."""
    text = (ROOT / "params.yaml").read_text()
    composed = composition.compose_conf([f"profile={yaml.safe_load(text)['profile']}"])
    assert text == composed, "params.yaml is stale: make params"


@pytest.mark.slow
def test_dvcs_own_composition_writes_the_same_bytes(fresh: Project) -> None:
    (fresh.root / "compose.py").write_text(
        "from dvc.repo import Repo\n"
        "from dvc.utils.hydra import compose_and_dump\n"
        "settings = Repo().config['hydra']\n"
        "assert settings['enabled']\n"
        "folders = [f'{Repo().root_dir}/{settings[key]}' for key in ('config_dir', 'plugins_path')]\n"
        "compose_and_dump('dvc.yml', folders[0], None, settings['config_name'], folders[1], ['alpha_s=5'])\n"
    )
    fresh.succeed("python", "compose.py")
    by_dvc = (fresh.root / "dvc.yml").read_bytes()
    fresh.succeed("python", "-m", "stages.tools.params", "alpha_s=5")
    assert (fresh.root / "params.yaml").read_bytes() == by_dvc
    assert yaml.safe_load(by_dvc)["alpha_s"] == 5


def test_a_profile_is_the_paper_with_less_effort() -> None:
    """Fewer runs, and of every list a part: what is the same run, has the same parameters."""
    numbers = (".targets.resplits", ".arena.runs")
    effort = {"profile", "runs", "resplits", "grid_folds", "max_iterations", "runtime", "derived", "tune"}
    composed = {
        name: yaml.safe_load(composition.compose_conf([f"profile={name}"])) for name in choices("profile")
    }

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
    smoke = yaml.safe_load(composition.compose_conf(["profile=smoke"]))
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
    composed = yaml.safe_load(composition.compose_conf([]))
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


@functools.cache
def composed_text(*overrides: str) -> str:
    return composition.compose_conf([*LITTLE, *overrides])


def composed_optimizer(name: str) -> dict[str, Any]:
    every = f"optimizers=[{','.join(choices('optimizers'))}]"  # also those outside the default run
    return yaml.safe_load(composed_text(every))["optimizers"][name]


def test_a_pair_takes_the_first_optimizers_values_from_its_file() -> None:
    own, pair = composed_optimizer("bbo"), composed_optimizer("bbo_adam")
    assert own["iterations"] is None and pair["first"]["iterations"] == 100
    assert pair["first"] == own | {"iterations": 100}
    changed = yaml.safe_load(composition.compose_conf([*LITTLE, "optimizers.bbo.population=50"]))
    assert changed["optimizers"]["bbo"]["population"] == 50
    assert changed["optimizers"]["bbo_adam"] == pair  # one optimizer's parameter is not another's
    also = composition.compose_conf([*LITTLE, "optimizers.bbo_adam.first.population=50"])
    assert yaml.safe_load(also)["optimizers"]["bbo_adam"]["first"]["population"] == 50


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
    text = composition.compose_conf(
        ["alpha_s=5", "profile=paper", "datasets=[iris,wine]", "optimizers.bbo.population=50", "split=sound"]
    )
    composed = yaml.safe_load(text)
    assert (composed["alpha_s"], composed["profile"], composed["runs"]) == (5, "paper", 30)
    assert list(composed["datasets"]) == list(composed["derived"]["budgets"]) == ["iris", "wine"]
    assert composed["optimizers"]["bbo"]["population"] == 50
    assert composed["split"] == {"protocol": "sound", "seed": 100, "count": 30}


def test_dendrites_need_not_be_shared_out_where_no_model_shares_them() -> None:
    fixed = [*pairs({"modn": "bbo", "modnf": "bbo"}, {}), "arena.models=[modn,modnf]"]
    composed = yaml.safe_load(composition.compose_conf([*LITTLE, *fixed, "dendrites=16"]))
    assert composed["dendrites"] == 16


# Some of the paper's.
PAIRS = pairs(
    {"modn": "bbo,ga,pso", "modnp": "bbo,bp", "modnf": "bbo,bp,es"},
    {"modn": "bbo", "dnm": "bbo", "mlp": "bp,adam"},
)


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        (["only.optimizers=[bbo]"], ["comparison-modn-bbo", "comparison-modnp-bbo", "comparison-modnf-bbo",
                                     "tuned-modn-bbo", "tuned-dnm-bbo", "sensitivity-modn-bbo"]),
        (["only.models=[dnm,mlp]"], ["tuned-dnm-bbo", "tuned-mlp-bp", "tuned-mlp-adam"]),
        (["only.models=[modnf]", "only.optimizers=[bp,es]"], ["comparison-modnf-bp", "comparison-modnf-es"]),
        (["only.optimizers=[bbo]", "datasets=[wine]"], ["comparison-modn-bbo", "comparison-modnp-bbo",
                                     "comparison-modnf-bbo", "tuned-modn-bbo", "tuned-dnm-bbo"]),
    ],
)  # fmt: skip
def test_a_run_can_be_restricted(overrides: list[str], expected: list[str]) -> None:
    derived = yaml.safe_load(composition.compose_conf([*LITTLE, *PAIRS, *overrides]))["derived"]
    assert derived["pairs"] == list(derived["trainings"]) == expected
