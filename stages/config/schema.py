"""Names and types of every parameter: what conf/ may compose to and params.yaml may hold.

Ranges are in stages.config.checks. Models and optimizers are blocks without a type here: each family and each
algorithm knows its own parameters.
"""

import typing
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

MISSING: Any = "???"  # OmegaConf's mark, whose import takes a tenth of a second


@dataclass
class Tuned:
    """The values tuned for one dataset (Table 4)."""

    dendrites: int = MISSING
    alpha_s: float = MISSING
    alpha_t: float = MISSING


@dataclass
class TunedStudy:
    """Tables 4 and 5: methods, each at the values tuned for the dataset."""

    values: str = MISSING  # paper: Table 4; ours: found by the stage `tune`; both: side by side
    methods: dict[str, list[str]] = field(default_factory=dict)  # model -> optimizers


@dataclass
class Tune:
    """The search for our own values of Table 4, within the training part; ranges are [lowest, highest]."""

    trials: int = MISSING
    batch: int = MISSING
    folds: int = MISSING
    repeats: int = MISSING
    dendrites: list[int] = field(default_factory=list)
    alpha_s: list[float] = field(default_factory=list)
    alpha_t: list[float] = field(default_factory=list)


@dataclass
class Dataset:
    """One dataset and how it is read."""

    title: str = MISSING
    file: str = MISSING  # a CSV with a header, below data/raw
    task: str = "classification"  # or regression, or labels: see conf/datasets/targets
    class_column: str | None = None  # of classification
    targets: list[str] = field(default_factory=list)  # columns: of regression numbers, of labels 0 or 1
    test_size: Any = MISSING  # rows (an integer), or a share of them (a number below 1)
    uci_id: int | None = None
    sha256: str | None = None  # of the file; null: not verified
    n_classes: int | None = None  # verified when given
    drop_columns: list[str] = field(default_factory=list)
    drop_classes: list[str] = field(default_factory=list)
    codes: dict[str, dict[str, Any]] = field(default_factory=dict)  # column -> category -> number
    one_hot: list[str] = field(default_factory=list)  # columns whose categories have no order
    missing: str = "refuse"  # refuse, drop_rows, or median (of the training part)
    iterations: int = 300  # R of the heuristic optimizers
    tuned: Tuned | None = None


@dataclass
class Estimator:
    """What is fitted on resplits: its import path and its fixed parameters."""

    title: str = MISSING
    estimator: str = MISSING  # its import path
    standardise: bool = False  # the features, before it sees them
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass
class Baseline(Estimator):
    """One classifier of the baselines, and the grid that is searched."""

    grid: dict[str, list[Any]] = field(default_factory=dict)  # empty: it is not tuned


@dataclass
class Readable(Baseline):
    """One model of the study `circuits`: a classifier that a person can read."""

    size: str | None = None  # the parameter that limits the number of conditions; null: its own size only
    size_offset: int = 0  # what is added to the number: a tree has one leaf more than conditions


@dataclass
class Circuits:
    """Circuits beside other models that a person can read, on the resplits of the baselines."""

    datasets: list[str] = field(default_factory=list)  # those of them that are chosen are run
    sizes: list[int] = field(default_factory=list)  # numbers of conditions, for the figure
    beside: list[str] = field(default_factory=list)  # baselines that the table shows as well, if they are run


@dataclass
class Extra:
    """The baselines on datasets that the paper does not have, with default parameters."""

    resplits: int = MISSING
    datasets: dict[str, Dataset] = field(default_factory=dict)


@dataclass
class TaskEstimator(Estimator):
    """What the study `targets` fits for one task."""

    per_output: bool = False  # one model for each target, where it can predict only one
    standardise_targets: bool = False  # numbers, before it sees them


@dataclass
class Predictor:
    """One model of the study `targets`, for each task; null: it does not do that."""

    regression: TaskEstimator | None = None
    labels: TaskEstimator | None = None


TASKS = tuple(one.name for one in fields(Predictor))


def estimators_of(fitted: Estimator | Predictor) -> list[Estimator]:
    """What is fitted: the estimator itself, or one for each task."""
    if isinstance(fitted, Estimator):
        return [fitted]
    return [own for task in TASKS if (own := getattr(fitted, task)) is not None]


