"""conf/: all of it composes, agrees with the paper, and refuses what is not allowed, in so many words."""

import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from copies import LISTED, LITTLE, Project, changed, pairs

from modn import methods
from stages.config import composition
from stages.config.schema import TASKS
from stages.study import families, paper

ROOT = Path(__file__).resolve().parents[2]
CONF = ROOT / "conf"
PAPER = ROOT / "data/raw/paper"
# Groups of which several are chosen.
SEVERAL = ("baselines", "datasets", "models", "optimizers", "predictors", "readable")
CHOICES = sorted(
    (path.parent.name, path.stem) for path in CONF.glob("*/*.yaml") if not path.parent.name.startswith("_")
)


def read(group: str, name: str) -> dict[str, object]:
    return yaml.safe_load((CONF / group / f"{name}.yaml").read_text())


def choices(group: str) -> list[str]:
    return sorted(path.stem for path in (CONF / group).glob("*.yaml"))


def load(text: str) -> dict[str, Any]:
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@functools.cache
def composed_text(*overrides: str, base: tuple[str, ...] = tuple(LITTLE)) -> str:
    return composition.compose_conf([*base, *overrides])


def allowed(names: Iterable[str]) -> str:
    """How a message lists them."""
    return f"allowed: {', '.join(sorted(names))}"


# What conf/config.yaml chooses of each group.
CHOSEN = {
    group: names for entry in LISTED["defaults"] if isinstance(entry, dict) for group, names in entry.items()
}


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


def composed_together(group: str, names: list[str]) -> dict[str, Any]:
    """The parameters with these choices of a group, and little beside them."""
    overrides = [override for override in LITTLE if not override.startswith(f"{group}=")]
    return load(composition.compose_conf([*overrides, f"{group}=[{','.join(names)}]"]))


@pytest.mark.parametrize("group", SEVERAL)
def test_all_choices_of_a_group_compose_together(group: str) -> None:
    composed = composed_together(group, choices(group))
    assert sorted(composed[group]) == choices(group)
    for name, values in composed[group].items():
        own = read(group, name)
        own.pop("defaults", None)
        assert holds(values, own), name


@pytest.mark.parametrize("group", sorted({*SEVERAL} - {"models", "optimizers"}))
def test_a_choice_composes_alone(group: str) -> None:
    last = choices(group)[-1]  # other tests have the others
    assert list(composed_together(group, [last])[group]) == [last]


@pytest.mark.parametrize(("group", "choice"), [pair for pair in CHOICES if pair[0] not in SEVERAL])
def test_every_choice_of_one_composes(group: str, choice: str) -> None:
    composed = load(composed_text(f"{group}={choice}"))
    assert composed["profile"] == (choice if group == "profile" else "quick")
    assert composed["derived"]["trainings"]


