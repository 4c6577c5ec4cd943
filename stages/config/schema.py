"""Names and types of every parameter: what conf/ may compose to and params.yaml may hold.

Ranges are in stages.config.checks. Models and optimizers are blocks without a type here: each family and each
algorithm knows its own parameters.
"""

from dataclasses import dataclass, field
from typing import Any

from omegaconf import MISSING


@dataclass
class Tuned:
    """The values tuned for one dataset (Table 4)."""

    dendrites: int = MISSING
    alpha_s: float = MISSING
    alpha_t: float = MISSING


@dataclass
class Dataset:
    """One dataset and how it is read."""

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
    one_hot: list[str] = field(default_factory=list)  # columns whose categories have no order
    missing: str = "refuse"  # refuse, drop_rows, or median (of the training part)
    iterations: int = 300  # R of the heuristic optimizers
    tuned: Tuned | None = None


@dataclass
class Baseline:
    """One classifier of the baselines: its fixed parameters, and the grid that is searched."""

    title: str = MISSING
    estimator: str = MISSING  # its import path
    standardise: bool = False  # the features, before it sees them
    parameters: dict[str, Any] = field(default_factory=dict)
    grid: dict[str, list[Any]] = field(default_factory=dict)  # empty: it is not tuned


@dataclass
class Extra:
    """The baselines on datasets that the paper does not have, with default parameters."""

    resplits: int = MISSING
    datasets: dict[str, Dataset] = field(default_factory=dict)


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
    tuned: dict[str, list[str]] = field(default_factory=dict)
    sensitivity: Sensitivity = field(default_factory=Sensitivity)
    only: Only = field(default_factory=Only)
    resplits: int = MISSING
    grid_folds: int = MISSING
    baselines: dict[str, Baseline] = field(default_factory=dict)
    extra: Extra = field(default_factory=Extra)
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