@dataclass
class TargetMeasures:
    """What is computed on the test parts of the study `targets`, by task; models are ranked by the first."""

    regression: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)


@dataclass
class Targets:
    """Numbers and labels by the same neuron, beside other models with default parameters."""

    resplits: int = MISSING
    measures: TargetMeasures = field(default_factory=TargetMeasures)
    datasets: dict[str, Dataset] = field(default_factory=dict)


@dataclass
class Arena:
    """Optimizers at equal evaluations, on the resplits of the baselines."""

    # Those of them that are chosen are run.
    models: list[str] = field(default_factory=list)
    optimizers: list[str] = field(default_factory=list)
    datasets: list[str] = field(default_factory=list)
    runs: int = MISSING
    budgets: list[int] = field(default_factory=list)  # evaluations, ascending
    gradient_cost: float = MISSING  # evaluations that one with a gradient counts as
    targets: list[float] = field(default_factory=list)  # shares of the gap, descending


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
    learned_filter: list[str] = field(default_factory=list)  # optimizers
    circuit: str = MISSING  # dataset; if the study lacks it, the study's first


@dataclass
class Split:
    """How rows become training and test parts."""

    protocol: str = MISSING
    seed: int = MISSING
    count: int = MISSING  # splits made; run k uses the k-th, or the only one


@dataclass
class Fetch:
    """Where the raw datasets come from."""

    source: str = "bundled"


@dataclass
class Runtime:
    """Where the work is done; no result depends on it."""

    engine: str = "local"
    workers: int | None = None
    address: str | None = None
    store_mib: int = 1024  # the most that data/store may hold


@dataclass
class Only:
    """What is trained of all that is configured; null: everything."""

    models: list[str] | None = None
    optimizers: list[str] | None = None


@dataclass
class Parameters:
    """The whole of params.yaml."""

    about: str = "Composed from conf/, do not edit; see make params, dvc exp run -S"
    profile: str = MISSING
    runs: int = MISSING
    max_iterations: int | None = None
    seed: int = MISSING
    alpha_s: float = MISSING
    alpha_t: float = MISSING
    dendrites_per_class: int = MISSING
    dendrites: int | None = None
    comparison: dict[str, list[str]] = field(default_factory=dict)
    tuned: TunedStudy = field(default_factory=TunedStudy)
    tune: Tune = field(default_factory=Tune)
    sensitivity: Sensitivity = field(default_factory=Sensitivity)
    arena: Arena = field(default_factory=Arena)
    only: Only = field(default_factory=Only)
    resplits: int = MISSING
    grid_folds: int = MISSING
    baselines: dict[str, Baseline] = field(default_factory=dict)
    extra: Extra = field(default_factory=Extra)
    circuits: Circuits = field(default_factory=Circuits)
    readable: dict[str, Readable] = field(default_factory=dict)
    targets: Targets = field(default_factory=Targets)
    predictors: dict[str, Predictor] = field(default_factory=dict)
    measures: list[str] = field(default_factory=list)
    baseline_measures: list[str] = field(default_factory=list)
    figures: Figures = field(default_factory=Figures)
    datasets: dict[str, Dataset] = field(default_factory=dict)
    models: dict[str, Any] = field(default_factory=dict)  # title, family, and the family's own
    optimizers: dict[str, Any] = field(default_factory=dict)  # algorithm, and the algorithm's own
    split: Split = field(default_factory=Split)
    fetch: Fetch = field(default_factory=Fetch)
    runtime: Runtime = field(default_factory=Runtime)
    derived: dict[str, Any] = field(default_factory=dict)


def typed(kind: Any, value: Any) -> Any:
    """A plain value, such as JSON has, as what the schema says that it is."""
    if value is None:
        return None
    if typing.get_origin(kind) is dict:
        (_, inner) = typing.get_args(kind)
        return {name: typed(inner, one) for name, one in value.items()}
    kind = next(filter(is_dataclass, typing.get_args(kind)), kind)  # of one that may be None
    if not is_dataclass(kind):
        return value
    kinds = typing.get_type_hints(kind)
    return kind(**{name: typed(kinds[name], one) for name, one in value.items()})  # type: ignore[operator]