@pytest.mark.parametrize(
    ("model", "optimizer"),
    [*((model, "bbo") for model in choices("models")), *(("modnf", name) for name in choices("optimizers"))],
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


@pytest.mark.slow
def test_a_profile_is_the_paper_with_less_effort() -> None:
    """Fewer runs, and of every list a part: what is the same run, has the same parameters."""
    numbers = (".targets.resplits", ".arena.runs")
    effort = {"profile", "runs", "resplits", "grid_folds", "max_iterations", "runtime", "derived", "tune"}
    composed = {name: load(composed_text(f"profile={name}", base=())) for name in choices("profile")}

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
    composed = load(composed_text(base=()))
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
    every = f"optimizers=[{','.join(choices('optimizers'))}]"  # also those outside the default run
    return load(composed_text(every))["optimizers"][name]


def test_a_pair_takes_the_first_optimizers_values_from_its_file() -> None:
    own, pair = composed_optimizer("bbo"), composed_optimizer("bbo_adam")
    assert own["iterations"] is None and pair["first"]["iterations"] == 100
    assert pair["first"] == own | {"iterations": 100}
    changed = load(composition.compose_conf([*LITTLE, "optimizers.bbo.population=50"]))
    assert changed["optimizers"]["bbo"]["population"] == 50
    assert changed["optimizers"]["bbo_adam"] == pair  # one optimizer's parameter is not another's
    also = composition.compose_conf([*LITTLE, "optimizers.bbo_adam.first.population=50"])
    assert load(also)["optimizers"]["bbo_adam"]["first"]["population"] == 50


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
    composed = load(text)
    assert (composed["alpha_s"], composed["profile"], composed["runs"]) == (5, "paper", 30)
    assert list(composed["datasets"]) == list(composed["derived"]["budgets"]) == ["iris", "wine"]
    assert composed["optimizers"]["bbo"]["population"] == 50
    assert composed["split"] == {"protocol": "sound", "seed": 100, "count": 30}


LEARNERS = filter(methods.learns_filter, methods.solvers())
BAD = [
    # unknown keys
    ("alpha_x=1", ["alpha_x=1", "no key 'alpha_x'", "allowed: about, alpha_s, alpha_t,"]),
    ("+alpha_x=1", ["no key 'alpha_x'", "allowed: about, alpha_s, alpha_t,"]),
    ("alpha=1", ["no key 'alpha'", "did you mean alpha_"]),
    ("datasets.iris.colour=red", ["'colour' in datasets.iris", "allowed: class_column,"]),
    ("+datasets.iris.colour=red", ["'datasets.iris.colour'", "allowed: class_column,"]),
    ("optimizers.pso.speed=1", ["'speed' in optimizers.pso", "inertia"]),
    ("~tuned", ["tuned is missing", "allowed: all keys of the schema"]),
    ("derived.pairs={}", ["derived.pairs={}", "follows from the other parameters"]),
    # wrong types
    ("alpha_s=abc", ["alpha_s=abc", "'abc'", "Float"]),
    ("alpha_s=null", ["alpha_s=null", "not Optional"]),
    ("alpha_s=[1,2]", ["alpha_s=[1,2]", "Float"]),
    ("runs=1.5", ["runs=1.5", "'1.5'", "Integer"]),
    ("runs=true", ["runs=true", "'True'", "Integer"]),
    ("comparison.modnf=bbo", ["comparison.modnf=bbo", "list"]),
    # unknown names
    ("datasets=[nope]", ["datasets has no 'nope'", allowed(choices("datasets"))]),
    ("datasets=[iris,nope]", ["datasets has no 'nope'", allowed(choices("datasets"))]),
    ("datasets=[]", ["datasets is []", "at least one of the files in conf/datasets"]),
    ("models=[modn,nope]", ["models has no 'nope'", allowed(choices("models"))]),
    ("optimizers=[nope]", ["optimizers has no 'nope'", allowed(choices("optimizers"))]),
    ("profile=nope", ["profile has no 'nope'", allowed(choices("profile"))]),
    ("split=nope", ["split has no 'nope'", allowed(choices("split"))]),
    ("runtime=nope", ["runtime has no 'nope'", allowed(choices("runtime"))]),
    # of a restriction
    ("only.models=modn", ["only.models=modn", "list"]),
    ("only.datasets=[iris]", ["no key 'datasets' in only", "allowed: models, optimizers"]),
    # what the checks refuse
    ("alpha_s=-1", ["alpha_s is -1.0", "allowed: a finite number > 0"]),
    ("datasets.iris.missing=guess", ["datasets.iris.missing is 'guess'", "drop_rows, median, refuse"]),
    # what is not plain
    ("datasets=[[iris]]", ["datasets is [[iris]]", "allowed: a list of names, such as ["]),
    ("datasets=[iris, {a: b}]", ["datasets is [iris, {a: b}]", "allowed: a list of names, such as ["]),
    ("datasets=[nan]", ["datasets has no 'nan'", "allowed: "]),
    ("datasets.iris.title=${oc.env:HOME}", ["Unsupported interpolation type oc.env"]),
    ("datasets.iris.title=''", ["datasets.iris.title is ''", "allowed: a text of one line"]),
    ('datasets.iris.title="a\nb"', ["datasets.iris.title is 'a\\nb'", "allowed: a text of one line"]),
    (f"alpha_s={'[' * 99}", ["is nested 99 levels deep", "allowed: 20"]),
    (f"alpha_s={'1' * 99999}", ["has 100007 characters", "allowed: 10000"]),
]  # fmt: skip


@pytest.mark.parametrize(("override", "expected"), BAD, ids=[override[:50] for override, _ in BAD])
def test_what_is_not_allowed_is_refused_with_the_key_the_value_and_what_is(
    override: str, expected: list[str]
) -> None:
    with pytest.raises(Exception) as refusal:  # Hydra's, OmegaConf's or ours: the message counts
        composition.compose_conf([*LITTLE, override])
    missing = [part for part in expected if part not in str(refusal.value)]
    assert not missing, str(refusal.value)


BAD_VALUES = [
    # of models and optimizers
    ("optimizers.pso.inertia=abc", ["optimizers.pso", "inertia is 'abc'", "allowed: a finite number >= 0"]),
    ("optimizers.bbo_adam.first.algorithm=pso", ["first.algorithm is 'pso'", "allowed: bbo"]),
    ("optimizers.bbo_adam.then=5", ["optimizers.bbo_adam.then is 5", "allowed: parameters by name"]),
    ("optimizers.adam.decays=[abc]", ["optimizers.adam", "decays is ['abc']", "allowed: a list"]),
    ("models.modn=5", ["models.modn is 5", "allowed: a title, a family and its parameters"]),
    ("comparison.modn=[bp]", ["comparison.modn: ", "'bp'", allowed(LEARNERS), "P is learned"]),
    ("comparison.modn=[nope]", ["comparison.modn is 'nope'", allowed(CHOSEN["optimizers"])]),
    ("+comparison.nope=[bbo]", ["comparison is 'nope'", allowed(CHOSEN["models"])]),
    ("only.optimizers=[nope]", ["only.optimizers is 'nope'", allowed(CHOSEN["optimizers"])]),
    ("only.models=[nope]", ["only.models is 'nope'", allowed(CHOSEN["models"])]),
    ("only.models=[]", ["only is {'models': []}", "names of which a study trains at least one pair"]),
    ("runtime.store_mib=-1", ["runtime.store_mib is -1", "allowed: an integer >= 0"]),
    ("+optimizers.pso.speed=1", ["no key 'optimizers.pso.speed'", "inertia"]),
    ("+optimizers.bbo_adam.first.speed=1", ["no key 'optimizers.bbo_adam.first.speed'", "mutation"]),
    ("+models.mlp.colour=red", ["no key 'models.mlp.colour'", "allowed: family, title"]),
    ("+models.mlp.filter=full", ["no key 'models.mlp.filter'", "allowed: family, title"]),
    ("dendrites=16", ["dendrites is 16", "multiples of 3", "MODNP gives each of 3 classes"]),
    # out of range
    ("alpha_s=-1", ["alpha_s is -1.0", "allowed: a finite number > 0"]),
    ("alpha_s=inf", ["alpha_s is inf", "allowed: a finite number > 0"]),
    ("alpha_t=0", ["alpha_t is 0.0", "allowed: a finite number > 0"]),
    ("runs=0", ["runs is 0", "allowed: an integer from 1 to 10000"]),
    ("max_iterations=0", ["max_iterations is 0", "allowed: an integer >= 1"]),
    ("seed=-1", ["seed is -1", "allowed: an integer >= 0"]),
    ("dendrites_per_class=0", ["dendrites_per_class is 0", "allowed: an integer >= 1"]),
    ("dendrites=0", ["dendrites is 0", "allowed: an integer >= 1"]),
    ("split.count=2", ["split.count is 2", "allowed: 1, or one per run (3)"]),
    ("split.seed=-4", ["split.seed is -4", "allowed: an integer >= 0"]),
    ("runtime.workers=0", ["runtime.workers is 0", "allowed: an integer from 1 to 1024"]),
    ("models.modn.rounds=0", ["models.modn.rounds is 0", "allowed: an integer >= 1"]),
    ("models.modn.filter_iterations=-1", ["models.modn.filter_iterations is -1", "allowed: an integer >= 0"]),
    ("optimizers.bbo.population=0", ["optimizers.bbo", "population is 0", "allowed: an integer >= 2"]),
    ("optimizers.bp.gradient=steep", ["optimizers.bp", "gradient is 'steep'", "allowed: exact, published"]),
    ("datasets.iris.test_size=-1", ["datasets.iris.test_size is -1", "or a number in (0, 1)"]),
    ("datasets.iris.test_size=1.5", ["datasets.iris.test_size is 1.5", "allowed: an integer >= 1"]),
    ("datasets.iris.n_classes=1", ["datasets.iris.n_classes is 1", "allowed: an integer >= 2"]),
    ("datasets.iris.iterations=0", ["datasets.iris.iterations is 0", "allowed: an integer >= 1"]),
    ("datasets.iris.sha256=abc", ["datasets.iris.sha256 is 'abc'", "64 lower-case hexadecimal digits"]),
    ("datasets.iris.file=/etc/hosts", ["datasets.iris.file is '/etc/hosts'", "below data/raw/"]),
    ("datasets.iris.file=data/raw/../x", ["datasets.iris.file is 'data/raw/../x'", "below data/raw/"]),
    ("datasets.iris.tuned.alpha_s=-1", ["datasets.iris.tuned.alpha_s is -1.0", "a finite number > 0"]),
    # unknown names
    ("split.protocol=nope", ["split.protocol is 'nope'", "allowed: published, sound"]),
    ("fetch.source=web", ["fetch.source is 'web'", "allowed: bundled, uci"]),
    ("runtime.engine=gpu", ["runtime.engine is 'gpu'", "allowed: dask, local"]),
    ("models.modn.family=cnn", ["models.modn.family is 'cnn'", allowed(families.names())]),
    ("measures=[acc]", ["measures is ['acc']", "allowed: acc and auc"]),
    ("baselines.knn.estimator=os.system", ["baselines.knn.estimator is 'os.system'", "in modn or sklearn"]),
    ("baselines.knn.estimator=sklearn.__main__.X", ["baselines.knn.estimator is", "in modn or sklearn"]),
    ("baselines.knn.estimator=knn", ["baselines.knn.estimator is 'knn'", "such as sklearn.svm.SVC"]),
    ("baselines.knn.grid.n_neighbors=[]", ["baselines.knn.grid.n_neighbors is []", "at least one"]),
    ("models.modn.filter=round", ["models.modn.filter is 'round'", "allowed: full, learned, partition"]),
    ("datasets.iris.missing=guess", ["datasets.iris.missing is 'guess'", "drop_rows, median, refuse"]),
    ("optimizers.bbo.algorithm=nope", ["bbo.algorithm is 'nope'", allowed(methods.solvers()), "joined by +"]),
    # what no run could hold
    ("runs=1000000000000", ["runs is 1000000000000", "allowed: an integer from 1 to 10000"]),
    ("resplits=1000000000", ["resplits is 1000000000", "allowed: an integer from 1 to 10000"]),
    ("runtime.workers=1000000", ["runtime.workers is 1000000", "allowed: an integer from 1 to 1024"]),
    ("optimizers.bbo.population=1000000000000", ["1000000000000 times", "GiB of memory; allowed: "]),
    ("dendrites_per_class=1000000000000", ["3000000000000 dendrites", "GiB of memory; allowed: "]),
]  # fmt: skip


@pytest.mark.parametrize(("override", "expected"), BAD_VALUES, ids=[one for one, _ in BAD_VALUES])
def test_values_are_checked(override: str, expected: list[str]) -> None:
    """As above, without Hydra, which takes most of the time."""
    with pytest.raises(ValueError) as refusal:
        changed(load(composed_text()), override)
    assert not [part for part in expected if part not in str(refusal.value)], str(refusal.value)


def test_no_pair_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match=r"comparison is .*allowed: at least one model with an optimizer"):
        composition.compose_conf([*LITTLE, *pairs({}, {})])


def test_an_optimizer_that_is_not_chosen_is_refused() -> None:
    with pytest.raises(ValueError, match=r"comparison.modn is 'ga'; allowed: bbo"):
        composition.compose_conf([*LITTLE, *pairs({"modn": "bbo,ga"}, {}), "optimizers=[bbo]"])


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
    derived = load(composition.compose_conf([*LITTLE, *PAIRS, *overrides]))["derived"]
    assert derived["pairs"] == list(derived["trainings"]) == expected
