"""Which values the parameters may have: tables of constraints, and what has to go together.

Every message is that of modn.constraints: the key, its value, and what is allowed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import Any

from modn import methods
from modn.constraints import Constraint, Integer, ListOf, Number, OneOf, OrNone, check, check_all
from stages.config.derived import planned
from stages.config.schema import Baseline, Dataset, Parameters
from stages.study import families, measures, splits
from stages.study.names import default_title

MISSING_VALUE_RULES = ("refuse", "drop_rows", "median")
SOURCES = ("bundled", "uci")
ENGINES = ("local", "dask")
# Where baselines come from: the declared dependencies, and those of the extra `baselines`
ESTIMATOR_PACKAGES = ("modn", "sklearn", "lightgbm", "xgboost", "catboost", "interpret")
CONF = Path(__file__).resolve().parents[2] / "conf"


@dataclass(frozen=True)
class Text:
    """A text that matches a pattern as a whole; `words` describe it."""

    pattern: str
    words: str

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        return isinstance(value, str) and re.fullmatch(self.pattern, value, re.ASCII) is not None

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Either:
    """What one of two constraints allows."""

    one: Constraint
    other: Constraint

    def accepts(self, value: Any) -> bool:
        """Whether the value is allowed."""
        return self.one.accepts(value) or self.other.accepts(value)

    def __str__(self) -> str:
        return f"{self.one}, or {self.other}"


POSITIVE = Number(0, ends="(]")
NAME = Text("[a-z][a-z0-9_]*", "lower-case letters, digits and _, beginning with a letter")  # of files, too
TITLE = Text(r"(?s).+", "a text")
LARGEST_SEED = 2**32 - 1  # scikit-learn's

PARAMETERS: dict[str, Constraint] = {
    "profile": NAME,
    "runs": Integer(1),
    "max_iterations": OrNone(Integer(1)),
    "seed": Integer(0),
    "alpha_s": POSITIVE,
    "alpha_t": POSITIVE,
    "dendrites_per_class": Integer(1),
    "dendrites": OrNone(Integer(1)),
    "resplits": Integer(1),
    "grid_folds": Integer(2),
}
GROUPS: dict[str, dict[str, Constraint]] = {
    "split": {"protocol": OneOf(splits.PROTOCOLS), "seed": Integer(0)},
    "fetch": {"source": OneOf(SOURCES)},
    "runtime": {"engine": OneOf(ENGINES), "workers": OrNone(Integer(1)), "store_mib": Integer(0)},
}
DATASET: dict[str, Constraint] = {
    "file": Text(r"data/raw/(?!.*\.\.)[\w./-]+", "a path below data/raw/, which DVC watches"),
    "sha256": OrNone(Text("[0-9a-f]{64}", "64 lower-case hexadecimal digits")),
    "n_classes": OrNone(Integer(2)),
    "missing": OneOf(MISSING_VALUE_RULES),
    "test_size": Either(Integer(1), Number(0, 1, "()")),
    "iterations": Integer(1),
}
NEURON: dict[str, Constraint] = {"dendrites": Integer(1), "alpha_s": POSITIVE, "alpha_t": POSITIVE}
ESTIMATOR = Text(
    rf"({'|'.join(ESTIMATOR_PACKAGES)})(\.[a-z]\w*)*\.[A-Z]\w*",
    f"the import path of a classifier in {' or '.join(ESTIMATOR_PACKAGES)}, such as sklearn.svm.SVC",
)


def check_parameters(parameters: Parameters) -> None:
    """Raise a ValueError for the first value that is not allowed."""
    p = parameters
    _check_lists("", p)
    check_all(vars(p), PARAMETERS)
    for group, table in GROUPS.items():
        check_all(vars(getattr(p, group)), table, f"{group}.")
    if p.split.count not in (1, p.runs):
        raise ValueError(f"split.count is {p.split.count}; allowed: 1, or one per run ({p.runs})")
    check("extra.resplits", p.extra.resplits, Integer(1))
    resplits = max(p.resplits, p.extra.resplits)
    for key, seed, count in (("split.seed", p.split.seed, p.split.count), ("seed", p.seed, resplits)):
        check(key, seed, Integer(0, LARGEST_SEED + 1 - count))
    if not p.datasets:
        raise ValueError("datasets is []; allowed: at least one of the files in conf/datasets")
    for name, dataset in p.datasets.items():
        _check_dataset(f"datasets.{name}", name, dataset)
    for name, dataset in p.extra.datasets.items():
        _check_dataset(f"extra.datasets.{name}", name, dataset)
        if name in p.datasets:
            raise ValueError(
                f"extra.datasets is {list(p.extra.datasets)}; allowed: none of datasets ({name})"
            )
    for name, model in p.models.items():
        _check_model(f"models.{name}", name, model)
    for name, values in p.optimizers.items():
        _check_optimizer(f"optimizers.{name}", name, values)
    _check_only(p)
    if not any(p.comparison.values()):
        raise ValueError(f"comparison is {p.comparison}; allowed: at least one model with an optimizer")
    for study in ("comparison", "tuned"):
        for model, chosen in getattr(p, study).items():
            for optimizer in chosen:
                _check_pair(study, f"{study}.{model}", model, optimizer, p)
    if len(p.tuned.get("modn", [])) > 1:
        reason = "the other models are compared with it"
        raise ValueError(f"tuned.modn is {p.tuned['modn']}; allowed: one optimizer, since {reason}")
    _check_sensitivity(p)
    _check_figures(p)
    for name, baseline in p.baselines.items():
        _check_baseline(f"baselines.{name}", name, baseline)
    if not any(planned(p)):
        chosen = {key: names for key, names in vars(p.only).items() if names is not None}
        raise ValueError(f"only is {chosen}; allowed: names of which a study trains at least one pair")
    measures.check(p.measures)
    for name in p.baseline_measures:
        check("baseline_measures", name, OneOf(measures.names()))


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
        raise ValueError(f"{key} is {value!r}; allowed: a list of single values")


def _check_block(key: str, name: str, block: Any, kind: str) -> None:
    """A file of a group: its name becomes a file name, and it holds values by name."""
    check(key, name, NAME)
    if not isinstance(block, Mapping):
        raise ValueError(f"{key} is {block!r}; allowed: {kind} and its parameters, by name")


def _check_dataset(key: str, name: str, dataset: Dataset) -> None:
    check(key, name, NAME)
    check_all(vars(dataset), DATASET, f"{key}.")
    for column, codes in dataset.codes.items():
        for category, number in codes.items():
            check(f"{key}.codes.{column}.{category}", number, Number())
    if dataset.tuned is not None:
        check_all(vars(dataset.tuned), NEURON, f"{key}.tuned.")


def _check_model(key: str, name: str, model: Any) -> None:
    _check_block(key, name, model, "a title, a family")
    check(f"{key}.title", model.get("title"), TITLE)
    check(f"{key}.family", model.get("family"), OneOf(families.names()))
    families.get(model["family"]).check(key, model)


def _check_optimizer(key: str, name: str, block: Any) -> None:
    """Names and ranges of parameters are the algorithm's own."""
    _check_block(key, name, block, "an algorithm")
    algorithm = block.get("algorithm")
    parts = str(algorithm).split(methods.JOINED)
    for part in parts:
        if part not in methods.solvers():
            allowed = f"{', '.join(methods.solvers())}, or two of them joined by {methods.JOINED}"
            raise ValueError(f"{key}.algorithm is {algorithm!r}; allowed: {allowed}")
    check(f"{key}.title", block.get("title", default_title(name)), TITLE)
    known = methods.parameters(algorithm)
    _check_names(key, {name: value for name, value in block.items() if name != "title"}, known)
    if len(parts) > 1:  # the file of one optimizer, which names its algorithm, may be a part of a pair
        for part, name in zip(known, parts, strict=True):
            check(f"{key}.{part}.algorithm", block.get(part, {}).get("algorithm", name), OneOf([name]))
    try:
        families.method_of(block, "full")  # with a filter, so that all parameters are used
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None


