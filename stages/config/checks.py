"""Which values the parameters may have: tables of constraints, and what has to go together.

Every message is that of modn.constraints: the key, its value, and what is allowed.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

from modn import methods
from modn.constraints import Constraint, Integer, ListOf, Number, OneOf, OrNone, check, check_all
from modn.memory import check_room, training_bytes
from stages.config.constraints import Either, Range, Text
from stages.config.derived import competing, planned
from stages.config.schema import TASKS, Baseline, Dataset, Estimator, Parameters, estimators_of
from stages.study import families, measures, splits
from stages.study.cells import COMMON_VALUES
from stages.study.names import default_title

MISSING_VALUE_RULES = ("refuse", "drop_rows", "median")
SOURCES = ("bundled", "uci")
TUNED_VALUES = ("paper", "ours", "both")
ENGINES = ("local", "dask")
# Where baselines come from: the declared dependencies, and those of the extra `baselines`
ESTIMATOR_PACKAGES = ("modn", "sklearn", "lightgbm", "xgboost", "catboost", "interpret", "imodels")
CONF = Path(__file__).resolve().parents[2] / "conf"

POSITIVE = Number(0, ends="(]")
NAME = Text("[a-z][a-z0-9_]*", "lower-case letters, digits and _, beginning with a letter")  # of files, too
TITLE = Text(r"[^\x00-\x1f\x7f]+", "a text of one line")
LARGEST_SEED = 2**32 - 1  # scikit-learn's
MOST_RUNS = 10_000  # of a cell: each is a task, and they are listed
MOST_ITERATIONS = 10**7  # losses are kept, one for each
MOST_EVALUATIONS = 10**9
MOST_CONDITIONS = 10_000  # of a circuit
MOST_WORKERS = 1024
REPEATABLE = ("tune", "models", "optimizers")  # ranges, and lists that an algorithm knows

NEURON: dict[str, Constraint] = {"dendrites": Integer(1), "alpha_s": POSITIVE, "alpha_t": POSITIVE}
PARAMETERS: dict[str, Constraint] = {
    "profile": NAME,
    "runs": Integer(1, MOST_RUNS),
    "max_iterations": OrNone(Integer(1, MOST_ITERATIONS)),
    "seed": Integer(0),
    "alpha_s": POSITIVE,
    "alpha_t": POSITIVE,
    "dendrites_per_class": Integer(1),
    "dendrites": OrNone(Integer(1)),
    "resplits": Integer(1, MOST_RUNS),
    "grid_folds": Integer(2, MOST_RUNS),
}
GROUPS: dict[str, dict[str, Constraint]] = {
    "split": {"protocol": OneOf(splits.PROTOCOLS), "seed": Integer(0)},
    "fetch": {"source": OneOf(SOURCES)},
    "tuned": {"values": OneOf(TUNED_VALUES)},
    "tune": {
        **dict.fromkeys(("trials", "batch", "repeats"), Integer(1, MOST_RUNS)),
        "folds": Integer(2, MOST_RUNS),
        **{name: Range(constraint) for name, constraint in NEURON.items()},
    },
    "runtime": {
        "engine": OneOf(ENGINES),
        "workers": OrNone(Integer(1, MOST_WORKERS)),
        "store_mib": Integer(0),
    },
}
DATASET: dict[str, Constraint] = {
    "title": TITLE,
    "file": Text(r"data/raw/(?!.*\.\.)[\w./-]+", "a path below data/raw/, which DVC watches"),
    "sha256": OrNone(Text("[0-9a-f]{64}", "64 lower-case hexadecimal digits")),
    "n_classes": OrNone(Integer(2)),
    "missing": OneOf(MISSING_VALUE_RULES),
    "test_size": Either(Integer(1), Number(0, 1, "()")),
    "iterations": Integer(1, MOST_ITERATIONS),
}
ESTIMATOR = Text(
    rf"({'|'.join(ESTIMATOR_PACKAGES)})(\.[a-z]\w*)*\.[A-Z]\w*",
    f"the import path of an estimator in {' or '.join(ESTIMATOR_PACKAGES)}, such as sklearn.svm.SVC",
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
    for study in ("extra", "targets"):
        check(f"{study}.resplits", getattr(p, study).resplits, Integer(1, MOST_RUNS))
    resplits = max(p.resplits, p.extra.resplits, p.targets.resplits)
    for key, seed, count in (("split.seed", p.split.seed, p.split.count), ("seed", p.seed, resplits)):
        check(key, seed, Integer(0, LARGEST_SEED + 1 - count))
    if not p.datasets:
        raise ValueError("datasets is []; allowed: at least one of the files in conf/datasets")
    seen: dict[str, str] = {}  # dataset -> the group that has it
    for group, datasets, tasks in (
        ("datasets", p.datasets, ("classification",)),
        ("extra.datasets", p.extra.datasets, ("classification",)),
        ("targets.datasets", p.targets.datasets, TASKS),
    ):
        for name, dataset in datasets.items():
            _check_dataset(f"{group}.{name}", name, dataset)
            _check_task(f"{group}.{name}", dataset, tasks)
            if name in seen:
                raise ValueError(f"{group} is {list(datasets)}; allowed: none of {seen[name]} ({name})")
        seen |= dict.fromkeys(datasets, group)
    for name, model in p.models.items():
        _check_model(f"models.{name}", name, model)
    for name, values in p.optimizers.items():
        _check_optimizer(f"optimizers.{name}", name, values)
    _check_only(p)
    if not any(p.comparison.values()):
        raise ValueError(f"comparison is {p.comparison}; allowed: at least one model with an optimizer")
    for study, key, methods_of in (
        ("comparison", "comparison", p.comparison),
        ("tuned", "tuned.methods", p.tuned.methods),
    ):
        for model, trained_by in methods_of.items():
            for optimizer in trained_by:
                _check_pair(study, f"{key}.{model}", model, optimizer, p)
    ours = p.tuned.methods.get("modn", [])
    if len(ours) > 1:
        reason = "the other models are compared with it"
        raise ValueError(f"tuned.methods.modn is {ours}; allowed: one optimizer, since {reason}")
    _check_sensitivity(p)
    _check_figures(p)
    for name, baseline in p.baselines.items():
        _check_baseline(f"baselines.{name}", name, baseline)
    _check_circuits(p)
    _check_targets(p)
    _check_arena(p)
    if not any(planned(p)):
        chosen = {key: names for key, names in vars(p.only).items() if names is not None}
        raise ValueError(f"only is {chosen}; allowed: names of which a study trains at least one pair")
    measures.check(p.measures)
    for name in p.baseline_measures:
        check("baseline_measures", name, OneOf(measures.names("classification")))


def _check_lists(key: str, value: Any) -> None:
    """Lists hold single values, which OmegaConf does not insist on, and each of them once."""
    if isinstance(value, Estimator):
        return  # a parameter, or a candidate of a grid, may be anything
    if is_dataclass(value):
        value = vars(value)
    if isinstance(value, Mapping):
        for name, inner in value.items():
            _check_lists(f"{key}.{name}".lstrip("."), inner)
    elif isinstance(value, list):
        if any(isinstance(item, list | Mapping) for item in value):
            raise ValueError(f"{key} is {value!r}; allowed: a list of single values")
        if len(set(value)) < len(value) and key.partition(".")[0] not in REPEATABLE:
            raise ValueError(f"{key} is {value!r}; allowed: each value once")


def _check_block(key: str, name: str, block: Any, kind: str) -> None:
    """A file of a group: its name becomes a file name, and it holds values by name."""
    check(key, name, NAME)
    if not isinstance(block, Mapping):
        raise ValueError(f"{key} is {block!r}; allowed: {kind} and its parameters, by name")


def _check_counts(key: str, block: Mapping[str, Any]) -> None:
    """No count of a model or an optimizer is beyond what a run could do; for a population, memory counts."""
    for name, value in block.items():
        if isinstance(value, Mapping):
            _check_counts(f"{key}.{name}", value)
        elif isinstance(value, int) and value > MOST_ITERATIONS and name != "population":
            raise ValueError(f"{key}.{name} is {value}; allowed: at most {MOST_ITERATIONS}")


def _check_dataset(key: str, name: str, dataset: Dataset) -> None:
    check(key, name, NAME)
    check_all(vars(dataset), DATASET, f"{key}.")
    for column, codes in dataset.codes.items():
        for category, number in codes.items():
            check(f"{key}.codes.{column}.{category}", number, Number())
    if dataset.tuned is not None:
        check_all(vars(dataset.tuned), NEURON, f"{key}.tuned.")


def _check_task(key: str, dataset: Dataset, tasks: Sequence[str]) -> None:
    """The columns to predict are those that the task has."""
    check(f"{key}.task", dataset.task, OneOf(tasks))
    of_classes = dataset.task == "classification"
    for name in ("targets",) if of_classes else ("class_column", "n_classes", "drop_classes"):
        if value := getattr(dataset, name):
            raise ValueError(f"{key}.{name} is {value!r}; allowed: none, since the task is {dataset.task}")
    if of_classes:
        check(f"{key}.class_column", dataset.class_column, TITLE)
    else:
        _check_each_once(f"{key}.targets", dataset.targets, "column")


def _check_each_once(key: str, chosen: list[str], what: str) -> None:
    if not chosen or len(set(chosen)) < len(chosen):
        raise ValueError(f"{key} is {chosen}; allowed: at least one {what}, each once")


def _check_model(key: str, name: str, model: Any) -> None:
    _check_block(key, name, model, "a title, a family")
    check(f"{key}.title", model.get("title"), TITLE)
    check(f"{key}.family", model.get("family"), OneOf(families.names()))
    families.get(model["family"]).check(key, model)
    _check_counts(key, model)


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
    _check_counts(key, block)


def _check_names(key: str, values: Any, known: Mapping[str, Any]) -> None:
    if not isinstance(values, Mapping):
        raise ValueError(f"{key} is {values!r}; allowed: parameters by name: {', '.join(known)}")
    for name, value in values.items():
        if name not in ("algorithm", "title") and name not in known:
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
    check("figures.circuit", shown.circuit, OneOf(_known("datasets", p)))
    check("figures.filters_optimizer", shown.filters_optimizer, OneOf(_known("optimizers", p)))
    check("figures.learned_filter", shown.learned_filter, ListOf(OneOf(_known("optimizers", p))))
    models, optimizers = _known("models", p), _known("optimizers", p)
    for pair in shown.loss_curves:
        model, _, optimizer = str(pair).partition("-")
        if model not in models or optimizer not in optimizers:
            allowed = f"MODEL-OPTIMIZER, of {', '.join(models)} and {', '.join(optimizers)}"
            raise ValueError(f"figures.loss_curves is {pair!r}; allowed: {allowed}")


def _known(group: str, p: Parameters) -> list[str]:
    """The chosen ones, and all others that conf/ has."""
    files = [*CONF.glob(f"{group}/*.yaml"), *CONF.glob(f"{group}/optional/*.yaml")]
    return list(dict.fromkeys([*getattr(p, group), *sorted(path.stem for path in files)]))


def _check_pair(study: str, key: str, name: str, optimizer: str, p: Parameters) -> None:
    """The model and the optimizer are configured and fit each other, and the model fits every dataset."""
    check(study, name, OneOf(p.models))
    check(key, optimizer, OneOf(p.optimizers))
    model = p.models[name]
    family = families.get(model["family"])
    try:
        method = family.method(model, p.optimizers[optimizer])
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None
    for dataset, M, M_key in _dendrites(study, p):
        n_classes = p.datasets[dataset].n_classes
        if n_classes is not None and M is not None and family.suits(n_classes):
            family.check_dendrites(M_key, model, M, n_classes)
        sizes = [(M or p.dendrites_per_class * (n_classes or 2), M_key)]
        if study == "tuned" and p.tuned.values != "paper":
            sizes.append((p.tune.dendrites[1], "tune.dendrites"))
        for size, size_key in sizes:
            what = f"{key} on {dataset}, {method.individuals(1)} times {size} dendrites ({size_key}),"
            # With one feature: how many there are is known later, and they need more.
            check_room(what, training_bytes(method, 1, size, n_classes or 2))


def _dendrites(study: str, p: Parameters) -> list[tuple[str, int | None, str]]:
    """Each M of a study, with its dataset and its key; None: dendrites_per_class for each class."""
    points: list[tuple[str, int | None, str]] = []
    for name, dataset in p.datasets.items():
        if study == "sensitivity" and name not in p.sensitivity.datasets:
            continue
        if study not in COMMON_VALUES and dataset.tuned is not None:
            points.append((name, dataset.tuned.dendrites, f"datasets.{name}.tuned.dendrites"))
        else:
            points.append((name, p.dendrites, "dendrites"))
        if study == "sensitivity":
            points += [(name, M, "sensitivity.dendrites") for M in p.sensitivity.dendrites]
    return points


def _check_baseline(key: str, name: str, baseline: Baseline) -> None:
    """Whether the path leads to a classifier is found out by the stage that imports it: it takes seconds."""
    check(key, name, NAME)
    _check_estimator(key, baseline)
    for parameter, values in baseline.grid.items():
        if not values:
            raise ValueError(f"{key}.grid.{parameter} is []; allowed: at least one value to choose from")


def _check_estimator(key: str, estimator: Estimator) -> None:
    check(f"{key}.title", estimator.title, TITLE)
    check(f"{key}.estimator", estimator.estimator, ESTIMATOR)


def _check_targets(p: Parameters) -> None:
    for name, predictor in p.predictors.items():
        key = f"predictors.{name}"
        check(key, name, NAME)
        if not estimators_of(predictor):
            raise ValueError(f"{key} is {{}}; allowed: an estimator for at least one of {', '.join(TASKS)}")
        for task in TASKS:
            if (own := getattr(predictor, task)) is not None:
                _check_estimator(f"{key}.{task}", own)
    for task in TASKS:
        key, chosen = f"targets.measures.{task}", getattr(p.targets.measures, task)
        for name in chosen:
            check(key, name, OneOf(measures.names(task)))
        _check_each_once(key, chosen, "measure")


def _check_circuits(p: Parameters) -> None:
    for group, chosen in (("datasets", p.circuits.datasets), ("baselines", p.circuits.beside)):
        key = "circuits.datasets" if group == "datasets" else "circuits.beside"
        for name in chosen:
            check(key, name, OneOf(_known(group, p)))
    check("circuits.sizes", list(p.circuits.sizes), ListOf(Integer(1, MOST_CONDITIONS)))
    for name, model in p.readable.items():
        _check_baseline(f"readable.{name}", name, model)
        check(f"readable.{name}.size", model.size, OrNone(Text("[a-z]\\w*", "the name of a parameter")))


def _check_arena(p: Parameters) -> None:
    arena = p.arena
    for key in ("models", "optimizers", "datasets"):
        for name in getattr(arena, key):
            check(f"arena.{key}", name, OneOf(_known(key, p)))
    for name in arena.models:
        if name in p.models and p.models[name]["family"] != "modn":
            raise ValueError(f"arena.models is {name!r}; allowed: models of the family modn")
    check("arena.runs", arena.runs, Integer(1, MOST_RUNS))
    check("arena.gradient_cost", arena.gradient_cost, Number(1, MOST_EVALUATIONS))
    check("arena.targets", list(arena.targets), ListOf(Number(0, 1, "()")))
    budgets = Integer(math.ceil(arena.gradient_cost), MOST_EVALUATIONS)
    check("arena.budgets", list(arena.budgets), ListOf(budgets))
    if sorted(set(arena.budgets)) != list(arena.budgets):
        raise ValueError(f"arena.budgets is {arena.budgets}; allowed: numbers of evaluations, ascending")
    for name, optimizer in competing(p):
        _check_pair("arena", "arena.optimizers", name, optimizer, p)
        model = p.models[name]
        method = families.get(model["family"]).method(model, p.optimizers[optimizer])
        budget = arena.budgets[0 if method.plans_ahead else -1]
        least = math.ceil(method.cost(None, 0, arena.gradient_cost))
        if budget < least:
            pair = f"{name} with {optimizer}"
            raise ValueError(f"arena.budgets is {budget}; allowed: at least {least}, which {pair} needs")
