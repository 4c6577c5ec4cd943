"""One fit of a model that a person can read: the task of `fit` in the study `circuits`.

A model is fitted at the size that it chooses itself, and at fixed sizes. A size is a number of conditions: of
a circuit those of its dendrites, of a tree or a sum of trees its splits. A classifier that has circuits is
read as its circuit.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from math import nan
from time import perf_counter
from typing import Any

import numpy as np

from stages.config.schema import Readable
from stages.study import baselines

NEURON = ("baselines", "modn")  # the study and the classifier whose neurons become circuits
OWN = 0  # stands for the size that a model chooses itself

Arrays = dict[str, np.ndarray]


def has_circuit(chosen: Readable) -> bool:
    """Whether the classifier itself cannot be read, but its circuit can."""
    return hasattr(baselines.estimator_class(chosen.estimator), "to_circuit")


def read_one(
    chosen: Readable,
    sizes: Sequence[int],
    folds: int,
    seed: int,
    X: np.ndarray,
    y: np.ndarray,
    X_test: np.ndarray,
) -> tuple[Arrays, dict[str, float]]:
    """Predictions of the test part (K, N) at the K sizes, conditions and gates of each; and the seconds.

    Of a circuit also what its neuron predicts, and the circuit of its own size as JSON.
    """
    np.random.seed(seed)  # noqa: NPY002 - FIGS breaks ties by NumPy's global generator
    found = _Found(X_test)
    if has_circuit(chosen):
        _fit_circuits(found, chosen, sizes, seed, X, y)
    else:
        _fit_models(found, chosen, sizes, folds, seed, X, y)
    return found.arrays(), found.seconds


class _Found:
    """What the models of one fit predict and cost."""

    def __init__(self, X_test: np.ndarray) -> None:
        self.X_test = X_test
        self.rows: list[dict[str, Any]] = []
        self.further = Arrays()
        self.seconds: dict[str, float] = {}

    def add(self, size: int, model: Any) -> None:
        labels = np.ravel(model.predict(self.X_test))
        gates = float(getattr(model, "n_gates", nan))
        self.rows.append({"sizes": size, "labels": labels, "conditions": n_conditions(model), "gates": gates})

    def arrays(self) -> Arrays:
        return {key: np.array([row[key] for row in self.rows]) for key in self.rows[0]} | self.further


def n_conditions(model: Any) -> float:
    """How many conditions there are to read; NaN: unknown."""
    if hasattr(model, "get_n_leaves"):
        return float(model.get_n_leaves() - 1)
    return float(getattr(model, "n_conditions", getattr(model, "complexity_", nan)))  # complexity_: imodels


def _fit_circuits(
    found: _Found, chosen: Readable, sizes: Sequence[int], seed: int, X: np.ndarray, y: np.ndarray
) -> None:
    circuit_path = import_module("modn").circuit_path  # by its name: other models do not depend on it
    neuron: Any = baselines.make(chosen, seed).fit(X, y)
    begin = perf_counter()
    path = circuit_path(neuron, X, y, random_state=seed)
    found.seconds["default"] = perf_counter() - begin
    own = path.circuit()
    for size, circuit in ((OWN, own), *((size, path.circuit(size)) for size in sizes)):
        found.add(size, circuit)
    text = json.dumps(replace(own, path=None).to_dict(), sort_keys=True)
    found.further = {"neuron_labels": np.ravel(neuron.predict(found.X_test)), "circuit": np.array(text)}


def _fit_models(
    found: _Found,
    chosen: Readable,
    sizes: Sequence[int],
    folds: int,
    seed: int,
    X: np.ndarray,
    y: np.ndarray,
) -> None:
    begin = perf_counter()
    if chosen.grid:
        own: Any = baselines.searched(chosen, folds, seed).fit(X, y).best_estimator_
    else:
        own = baselines.make(chosen, seed).fit(X, y)
    found.seconds["grid" if chosen.grid else "default"] = perf_counter() - begin
    found.add(OWN, own)
    begin = perf_counter()
    for size, limited in _limited(chosen, sizes):
        found.add(size, baselines.make(limited, seed).fit(X, y))
    found.seconds["sizes"] = perf_counter() - begin


def _limited(chosen: Readable, sizes: Sequence[int]) -> Iterator[tuple[int, Readable]]:
    """The model with at most so many conditions, for each size."""
    if chosen.size is None:
        return
    for size in sizes:
        limit = {chosen.size: size + chosen.size_offset}
        yield size, replace(chosen, parameters={**chosen.parameters, **limit})
