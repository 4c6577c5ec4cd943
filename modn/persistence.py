"""Models as files: `modn.save(model, path)` and `modn.load(path)`, for estimators, neurons and circuits.

A file is an .npz (a zip of arrays) that is read without pickle: opening one never runs code. Numbers are
stored as arrays, everything else as JSON in the member `header`. The zip's checksums reveal damage; `version`
tells a newer format from a damaged file.

>>> import tempfile
>>> from modn import MODNClassifier, load, save
>>> model = MODNClassifier(random_state=0).fit([[0.0], [0.1], [0.9], [1.0]], ["low", "low", "high", "high"])
>>> with tempfile.TemporaryDirectory() as folder:
...     save(model, f"{folder}/model.modn")
...     load(f"{folder}/model.modn").predict([[0.05]]).tolist()
['low']
"""

import json
import os
from collections.abc import Mapping, Sized
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from modn.constraints import (
    Constraint,
    Flag,
    Integer,
    ListOf,
    Number,
    OneOf,
    Options,
    OrNone,
    Text,
    check,
    check_all,
)
from modn.container import Arrays, ContainerError, read_container
from modn.dnm import DNM
from modn.estimators import DNMClassifier, MODNClassifier, MODNRegressor
from modn.explain.circuit import Circuit
from modn.inputs import Inputs
from modn.neuron import Neuron
from modn.validation import finite_array, labels_of
from modn.writing import replacing

FORMAT, VERSION = "modn model", 2  # version 1 had one neuron, features scaled by their range, and Eq. 9

Model = MODNClassifier | MODNRegressor | DNMClassifier | Neuron | DNM | Circuit

_NEURONS: dict[str, Any] = {"Neuron": Neuron, "DNM": DNM}
_ESTIMATORS: dict[str, Any] = {
    "MODNClassifier": MODNClassifier,
    "MODNRegressor": MODNRegressor,
    "DNMClassifier": DNMClassifier,
}
# Of a neuron; a DNM has the first two arrays, and strength may be None.
_ARRAYS = ("w_s", "theta_s", "P", "w_t", "theta_t", "strength")
_VALUES = ("alpha_s", "alpha_t", "alpha_o", "theta_o", "target")

# What a header may hold; arrays, classes and features are checked where they are used.
HEADER: dict[str, Constraint] = {
    "model": OneOf([*_ESTIMATORS, *_NEURONS, "Circuit"]),
    "notes": Options(),
    "neuron": OneOf(_NEURONS),
    "estimator": Options(),
    "classifier": Options(),  # of version 1
    "circuit": Options(),
}
ESTIMATOR: dict[str, Constraint] = {
    "parameters": Options(),
    "feature_names": ListOf(Text()),
    "named": Flag(),
    "n_iter": Integer(1),
    "output_names": ListOf(Text()),
    "temperature": OrNone(Number(0, ends="(]")),
}


class FormatError(ValueError):
    """The file is not a model file of modn, is damaged, or needs a later version."""