def _check_names(key: str, values: Any, known: Mapping[str, Any]) -> None:
    if not isinstance(values, Mapping):
        raise ValueError(f"{key} is {values!r}; allowed: parameters by name: {', '.join(known)}")
    for name, value in values.items():
        if name != "algorithm" and name not in known:
            raise ValueError(f"there is no key '{key}.{name}'; allowed: {', '.join(sorted(known))}")
        if isinstance(known.get(name), Mapping):
            _check_names(f"{key}.{name}", value, known[name])
        elif isinstance(value, Mapping):
            raise ValueError(f"{key}.{name} is {value!r}; allowed: a single value, or a list of them")


def _check_only(p: Parameters) -> None:
    for key, known in (("models", p.models), ("optimizers", p.optimizers)):
        for name in getattr(p.only, key) or []:
            check(f"only.{key}", name, OneOf(known))


def _check_sensitivity(p: Parameters) -> None:
    study = p.sensitivity
    check("sensitivity.model", study.model, OneOf(p.models))
    for name in study.datasets:
        check("sensitivity.datasets", name, OneOf(_known("datasets", p)))
    for name, constraint in NEURON.items():
        check(f"sensitivity.{name}", list(getattr(study, name)), ListOf(constraint))
    _check_pair("sensitivity", "sensitivity.optimizer", study.model, study.optimizer, p)


