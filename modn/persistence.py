"""Models as files: `modn.save(model, path)` and `modn.load(path)`, for classifiers and bare neurons.

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
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from modn.constraints import Integer, check
from modn.dnm import DNM
from modn.estimators import DNMClassifier, MODNClassifier
from modn.neuron import Neuron
from modn.validation import finite_array
from modn.writing import replacing

FORMAT, VERSION = "modn model", 1

Model = MODNClassifier | DNMClassifier | Neuron | DNM
Arrays = dict[str, np.ndarray]

_NEURONS: dict[str, Any] = {"Neuron": Neuron, "DNM": DNM}
_CLASSIFIERS: dict[str, Any] = {"MODNClassifier": MODNClassifier, "DNMClassifier": DNMClassifier}
_ARRAYS = ("w_s", "theta_s", "P", "w_t", "theta_t")  # of a neuron; a DNM has the first two
_NUMBERS = ("alpha_s", "alpha_t", "alpha_o", "theta_o")


class FormatError(ValueError):
    """The file is not a model file of modn, is damaged, or needs a later version."""


def save(model: Model, path: str | os.PathLike[str], notes: Mapping[str, Any] | None = None) -> None:
    """Write a fitted classifier or a neuron to a file; an existing file is replaced atomically.

    `notes`: JSON values to store with the model; `read` returns them. A `random_state` that is not an integer
    is not stored: the loaded classifier has None.
    """
    kind = type(model).__name__
    if kind not in {**_NEURONS, **_CLASSIFIERS}:
        allowed = ", ".join([*_CLASSIFIERS, *_NEURONS])
        raise TypeError(f"a {kind} cannot be saved; allowed: {allowed}")
    header: dict[str, Any] = {"format": FORMAT, "version": VERSION, "modn": version("modn"), "model": kind}
    header["notes"] = dict(notes or {})
    arrays: Arrays = {}
    if kind in _CLASSIFIERS:
        check_is_fitted(model)
        header["classifier"], arrays = _describe_classifier(model)
    neuron = getattr(model, "neuron_", model)
    header["neuron"] = type(neuron).__name__
    header["numbers"] = {name: getattr(neuron, name) for name in _NUMBERS if hasattr(neuron, name)}
    arrays |= {name: getattr(neuron, name) for name in _ARRAYS if hasattr(neuron, name)}
    text = np.array(json.dumps(header, default=_plain))
    with replacing(Path(path)) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, header=text, **arrays)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` wrote; any other file raises a FormatError."""
    return read(path)[0]


def read(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any]]:
    """Read a model and its notes."""
    header, arrays = _open(Path(path))
    try:
        neuron = _NEURONS[header["neuron"]](
            **{name: arrays[name] for name in _ARRAYS if name in arrays}, **header["numbers"]
        )
        kind = header["model"]
        model = (
            neuron if kind in _NEURONS else _rebuild_classifier(kind, neuron, header["classifier"], arrays)
        )
        return model, dict(header["notes"])
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{path} is damaged: {error!r}") from error


def _open(path: Path) -> tuple[dict[str, Any], Arrays]:
    with path.open("rb") as file:
        if file.read(2) != b"PK":  # NumPy would take it for a pickle and suggest how to open that
            raise FormatError(f"{path} is not a model file of modn: it is not an .npz file")
        file.seek(0)
        try:
            archive = np.load(file, allow_pickle=False)
            arrays = {name: archive[name] for name in archive.files}
        except Exception as error:  # NumPy and zipfile raise many kinds of errors for damaged bytes
            raise FormatError(f"{path} is not a model file of modn, or is damaged: {error}") from error
    try:
        header = json.loads(str(arrays.pop("header")))
        if header["format"] != FORMAT:
            raise ValueError(f"its format is {header['format']!r}")
        written = header["version"]
        check("version", written, Integer(1))
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{path} is an .npz file, but not a model file of modn: {error!r}") from error
    if written > VERSION:
        raise FormatError(
            f"{path} was written by modn {header.get('modn')}, format {written}; "
            f"modn {version('modn')} reads formats up to {VERSION}: install a later version"
        )
    return header, arrays


def _describe_classifier(model: Any) -> tuple[dict[str, Any], Arrays]:
    parameters = model.get_params(deep=False)
    if not isinstance(parameters["random_state"], int | np.integer):
        parameters["random_state"] = None
    names = model.feature_names_in_.tolist() if hasattr(model, "feature_names_in_") else None
    description = {
        "parameters": parameters,
        "classes": model.classes_.tolist(),
        "classes_dtype": model.classes_.dtype.str,
        "feature_names": names,
        "n_iter": model.n_iter_,
    }
    arrays = {"data_min": model.data_min_, "data_max": model.data_max_, "loss_curve": model.loss_curve_}
    return description, arrays


def _rebuild_classifier(kind: str, neuron: Neuron | DNM, description: dict[str, Any], arrays: Arrays) -> Any:
    model = _CLASSIFIERS[kind](**description["parameters"])
    D = len(neuron.w_s)
    C = neuron.n_classes if isinstance(neuron, Neuron) else 2
    model.classes_ = np.array(description["classes"], dtype=np.dtype(description["classes_dtype"]))
    if model.classes_.shape != (C,):
        raise ValueError(f"{len(model.classes_)} class labels for {C} classes")
    model.n_features_in_ = D
    if description["feature_names"] is not None:
        model.feature_names_in_ = np.array(description["feature_names"], dtype=object)
        if model.feature_names_in_.shape != (D,):
            raise ValueError(f"{len(model.feature_names_in_)} feature names for {D} features")
    model.data_min_ = finite_array("data_min", arrays["data_min"], (D,))
    model.data_max_ = finite_array("data_max", arrays["data_max"], (D,))
    model.loss_curve_ = arrays["loss_curve"]
    check("n_iter", description["n_iter"], Integer(1))
    model.n_iter_ = description["n_iter"]
    model.neuron_ = neuron
    return model


def _plain(value: Any) -> Any:
    """NumPy's numbers and read-only mappings as values that JSON knows."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} cannot be written as JSON")
