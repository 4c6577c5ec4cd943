"""Names, types and ranges of every parameter: what conf/ may compose to and params.yaml may hold."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, make_dataclass
from typing import Any

from omegaconf import MISSING, DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from modn import optimizers

FAMILIES = ("dnm", "mlp", "modn")
FILTERS = ("full", "learned", "partition")
PROTOCOLS = ("published", "sound")
MISSING_VALUE_RULES = ("refuse", "drop_rows", "median")
SOURCES = ("bundled", "uci")
# Those of stages.study.baselines, whose import would cost every stage a second.
CLASSIFIERS = (
    "modn",
    "dnm",
    "random_forest",
    "svm",
    "logistic_regression",
    "hist_gradient_boosting",
    "knn",
    "mlp",
)
ENGINES = ("local", "dask")


class ConfigurationError(ValueError):
    """A parameter that is not allowed: which, its value, and what is."""

    def __init__(self, key: str, value: object, allowed: str) -> None:
        super().__init__(f"{key} is {value!r}; allowed: {allowed}")


@dataclass
class Tuned:
    """The values tuned for one dataset (Table 4)."""

    dendrites: int = MISSING
    alpha_s: float = MISSING
    alpha_t: float = MISSING


@dataclass
class Dataset:
    """One table and how it is read."""

    title: str = MISSING
    file: str = MISSING  # a CSV with a header, below data/raw
    class_column: str = MISSING
    test_size: Any = MISSING  # rows (an integer), or a share of them (a number below 1)
    uci_id: int | None = None
    sha256: str | None = None  # of the file; null: not verified
    n_classes: int | None = None  # verified when given
    drop_columns: list[str] = field(default_factory=list)
    drop_classes: list[str] = field(default_factory=list)
    codes: dict[str, dict[str, Any]] = field(default_factory=dict)  # column -> category -> number
    missing: str = "refuse"  # refuse, drop_rows, or median (of the training part)
    iterations: int = 300  # R of the heuristic optimizers
    tuned: Tuned | None = None


@dataclass
class Model:
    """One model: its family, and for MODN where the filter comes from."""

    title: str = MISSING
    family: str = "modn"
    filter: str | None = None
    theta_o: list[float] = field(default_factory=list)  # DNM: thresholds to choose from, on the training part
    filter_iterations: int = 10  # on P, where it is learned
    rounds: int = 1  # of the two steps, where P is learned
    repair: bool = False  # connect inoperative dendrites, where P is learned


@dataclass
class Baseline:
    """One classifier of the baselines: what is set for good, and what a grid is searched over."""

    title: str = MISSING
    classifier: str = MISSING
    parameters: dict[str, Any] = field(default_factory=dict)
    grid: dict[str, list[Any]] = field(default_factory=dict)


@dataclass
class Sensitivity:
    """Fig. 4: one method over M at the common alphas, and over a grid of alphas at the tuned M."""

    datasets: list[str] = field(default_factory=list)  # those of them that are chosen are run
    model: str = MISSING
    optimizer: str = MISSING
    dendrites: list[int] = field(default_factory=list)
    alpha_s: list[float] = field(default_factory=list)
    alpha_t: list[float] = field(default_factory=list)


@dataclass
class Figures:
    """What the figures show of all that was run."""

    loss_curves: list[str] = field(default_factory=list)  # pairs of the comparison, model-optimizer
    filters: list[str] = field(default_factory=list)  # datasets
    filters_optimizer: str = MISSING  # which trained the filters that are shown


@dataclass
class Split:
    """How rows become training and test parts."""

    protocol: str = MISSING
    seed: int = MISSING
    count: int = MISSING  # splits made; run k uses the k-th, or the only one


@dataclass
class Fetch:
    """Where the raw tables come from."""

    source: str = "bundled"


@dataclass
class Runtime:
    """Where the work is done; no result depends on it."""

    engine: str = "local"
    workers: int | None = None
    address: str | None = None


@dataclass
class Parameters:
    """The whole of params.yaml."""

    profile: str = MISSING
    runs: int = MISSING
    max_iterations: int | None = None
    seed: int = MISSING
    alpha_s: float = MISSING
    alpha_t: float = MISSING
    dendrites_per_class: int = MISSING
    dendrites: int | None = None
    comparison: dict[str, list[str]] = field(default_factory=dict)
    tuned: dict[str, list[str]] = field(default_factory=dict)
    sensitivity: Sensitivity = field(default_factory=Sensitivity)
    resplits: int = MISSING
    grid_folds: int = MISSING
    baselines: dict[str, Baseline] = field(default_factory=dict)
    figures: Figures = field(default_factory=Figures)
    datasets: dict[str, Dataset] = field(default_factory=dict)
    models: dict[str, Model] = field(default_factory=dict)
    optimizers: dict[str, Any] = field(default_factory=dict)
    split: Split = field(default_factory=Split)
    fetch: Fetch = field(default_factory=Fetch)
    runtime: Runtime = field(default_factory=Runtime)
    derived: dict[str, Any] = field(default_factory=dict)


def check(parameters: Parameters) -> None:
    """Raise a ConfigurationError for the first value that is out of its range."""
    p = parameters
    _check_lists("", p)
    _is_name("profile", p.profile)
    _at_least("runs", p.runs, 1)
    if p.max_iterations is not None:
        _at_least("max_iterations", p.max_iterations, 1)
    _at_least("seed", p.seed, 0)
    _positive("alpha_s", p.alpha_s)
    _positive("alpha_t", p.alpha_t)
    _at_least("dendrites_per_class", p.dendrites_per_class, 1)
    if p.dendrites is not None:
        _at_least("dendrites", p.dendrites, 1)
    _one_of("split.protocol", p.split.protocol, PROTOCOLS)
    _at_least("split.seed", p.split.seed, 0)
    if p.split.seed + p.split.count > 2**32:
        raise ConfigurationError("split.seed", p.split.seed, "an integer below 2**32, scikit-learn's largest")
    if p.split.count not in (1, p.runs):
        raise ConfigurationError("split.count", p.split.count, f"1, or one per run ({p.runs})")
    _one_of("fetch.source", p.fetch.source, SOURCES)
    _one_of("runtime.engine", p.runtime.engine, ENGINES)
    if p.runtime.workers is not None:
        _at_least("runtime.workers", p.runtime.workers, 1)
    if not p.datasets:
        raise ConfigurationError("datasets", [], "at least one of the files in conf/datasets")
    for name, dataset in p.datasets.items():
        _check_dataset(f"datasets.{name}", name, dataset)
    for name, model in p.models.items():
        _is_name(f"models.{name}", name)
        _check_model(f"models.{name}", model)
        _at_least(f"models.{name}.filter_iterations", model.filter_iterations, 0)
        _at_least(f"models.{name}.rounds", model.rounds, 1)
    for name, values in p.optimizers.items():
        _check_optimizer(name, values)
    if not any(p.comparison.values()):
        raise ConfigurationError("comparison", dict(p.comparison), "at least one model with an optimizer")
    _check_pairs("comparison", p.comparison, p)
    _check_pairs("tuned", p.tuned, p)
    if len(p.tuned.get("modn", [])) > 1:
        raise ConfigurationError(
            "tuned.modn", p.tuned["modn"], "one optimizer: the others are compared with it"
        )
    _check_sensitivity(p)
    _at_least("resplits", p.resplits, 1)
    if p.seed + p.resplits > 2**32:
        raise ConfigurationError("seed", p.seed, "an integer below 2**32, scikit-learn's largest")
    _at_least("grid_folds", p.grid_folds, 2)
    for name, baseline in p.baselines.items():
        _check_baseline(f"baselines.{name}", name, baseline)


def _check_lists(key: str, value: Any) -> None:
    """OmegaConf lets a list pass for a number or a text in a list of them."""
    if isinstance(value, Baseline):
        return  # a candidate of a grid may be anything
    if is_dataclass(value):
        value = vars(value)
    if isinstance(value, Mapping):
        for name, inner in value.items():
            _check_lists(f"{key}.{name}".lstrip("."), inner)
    elif isinstance(value, list) and any(isinstance(item, list | Mapping) for item in value):
        raise ConfigurationError(key, value, "a list of single values")


def _check_model(key: str, model: Model) -> None:
    _one_of(f"{key}.family", model.family, FAMILIES)
    if model.family == "modn":
        _one_of(f"{key}.filter", str(model.filter), FILTERS)
    elif model.filter is not None:
        raise ConfigurationError(f"{key}.filter", model.filter, f"null, since {model.family} has no filter")
    if model.family == "dnm" and not model.theta_o:
        raise ConfigurationError(f"{key}.theta_o", model.theta_o, "at least one threshold to choose from")
    for theta_o in model.theta_o:
        _is_number(f"{key}.theta_o", theta_o)


def _check_baseline(key: str, name: str, baseline: Baseline) -> None:
    """The names of its parameters are checked by the stage that knows the classifier."""
    _is_name(key, name)
    _one_of(f"{key}.classifier", baseline.classifier, CLASSIFIERS)
    for parameter, values in baseline.grid.items():
        if not values:
            raise ConfigurationError(f"{key}.grid.{parameter}", values, "at least one value to choose from")


def _check_dataset(key: str, name: str, dataset: Dataset) -> None:
    _is_name(key, name)
    for required in ("title", "file", "class_column", "test_size"):
        if getattr(dataset, required) == MISSING:
            raise ConfigurationError(f"{key}.{required}", "???", f"a value in conf/datasets/{name}.yaml")
    if not re.fullmatch(r"data/raw/(?!.*\.\.)[\w./-]+", dataset.file):
        raise ConfigurationError(f"{key}.file", dataset.file, "a path below data/raw/, which DVC watches")
    if dataset.sha256 is not None and not re.fullmatch(r"[0-9a-f]{64}", dataset.sha256):
        raise ConfigurationError(f"{key}.sha256", dataset.sha256, "64 lower-case hexadecimal digits, or null")
    if dataset.n_classes is not None:
        _at_least(f"{key}.n_classes", dataset.n_classes, 2)
    _one_of(f"{key}.missing", dataset.missing, MISSING_VALUE_RULES)
    for column, codes in dataset.codes.items():
        for category, number in codes.items():
            _is_number(f"{key}.codes.{column}.{category}", number)
    size = dataset.test_size
    rows = isinstance(size, int) and not isinstance(size, bool) and size >= 1
    if not rows and not (isinstance(size, float) and 0 < size < 1):
        raise ConfigurationError(
            f"{key}.test_size", size, "a number of rows >= 1, or a share between 0 and 1"
        )
    _at_least(f"{key}.iterations", dataset.iterations, 1)
    if dataset.tuned is not None:
        _at_least(f"{key}.tuned.dendrites", dataset.tuned.dendrites, 1)
        _positive(f"{key}.tuned.alpha_s", dataset.tuned.alpha_s)
        _positive(f"{key}.tuned.alpha_t", dataset.tuned.alpha_t)


def _check_optimizer(name: str, values: Mapping[str, Any]) -> None:
    """Types and ranges are those of the algorithm's own dataclass."""
    key = f"optimizers.{name}"
    if not isinstance(values, Mapping):
        raise ConfigurationError(key, values, "the algorithm and its parameters, by name")
    own = dict(values)
    algorithm = own.pop("algorithm", None)
    _is_name(key, name)
    _one_of(f"{key}.algorithm", str(algorithm), optimizers.names())
    cls = optimizers.parameters_class(str(algorithm))
    for parameter in own:
        _one_of(key, parameter, [f.name for f in fields(cls)])
    # OmegaConf takes frozen or generic dataclasses amiss: it checks types on a plain one of the same fields.
    plain = make_dataclass(cls.__name__, [(f.name, f.type, field(default=f.default)) for f in fields(cls)])
    try:
        typed = OmegaConf.merge(OmegaConf.structured(plain), own)
        assert isinstance(typed, DictConfig)
        optimizers.make(str(algorithm), **{str(key): value for key, value in typed.items()})
    except OmegaConfBaseException as error:
        raise ValueError(f"{key}.{error.full_key}: {str(error).splitlines()[0]}") from None
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None