def save(model: Model, path: str | os.PathLike[str], notes: Mapping[str, Any] | None = None) -> None:
    """Write a fitted estimator, a neuron or a circuit to a file; an existing file is replaced atomically.

    `notes`: JSON values to store with the model; `read` returns them. A `random_state` that is not an integer
    is not stored: the loaded estimator has None.

    >>> import modn, os, tempfile
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = modn.MODNClassifier(random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     modn.save(model, os.path.join(folder, "iris.modn"), notes={"data": "iris"})
    """
    kind = type(model).__name__
    if kind not in {**_NEURONS, **_ESTIMATORS, "Circuit": Circuit}:
        allowed = ", ".join([*_ESTIMATORS, *_NEURONS, "Circuit"])
        raise TypeError(f"a {kind} cannot be saved; allowed: {allowed}")
    header: dict[str, Any] = {"format": FORMAT, "version": VERSION, "modn": version("modn"), "model": kind}
    header["notes"] = dict(notes or {})
    arrays: Arrays = {}
    if isinstance(model, Circuit):
        header["circuit"] = model.to_dict()
    else:
        arrays = _describe_model(kind, model, header)
    text = np.array(json.dumps(header, default=_plain))
    with replacing(Path(path)) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, header=text, **arrays)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` wrote; any other file raises a FormatError.

    >>> import modn, os, tempfile
    >>> neuron = modn.Neuron([[1.0]], [[0.5]], [[True]], [1.0], [0.0], alpha_s=10, alpha_t=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     modn.save(neuron, os.path.join(folder, "neuron.modn"))
    ...     modn.load(os.path.join(folder, "neuron.modn")).synapse_states().tolist()
    [['excitatory']]
    """
    return read(path)[0]


def read(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any]]:
    """Read a model and its notes."""
    header, arrays = _open(Path(path))
    try:
        check_all(header, HEADER)
        if header["model"] == "Circuit":
            return Circuit.from_dict(header["circuit"]), dict(header["notes"])
        if header["version"] == 1:
            header, arrays = _as_version_2(header, arrays)
        neurons = [
            _NEURONS[header["neuron"]](
                **{name: arrays[f"{name}.{k}"] for name in _ARRAYS if f"{name}.{k}" in arrays}, **numbers
            )
            for k, numbers in enumerate(header["numbers"])
        ]
        kind = header["model"]
        if kind in _NEURONS:
            return neurons[0], dict(header["notes"])
        return _rebuild_estimator(kind, neurons, header["estimator"], arrays), dict(header["notes"])
    except KeyError as error:
        raise FormatError(f"{path} is damaged: {error.args[0]} is missing") from error
    except (AttributeError, IndexError, OverflowError, TypeError, ValueError) as error:
        raise FormatError(f"{path} is damaged: {error}") from error


def _open(path: Path) -> tuple[dict[str, Any], Arrays]:
    try:
        header, arrays = read_container(path)
    except ContainerError as error:
        raise FormatError(f"{path} is not a model file of modn, or is damaged: {error}") from error
    try:
        check("header", header, Options())
        check("format", header.get("format"), OneOf([FORMAT]))
        written = header.get("version")
        check("version", written, Integer(1))
    except ValueError as error:
        raise FormatError(f"{path} is an .npz file, but not a model file of modn: {error}") from error
    if written > VERSION:
        raise FormatError(
            f"{path} was written by modn {header.get('modn')}, format {written}; "
            f"modn {version('modn')} reads formats up to {VERSION}: install a later version"
        )
    return header, arrays


def _describe_model(kind: str, model: Any, header: dict[str, Any]) -> Arrays:
    """Add what an estimator or a neuron is to the header; returns its arrays."""
    arrays: Arrays = {}
    if kind in _ESTIMATORS:
        check_is_fitted(model)
        header["estimator"], arrays = _describe_estimator(model)
    neurons: list[Any] = getattr(model, "neurons_", [model])
    header["neuron"] = type(neurons[0]).__name__
    header["numbers"] = [
        {name: getattr(neuron, name) for name in _VALUES if hasattr(neuron, name)} for neuron in neurons
    ]
    for k, neuron in enumerate(neurons):
        found = {name: getattr(neuron, name, None) for name in _ARRAYS}
        arrays |= {f"{name}.{k}": array for name, array in found.items() if array is not None}
    return arrays


def _describe_estimator(model: Any) -> tuple[dict[str, Any], Arrays]:
    parameters = model.get_params(deep=False)
    if not isinstance(parameters["random_state"], int | np.integer):
        parameters["random_state"] = None
    if isinstance(parameters.get("class_weight"), Mapping):  # as pairs: in JSON, keys are texts
        parameters["class_weight"] = [[*pair] for pair in parameters["class_weight"].items()]
    features, knots = model.inputs_.describe()
    description = {
        "parameters": parameters,
        "feature_names": list(model.inputs_.feature_names),
        "named": hasattr(model, "feature_names_in_"),
        "features": features,
        "n_iter": model.n_iter_,
    }
    if isinstance(model, MODNRegressor):
        description["output_names"] = model.output_names_
    else:
        description["classes"] = model.classes_.tolist()
        description["classes_dtype"] = model.classes_.dtype.str
        description["temperature"] = model.temperature_
    return description, {"loss_curve": model.loss_curve_, **knots}


def _rebuild_estimator(kind: str, neurons: list[Any], description: dict[str, Any], arrays: Arrays) -> Any:
    check_all(description, ESTIMATOR)
    parameters = description["parameters"]
    if isinstance(parameters.get("class_weight"), list):
        parameters = parameters | {"class_weight": dict(parameters["class_weight"])}
    model = _ESTIMATORS[kind](**parameters)
    check_all(parameters, model.allowed)
    first = neurons[0]
    C = first.n_classes if isinstance(first, Neuron) else 2
    if isinstance(model, MODNRegressor):
        model.output_names_, model.n_outputs_ = [str(name) for name in description["output_names"]], C
        outputs: Sized = model.output_names_
    else:
        outputs = model.classes_ = labels_of(description["classes"], description["classes_dtype"], "biufUO")
        model.temperature_ = description["temperature"]
    if len(outputs) != C:
        raise ValueError(f"{len(outputs)} names for {C} outputs")
    names = description["feature_names"]
    model.inputs_ = Inputs.rebuild(description["features"], arrays, names)
    for neuron in neurons:
        if len(neuron.w_s) != len(model.inputs_.columns):
            raise ValueError(f"{len(model.inputs_.columns)} inputs for a neuron with {len(neuron.w_s)}")
    model.n_features_in_ = len(names)
    if description["named"]:
        model.feature_names_in_ = np.array(names, dtype=object)
    model.n_iter_ = description["n_iter"]
    model.loss_curve_ = finite_array("loss_curve", arrays["loss_curve"], ("n_steps",))
    model.neuron_, model.neurons_ = first, neurons
    return model


def _as_version_2(header: dict[str, Any], arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    """One neuron; features scaled by their range; no temperature but that of Eq. 4, which is 1."""
    header = header | {"numbers": [header["numbers"]]}
    arrays = {f"{name}.0" if name in _ARRAYS else name: array for name, array in arrays.items()}
    if header["model"] in _ESTIMATORS:
        D = len(arrays["w_s.0"])
        low, high = (finite_array(name, arrays[name], (D,)) for name in ("data_min", "data_max"))
        before = header["classifier"]
        names = before["feature_names"]
        all_names = [f"x{i}" for i in range(D)] if names is None else names
        features, knots = Inputs.by_range(low, high, all_names).describe()
        temperature = None if header["neuron"] == "Neuron" else 1.0
        now = {"feature_names": all_names, "named": names is not None, "temperature": temperature}
        header["estimator"] = before | now | {"features": features}
        arrays |= knots
    return header, arrays


def _plain(value: Any) -> Any:
    """NumPy's numbers and read-only mappings as values that JSON knows."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} cannot be written as JSON")
