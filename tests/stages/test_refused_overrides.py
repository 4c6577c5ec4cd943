"""Overrides that are not allowed are refused with the key, the value and what is."""

from collections.abc import Iterable

import pytest
from copies import CHOSEN, LEAST, LITTLE, changed, choices, composed_text, load, pairs

from modn import methods
from stages.config import composition
from stages.study import families


def allowed(names: Iterable[str]) -> str:
    """How a message lists them."""
    return f"allowed: {', '.join(sorted(names))}"


@pytest.fixture(autouse=True)
def registered() -> None:
    composition.register()


LEARNERS = filter(methods.learns_filter, methods.solvers())
BAD = [
    # unknown keys
    ("alpha_x=1", ["alpha_x=1", "no key 'alpha_x'", "allowed: about, alpha_s, alpha_t,"]),
    ("+alpha_x=1", ["no key 'alpha_x'", "allowed: about, alpha_s, alpha_t,"]),
    ("alpha=1", ["no key 'alpha'", "did you mean alpha_"]),
    ("datasets.iris.colour=red", ["'colour' in datasets.iris", "allowed: class_column,"]),
    ("+datasets.iris.colour=red", ["'datasets.iris.colour'", "allowed: class_column,"]),
    ("~tuned", ["tuned is missing", "allowed: all keys of the schema"]),
    ("derived.pairs={}", ["derived.pairs={}", "follows from the other parameters"]),
    # wrong types
    ("alpha_s=abc", ["alpha_s=abc", "'abc'", "Float"]),
    ("alpha_s=null", ["alpha_s=null", "not Optional"]),
    ("runs=1.5", ["runs=1.5", "'1.5'", "Integer"]),
    ("comparison.modnf=bbo", ["comparison.modnf=bbo", "list"]),
    # unknown names
    ("datasets=[iris,nope]", ["datasets has no 'nope'", allowed(choices("datasets"))]),
    ("datasets=[]", ["datasets is []", "at least one of the files in conf/datasets"]),
    ("models=[modn,nope]", ["models has no 'nope'", allowed(choices("models"))]),
    ("optimizers=[nope]", ["optimizers has no 'nope'", allowed(choices("optimizers"))]),
    ("profile=nope", ["profile has no 'nope'", allowed(choices("profile"))]),
    # what the checks refuse
    ("alpha_s=-1", ["alpha_s is -1.0", "allowed: a finite number > 0"]),
    # what is not plain
    ("datasets=[[iris]]", ["datasets is [[iris]]", "allowed: a list of names, such as ["]),
    ("datasets=[iris, {a: b}]", ["datasets is [iris, {a: b}]", "allowed: a list of names, such as ["]),
    ("datasets=[nan]", ["datasets has no 'nan'", "allowed: "]),
    ("datasets.iris.title=${oc.env:HOME}", ["Unsupported interpolation type oc.env"]),
    ('readable.tree.title="a\nb"', ["readable.tree.title is 'a\\nb'", "allowed: a text of one line"]),
    ("alpha_s=[", ["'alpha_s=[' is not in Hydra's syntax, such as alpha_s=5"]),
    (f"alpha_s={'[' * 99}", ["is nested 99 levels deep", "allowed: 20"]),
    (f"alpha_s={'1' * 99999}", ["has 100007 characters", "allowed: 10000"]),
]  # fmt: skip


@pytest.mark.slow  # together: each is composed by Hydra
@pytest.mark.parametrize(("override", "expected"), BAD, ids=[override[:50] for override, _ in BAD])
def test_what_is_not_allowed_is_refused_with_the_key_the_value_and_what_is(
    override: str, expected: list[str]
) -> None:
    with pytest.raises(Exception) as refusal:  # Hydra's, OmegaConf's or ours: the message counts
        composition.compose_conf([*LEAST, override])
    missing = [part for part in expected if part not in str(refusal.value)]
    assert not missing and len(str(refusal.value).splitlines()) == 1, str(refusal.value)


