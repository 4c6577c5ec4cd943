"""Circuits as JSON values, and back."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from modn.explain.circuit import Circuit, Condition, Evidence, Feature, SizePath
from modn.validation import labels_of


def to_dict(circuit: Circuit) -> dict[str, Any]:
    """The circuit as dicts, lists, texts and numbers; NaN, which JSON lacks, becomes None."""
    return {
        "features": [
            {
                "name": feature.name,
                "categories": None if feature.categories is None else list(feature.categories),
            }
            for feature in circuit.features
        ],
        "classes": circuit.classes.tolist(),
        "classes_dtype": circuit.classes.dtype.str,
        "dendrites": [
            [{"feature": c.feature, "test": c.test, "value": c.value} for c in conditions]
            for conditions in circuit.dendrites
        ],
        "weights": circuit.weights.tolist(),
        "theta_t": circuit.theta_t.tolist(),
        "evidence": _plain(circuit.evidence),
        "path": _plain(circuit.path),
    }


def from_dict(values: Mapping[str, Any]) -> Circuit:
    """The circuit that `to_dict` wrote; anything else raises a ValueError."""
    try:
        classes = labels_of(values["classes"], values["classes_dtype"])
        C, M = len(classes), len(values["dendrites"])
        return Circuit(
            features=tuple(
                Feature(_text(one["name"]), one["categories"] and tuple(map(_text, one["categories"])))
                for one in values["features"]
            ),
            classes=classes,
            dendrites=tuple(
                tuple(Condition(one["feature"], one["test"], one["value"]) for one in conditions)
                for conditions in values["dendrites"]
            ),
            weights=_weights(values) if M else np.zeros((0, C), np.int64),
            theta_t=np.array(values["theta_t"]),
            evidence=_evidence(values["evidence"], M, len(values["features"])),
            path=_path(values["path"]),
        )
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"not a circuit: {error!r}") from None


def _weights(values: Mapping[str, Any]) -> np.ndarray:
    """The weights; older files have one for each class, and P."""
    if "weights" not in values:
        return np.array(values["P"], dtype=bool) * np.array(values["w_t"])
    return np.array(values["weights"])


def _plain(record: Evidence | SizePath | None) -> dict[str, Any] | None:
    if record is None:
        return None
    lists = {name: np.asarray(value).tolist() for name, value in record._asdict().items()}
    return {name: _without_nan(value) for name, value in lists.items()}


def _without_nan(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_nan(one) for one in value]
    return None if value != value else value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"name is {value!r}; allowed: text")
    return value


def _numbers(values: Any, length: int) -> np.ndarray:
    array = np.array([np.nan if value is None else float(value) for value in values], dtype=np.float64)
    if array.shape != (length,):
        raise ValueError(f"{len(array)} numbers; allowed: {length}")
    return array


def _evidence(values: Mapping[str, Any] | None, M: int, D: int) -> Evidence | None:
    if values is None:
        return None
    return Evidence(
        n_samples=int(values["n_samples"]),
        accuracy=float(values["accuracy"]),
        support=_numbers(values["support"], M),
        precision=_numbers(values["precision"], M),
        worth=_numbers(values["worth"], M),
        spread=_numbers(values["spread"], D),
    )


def _path(values: Mapping[str, Any] | None) -> SizePath | None:
    if values is None:
        return None
    sizes = np.array([int(size) for size in values["sizes"]], dtype=np.int64)
    neuron = values["neuron"]
    return SizePath(
        sizes,
        _numbers(values["accuracy"], len(sizes)),
        _numbers(values["standard_error"], len(sizes)),
        int(values["chosen"]),
        np.nan if neuron is None else float(neuron),
    )