def _check_pairs(key: str, pairs: Mapping[str, list[str]], p: Parameters) -> None:
    """Every pair names a model and an optimizer that are configured, and fits every dataset."""
    for name, chosen in pairs.items():
        if not chosen:
            continue
        _one_of(key, name, p.models)
        model = p.models[name]
        for optimizer in chosen:
            _check_pair(f"{key}.{name}", model, optimizer, p)
        if model.filter == "partition":
            _check_partition(key, model, p)


def _check_pair(key: str, model: Model, optimizer: str, p: Parameters) -> None:
    _one_of(key, optimizer, p.optimizers)
    if model.filter == "learned" and not _learns_filter(p, optimizer):
        able = [name for name in p.optimizers if _learns_filter(p, name)]
        raise ConfigurationError(key, optimizer, f"{', '.join(able)}, since its filter is learned")


def _check_sensitivity(p: Parameters) -> None:
    study = p.sensitivity
    _one_of("sensitivity.model", study.model, p.models)
    _check_pair("sensitivity.optimizer", p.models[study.model], study.optimizer, p)
    for M in study.dendrites:
        _at_least("sensitivity.dendrites", M, 1)
    if p.models[study.model].filter == "partition":
        _check_partition("sensitivity", p.models[study.model], p)
    for name in ("alpha_s", "alpha_t"):
        for alpha in getattr(study, name):
            _positive(f"sensitivity.{name}", alpha)