# What is enough for the following.
FEW = ["bbo", "bp", "pso", "adam", "bbo_adam"]
BASE = (
    *LITTLE,
    f"optimizers=[{','.join(FEW)}]",
    "arena.datasets=[]",
    *pairs({"modn": "bbo", "modnp": "bbo"}, {}),
)
BAD_VALUES = [
    # of models and optimizers
    ("optimizers.pso.inertia=abc", ["optimizers.pso", "inertia is 'abc'", "allowed: a finite number >= 0"]),
    ("optimizers.bbo_adam.first.algorithm=pso", ["first.algorithm is 'pso'", "allowed: bbo"]),
    ("optimizers.bbo_adam.then=5", ["optimizers.bbo_adam.then is 5", "allowed: parameters by name"]),
    ("optimizers.adam.decays=[abc]", ["optimizers.adam", "decays is ['abc']", "allowed: a list"]),
    ("models.modn=5", ["models.modn is 5", "allowed: a title, a family and its parameters"]),
    ("comparison.modn=[bp]", ["comparison.modn: ", "'bp'", allowed(LEARNERS), "P is learned"]),
    ("comparison.modn=[nope]", ["comparison.modn is 'nope'", allowed(FEW)]),
    ("+comparison.nope=[bbo]", ["comparison is 'nope'", allowed(CHOSEN["models"])]),
    ("only.optimizers=[nope]", ["only.optimizers is 'nope'", allowed(FEW)]),
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
    ("max_iterations=0", ["max_iterations is 0", "allowed: an integer from 1 to 10000000"]),
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
    ("datasets.iris.iterations=0", ["datasets.iris.iterations is 0", "an integer from 1 to 10000000"]),
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
    ("models.modn.rounds=1000000000000", ["models.modn.rounds is 1000000000000", "at most 10000000"]),
    ("optimizers.bbo_adam.first.iterations=1000000000000", ["first.iterations is", "at most 10000000"]),
    ("max_iterations=1000000000000", ["max_iterations is 1000000000000", "an integer from 1 to 10000000"]),
    ("tune.trials=1000000000", ["tune.trials is 1000000000", "allowed: an integer from 1 to 10000"]),
    ("arena.runs=1000000000", ["arena.runs is 1000000000", "allowed: an integer from 1 to 10000"]),
    ("arena.budgets=[100000000000000]", ["arena.budgets is [100000000000000]", "to 1000000000"]),
    ("arena.gradient_cost=1e300", ["arena.gradient_cost is 1e+300", "allowed: a number in [1, 1e+09]"]),
    ("circuits.sizes=[1000000000]", ["circuits.sizes is [1000000000]", "an integer from 1 to 10000"]),
    # titles, and lists that repeat themselves
    ("datasets.iris.title=''", ["datasets.iris.title is ''", "allowed: a text of one line"]),
    ('datasets.iris.title="a\\nb"', ["datasets.iris.title is 'a\\nb'", "allowed: a text of one line"]),
    ("baselines.knn.title=''", ["baselines.knn.title is ''", "allowed: a text of one line"]),
    ("predictors.linear.labels.title=''", ["predictors.linear.labels.title is ''", "a text of one line"]),
    ("circuits.datasets=[iris,iris]", ["circuits.datasets is ['iris', 'iris']", "allowed: each value once"]),
    ("comparison.modn=[bbo,bbo]", ["comparison.modn is ['bbo', 'bbo']", "allowed: each value once"]),
]  # fmt: skip


@pytest.mark.parametrize(("override", "expected"), BAD_VALUES, ids=[one for one, _ in BAD_VALUES])
@pytest.mark.slow
def test_values_are_checked(override: str, expected: list[str]) -> None:
    """As above, without Hydra, which takes most of the time."""
    with pytest.raises(ValueError) as refusal:
        changed(load(composed_text(base=BASE)), override)
    assert not [part for part in expected if part not in str(refusal.value)], str(refusal.value)


def test_the_largest_dendrites_of_a_search_must_fit_into_memory() -> None:
    values = load(composed_text(*pairs({"modn": "bbo"}, {"modn": "bbo"})))
    changed(values, "tune.dendrites=[4,1000000000000]")  # not searched
    with pytest.raises(ValueError, match=r"1000000000000 dendrites \(tune.dendrites\), needs [\d,]+ GiB"):
        changed(values, "tuned.values=ours")


def test_no_pair_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match=r"comparison is .*allowed: at least one model with an optimizer"):
        changed(load(composed_text(base=BASE)), "comparison={modn: []}")


def test_an_optimizer_that_is_not_chosen_is_refused() -> None:
    with pytest.raises(ValueError, match=r"comparison.modn is 'ga'; allowed: adam, bbo, "):
        changed(load(composed_text(base=BASE)), "comparison.modn=[bbo,ga]")
