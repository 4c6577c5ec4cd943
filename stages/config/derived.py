"""What follows from the parameters, laid out so that each stage depends on just the values that it reads."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from modn import methods, optimizers
from stages.config.schema import Baseline, Dataset, Parameters
from stages.study import families
from stages.study.names import default_title


def derive(parameters: Parameters) -> dict[str, Any]:
    """Views of the parameters: what `foreach` in dvc.yaml goes through, and values by study."""
    p = parameters
    trainings = dict(_trainings(p))
    return {
        "sha256": _hash(p),
        "pairs": list(trainings),
        "trainings": trainings,
        "fits": dict(_fits(p)),
        "values": _values(p),
        "titles": {
            "models": {name: model["title"] for name, model in p.models.items()},
            "optimizers": {
                name: block.get("title", default_title(name)) for name, block in p.optimizers.items()
            },
        },
        "budgets": {name: dataset.iterations for name, dataset in p.datasets.items()},
        "test_sizes": _test_sizes(p.datasets),
        "resplits": {
            "baselines": {"count": p.resplits, "test_sizes": _test_sizes(p.datasets)},
            "extra": {"count": p.extra.resplits, "test_sizes": _test_sizes(p.extra.datasets)},
        },
    }


def _hash(p: Parameters) -> str:
    """Of all parameters that results may depend on."""
    values = {key: value for key, value in asdict(p).items() if key not in ("about", "derived", "runtime")}
    return hashlib.sha256(json.dumps(_with_text_keys(values), sort_keys=True).encode()).hexdigest()


def _with_text_keys(value: Any) -> Any:
    """Keys of other types, which YAML has as well, cannot be sorted among texts."""
    if isinstance(value, dict):
        return {str(key): _with_text_keys(inner) for key, inner in value.items()}
    return [_with_text_keys(inner) for inner in value] if isinstance(value, list) else value


def _trainings(p: Parameters) -> Iterator[tuple[str, dict[str, str]]]:
    """Each train stage by its name: what it trains, and the files that only it depends on."""
    for study, model, optimizer in planned(p):
        family = families.get(p.models[model]["family"])
        yield (
            f"{study}-{model}-{optimizer}",
            {
                "study": study,
                "model": model,
                "optimizer": optimizer,
                "family": family.name,
                "equations": family.equations,
                **_modules(p.optimizers[optimizer]["algorithm"]),
            },
        )


def planned(p: Parameters) -> Iterator[tuple[str, str, str]]:
    """Study, model and optimizer of all that is trained: what is configured, restricted by `only`."""
    sensitivity = p.sensitivity
    chosen = any(dataset in p.datasets for dataset in sensitivity.datasets)
    studies = {
        "comparison": p.comparison,
        "tuned": p.tuned,
        "sensitivity": {sensitivity.model: [sensitivity.optimizer] if chosen else []},
    }
    models, optimizers = (
        p.models if p.only.models is None else p.only.models,
        p.optimizers if p.only.optimizers is None else p.only.optimizers,
    )
    for study, pairs in studies.items():
        for model, trained_by in pairs.items():
            for optimizer in trained_by:
                if model in models and optimizer in optimizers:
                    yield study, model, optimizer


def _modules(algorithm: str) -> dict[str, str]:
    """The files below modn/optimizers that an algorithm is in; of a pair, both."""
    parts = [optimizers.parameters_class(part) for part in algorithm.split(methods.JOINED)]
    modules = [part.__module__.rpartition(".")[2] for part in parts]
    return {"first": modules[0], "then": modules[-1]}


def _test_sizes(datasets: dict[str, Dataset]) -> dict[str, Any]:
    return {name: dataset.test_size for name, dataset in datasets.items()}


def _fits(p: Parameters) -> Iterator[tuple[str, dict[str, str]]]:
    """Each fit stage by its name: what it fits, on which parts, and the files that only it depends on."""
    for study, prefix, parts in (("baselines", "", "data/resplits"), ("extra", "extra-", "data/extra")):
        for name, baseline in p.baselines.items() if study == "baselines" or p.extra.datasets else ():
            item = {"study": study, "baseline": name, "parts": parts, "source": _source(baseline)}
            yield f"{prefix}{name}", item


def _source(baseline: Baseline) -> str:
    """What a fit depends on beside its stage: the library, if the estimator is its own."""
    return "modn" if baseline.estimator.startswith("modn.") else "stages/study/baselines.py"


def _values(p: Parameters) -> dict[str, Any]:
    """M, alpha_s and alpha_t of each study."""
    size = "dendrites_per_class" if p.dendrites is None else "dendrites"
    common = {name: getattr(p, name) for name in (size, "alpha_s", "alpha_t")}
    own = {name: _own_values(common, dataset) for name, dataset in p.datasets.items()}
    study = p.sensitivity
    return {
        "comparison": common,
        "tuned": own,
        "sensitivity": {
            "common": common,
            "own": {name: own[name] for name in study.datasets if name in own},
            "dendrites": list(study.dendrites),
            "alpha_s": list(study.alpha_s),
            "alpha_t": list(study.alpha_t),
        },
    }


def _own_values(common: dict[str, Any], dataset: Dataset) -> dict[str, Any]:
    """The dataset's tuned values; where it has none, the common ones."""
    return common if dataset.tuned is None else asdict(dataset.tuned)