def _check_figures(p: Parameters) -> None:
    """What a figure names need not be chosen, but it has to be a choice."""
    shown = p.figures
    for name in shown.filters:
        check("figures.filters", name, OneOf(_known("datasets", p)))
    check("figures.filters_optimizer", shown.filters_optimizer, OneOf(_known("optimizers", p)))
    models, optimizers = _known("models", p), _known("optimizers", p)
    for pair in shown.loss_curves:
        model, _, optimizer = str(pair).partition("-")
        if model not in models or optimizer not in optimizers:
            allowed = f"MODEL-OPTIMIZER, of {', '.join(models)} and {', '.join(optimizers)}"
            raise ValueError(f"figures.loss_curves is {pair!r}; allowed: {allowed}")


def _known(group: str, p: Parameters) -> list[str]:
    """The chosen ones, and all others that conf/ has."""
    return list(
        dict.fromkeys([*getattr(p, group), *sorted(path.stem for path in CONF.glob(f"{group}/*.yaml"))])
    )


def _check_pair(study: str, key: str, name: str, optimizer: str, p: Parameters) -> None:
    """The model and the optimizer are configured and fit each other, and the model fits every dataset."""
    check(study, name, OneOf(p.models))
    check(key, optimizer, OneOf(p.optimizers))
    model = p.models[name]
    family = families.get(model["family"])
    try:
        family.method(model, p.optimizers[optimizer])
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None
    for dataset, M, M_key in _dendrites(study, p):
        n_classes = p.datasets[dataset].n_classes
        if n_classes is not None and M is not None and family.suits(n_classes):
            family.check_dendrites(M_key, model, M, n_classes)


def _dendrites(study: str, p: Parameters) -> list[tuple[str, int | None, str]]:
    """Each M of a study, with its dataset and its key; None: dendrites_per_class for each class."""
    points: list[tuple[str, int | None, str]] = []
    for name, dataset in p.datasets.items():
        if study == "sensitivity" and name not in p.sensitivity.datasets:
            continue
        if study != "comparison" and dataset.tuned is not None:
            points.append((name, dataset.tuned.dendrites, f"datasets.{name}.tuned.dendrites"))
        else:
            points.append((name, p.dendrites, "dendrites"))
        if study == "sensitivity":
            points += [(name, M, "sensitivity.dendrites") for M in p.sensitivity.dendrites]
    return points


def _check_baseline(key: str, name: str, baseline: Baseline) -> None:
    """Whether the path leads to a classifier is found out by the stage that imports it: it takes seconds."""
    check(key, name, NAME)
    check(f"{key}.estimator", baseline.estimator, ESTIMATOR)
    for parameter, values in baseline.grid.items():
        if not values:
            raise ValueError(f"{key}.grid.{parameter} is []; allowed: at least one value to choose from")
