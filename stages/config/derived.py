"""What follows from the parameters, laid out so that each stage depends on just the values that it reads."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from modn import methods
from stages.config.schema import Dataset, Estimator, Parameters, Predictor, estimators_of
from stages.study import families
from stages.study.cells import RETUNED
from stages.study.names import default_title

FOUND = "data/models/tuning"  # where `tune` writes the values that it has found


def derive(parameters: Parameters) -> dict[str, Any]:
    """Views of the parameters: what `foreach` in dvc.yaml goes through, and values by study."""
    p = parameters
    trainings = dict(_trainings(p))
    searches = [item for item in trainings.values() if item["study"] == RETUNED]
    return {
        "sha256": _hash(p),
        "pairs": list(trainings),
        "trainings": trainings,
        "searches": {f"{item['model']}-{item['optimizer']}": item for item in searches},
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
            "targets": {
                "count": p.targets.resplits,
                "test_sizes": _test_sizes(p.targets.datasets),
                "tasks": {name: dataset.task for name, dataset in p.targets.datasets.items()},
                "columns": {name: list(dataset.targets) for name, dataset in p.targets.datasets.items()},
            },
        },
        "circuits": {
            "datasets": [name for name in p.circuits.datasets if name in p.datasets],
            "count": p.resplits,
            "sizes": list(p.circuits.sizes),
        },
        "arena": {
            "datasets": [name for name in p.arena.datasets if name in p.datasets],
            "pairs": [f"{model}-{optimizer}" for model, optimizer in competing(p)],
            "runs": min(p.arena.runs, p.resplits),
            "budgets": list(p.arena.budgets),
            "gradient_cost": p.arena.gradient_cost,
        },
    }


def _hash(p: Parameters) -> str:
    """The hash of all parameters that results may depend on."""
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
        found = f"{FOUND}/{model}-{optimizer}/values.json"
        yield (
            f"{study}-{model}-{optimizer}",
            {
                "study": study,
                "model": model,
                "optimizer": optimizer,
                "family": family.name,
                "values": found if study == RETUNED else "data/splits",  # else only the parameters'
                **dict(zip(("first", "then"), families.modules_of(p.optimizers[optimizer]), strict=True)),
            },
        )


def planned(p: Parameters) -> Iterator[tuple[str, str, str]]:
    """Study, model and optimizer of all that is trained: what is configured, restricted by `only`."""
    sensitivity = p.sensitivity
    chosen = any(dataset in p.datasets for dataset in sensitivity.datasets)
    studies = {
        "comparison": p.comparison,
        "tuned": p.tuned.methods if p.tuned.values != "ours" else {},
        RETUNED: p.tuned.methods if p.tuned.values != "paper" else {},
        "sensitivity": {sensitivity.model: [sensitivity.optimizer] if chosen else []},
    }
    for study, pairs in studies.items():
        for model, trained_by in pairs.items():
            for optimizer in trained_by:
                if _is_chosen(p, model, optimizer):
                    yield study, model, optimizer


def competing(p: Parameters) -> Iterator[tuple[str, str]]:
    """Model and optimizer of each pair of the arena: all that can be trained, restricted by `only`."""
    if not any(name in p.datasets for name in p.arena.datasets):
        return
    for model in [name for name in p.arena.models if name in p.models]:
        learned = p.models[model].get("filter") == methods.LEARNED
        for optimizer in [name for name in p.arena.optimizers if name in p.optimizers]:
            able = not learned or methods.learns_filter(p.optimizers[optimizer]["algorithm"])
            if able and _is_chosen(p, model, optimizer):
                yield model, optimizer


def _is_chosen(p: Parameters, model: str, optimizer: str) -> bool:
    chosen = ((model, p.only.models), (optimizer, p.only.optimizers))
    return all(names is None or name in names for name, names in chosen)


def _test_sizes(datasets: dict[str, Dataset]) -> dict[str, Any]:
    return {name: dataset.test_size for name, dataset in datasets.items()}


def _fits(p: Parameters) -> Iterator[tuple[str, dict[str, str]]]:
    """Each fit stage by its name: what it fits, on which parts, and what only it depends on."""
    of_circuits = p.readable if any(name in p.datasets for name in p.circuits.datasets) else {}
    of_targets = p.predictors if p.targets.datasets else {}
    studies: tuple[tuple[str, Mapping[str, Estimator | Predictor], str, str, str], ...] = (
        ("baselines", p.baselines, "baselines", "data/resplits", "derived.resplits.baselines"),
        (
            "extra",
            p.baselines if p.extra.datasets else {},
            "baselines",
            "data/extra",
            "derived.resplits.extra",
        ),
        ("circuits", of_circuits, "readable", "data/resplits", "derived.circuits"),
        ("targets", of_targets, "predictors", "data/targets", "derived.resplits.targets"),
    )
    for study, chosen, group, parts, view in studies:
        for name, own in chosen.items():
            item = {"study": study, "baseline": name, "parts": parts, "sources": _sources(own)}
            stage = name if study == "baselines" else f"{study}-{name}"
            yield stage, item | {"settings": f"{group}.{name}", "view": view}


def _sources(fitted: Estimator | Predictor) -> str:
    """The file of data/sources that a fit depends on: with the library, if an estimator is its own."""
    paths = [own.estimator for own in estimators_of(fitted)]
    return "fit-modn" if any(path.startswith("modn.") for path in paths) else "fit"


def _values(p: Parameters) -> dict[str, Any]:
    """M, alpha_s and alpha_t of each study."""
    size = "dendrites_per_class" if p.dendrites is None else "dendrites"
    common = {name: getattr(p, name) for name in (size, "alpha_s", "alpha_t")}
    own = {name: _own_values(common, dataset) for name, dataset in p.datasets.items()}
    study = p.sensitivity
    return {
        "comparison": common,
        "arena": common,
        "tuned": own,
        RETUNED: FOUND,
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
