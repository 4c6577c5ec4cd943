"""Every target, run on every sample: what it decides is what the circuit decides."""

from pathlib import Path

import numpy as np
import pytest
from circuits import datasets, random_circuit
from runners import RUNNERS

DATASETS = datasets()
CIRCUITS = 12  # of each dataset


@pytest.mark.parametrize("dataset", DATASETS)
@pytest.mark.parametrize("runner", RUNNERS)
def test_a_program_decides_as_its_circuit(runner: str, dataset: str, tmp_path: Path) -> None:
    frame = DATASETS[dataset]
    rng = np.random.default_rng(len(dataset))
    circuits = [random_circuit(frame, rng) for _ in range(CIRCUITS)]
    expected = [circuit.predict(frame).tolist() for circuit in circuits]
    assert RUNNERS[runner](circuits, frame, tmp_path) == expected