def _learns_filter(p: Parameters, optimizer: str) -> bool:
    return optimizers.parameters_class(p.optimizers[optimizer]["algorithm"]).learns_filter


def _check_partition(study: str, model: Model, p: Parameters) -> None:
    """Every class has the same number of dendrites."""
    for name, dataset in p.datasets.items():
        for key, M in _dendrites(study, name, p):
            if dataset.n_classes is not None and M is not None and M % dataset.n_classes:
                allowed = f"multiples of {name}'s {dataset.n_classes} classes"
                raise ConfigurationError(key, M, f"{allowed}, shared out evenly by {model.title}")


def _dendrites(study: str, name: str, p: Parameters) -> list[tuple[str, int | None]]:
    """Each M that a study has on a dataset, with its key; None: dendrites_per_class for each class."""
    tuned = p.datasets[name].tuned
    own: tuple[str, int | None] = "dendrites", p.dendrites
    if study != "comparison" and tuned is not None:
        own = f"datasets.{name}.tuned.dendrites", tuned.dendrites
    if study != "sensitivity":
        return [own]
    chosen = name in p.sensitivity.datasets
    return [own, *(("sensitivity.dendrites", M) for M in p.sensitivity.dendrites)] if chosen else []


def _one_of(key: str, value: str, allowed: Iterable[str]) -> None:
    if value not in allowed:
        raise ConfigurationError(key, value, ", ".join(sorted(allowed)) or "nothing (none is configured)")


def _is_name(key: str, value: str) -> None:
    """Names become file names."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", value):
        raise ConfigurationError(key, value, "lower-case letters, digits and _, beginning with a letter")


def _at_least(key: str, value: int, low: int) -> None:
    if value < low:
        raise ConfigurationError(key, value, f"an integer >= {low}")


def _positive(key: str, value: float) -> None:
    if not 0 < value < float("inf"):
        raise ConfigurationError(key, value, "a finite number > 0")


def _is_number(key: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < float("inf"):
        raise ConfigurationError(key, value, "a finite number")
