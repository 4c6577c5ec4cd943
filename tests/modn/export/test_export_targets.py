"""Every target, run on every sample: what it decides is what the circuit decides."""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from circuits import RAW, datasets, learned_circuit, random_circuit, raw_dataset
from runners import RUNNERS

from modn import export
from modn.explain.circuit import Circuit, Condition, Feature

DATASETS = datasets()
CIRCUITS = 4  # of each dataset


def compare(runner: str, circuits: list[Circuit], frame: pd.DataFrame, folder: Path) -> None:
    assert RUNNERS[runner](circuits, frame, folder) == [
        circuit.predict(frame).tolist() for circuit in circuits
    ]


def test_every_target_is_run() -> None:
    """The test bench is run with the Verilog module."""
    assert set(export.names()) - {"testbench"} <= set(RUNNERS)


@pytest.mark.parametrize("dataset", DATASETS)
@pytest.mark.parametrize("runner", RUNNERS)
def test_a_program_decides_as_its_circuit(runner: str, dataset: str, tmp_path: Path) -> None:
    frame = DATASETS[dataset]
    rng = np.random.default_rng(len(dataset))
    compare(runner, [random_circuit(frame, rng) for _ in range(CIRCUITS)], frame, tmp_path)


@cache
def case(dataset: str) -> tuple[list[Circuit], pd.DataFrame, list[list[object]]]:
    """Random circuits and a learned one, the samples, and what the circuits decide of them."""
    frame = raw_dataset(dataset)
    rng = np.random.default_rng(len(dataset))
    circuits = [learned_circuit(frame), *(random_circuit(frame, rng) for _ in range(CIRCUITS))]
    return circuits, frame, [circuit.predict(frame).tolist() for circuit in circuits]


@pytest.mark.slow
@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("dataset", [path.stem for path in sorted(RAW.glob("*.csv"))])
def test_every_row_of_every_dataset(dataset: str, runner: str, tmp_path: Path) -> None:
    circuits, samples, expected = case(dataset)
    assert RUNNERS[runner](circuits, samples, tmp_path) == expected


LABELS = [np.array([7, -3, 0]), np.array([0.5, 1e300, -2.0]), np.array([False, True]), np.array(["", "a b"])]


@pytest.mark.parametrize("runner", RUNNERS)
def test_labels_keep_their_type(runner: str, tmp_path: Path) -> None:
    frame, rng = DATASETS["iris"], np.random.default_rng(1)
    compare(runner, [random_circuit(frame, rng, labels) for labels in LABELS], frame, tmp_path)


@pytest.mark.parametrize("runner", RUNNERS)
def test_extreme_numbers(runner: str, tmp_path: Path) -> None:
    """Thresholds next to a double's limits, and scores that need more than 32 bits."""
    values = [-1e308, -1.5, -1e-300, -0.0, 0.0, 5e-324, 0.1, 1.0, 1 + 2**-52, 1e16, 1e308]
    if runner == "verilog":  # 53 bits hold these
        values = [-1e9, -1.5, -0.25, -0.0, 0.0, 2**-20, 1.0, 1 + 2**-20, 1e9]
    frame = pd.DataFrame({"x": values})
    dendrites = tuple((Condition(0, test, t),) for t in values for test in (">=", "<"))
    rng = np.random.default_rng(0)
    chosen = rng.random((len(dendrites), 4)) < 0.3
    circuits = [
        Circuit((Feature("x"),), np.arange(4), dendrites, chosen * weights[1:], weights[0])
        for largest in (2**40, 5, 1)
        for weights in [rng.integers(1 - largest, largest, (len(dendrites) + 1, 4))]
    ]
    compare(runner, circuits, frame, tmp_path)
