"""How many gates a circuit is on a chip: Yosys maps the Verilog of one circuit per dataset to one-bit cells.

The circuits are those of the first resplit, as the pipeline left them in data/models/circuits (`dvc exp run
-S profile=paper` makes those of all datasets). Inputs are in fixed point, each as narrow as still decides
every row of the dataset right. The table is written to data/raw/measured/circuit_cells.csv. The
report quotes it, but only for circuits that are the very same: it never quotes stale numbers. Needs Yosys.

    python -m benchmarks.circuit_cells
"""

import json
import subprocess
from typing import Any

import numpy as np
import pandas as pd

from modn import Circuit
from modn.export.synthesis import cells
from stages.config import composition
from stages.io import files
from stages.study import circuits

TABLE = files.RAW / "measured/circuit_cells.csv"


def measure(dataset: str, text: str, yosys: str) -> dict[str, Any]:
    """One circuit's digest and what it costs."""
    parts = files.read_arrays(files.resplits_of("circuits") / f"{dataset}.npz")
    X = np.concatenate([parts["X_train"][0], parts["X_test"][0]])
    circuit = Circuit.from_dict(json.loads(text))
    counted = cells(circuit.to_verilog(X=X))
    return {
        "circuit": circuits.digest(text),
        "dataset": dataset,
        "conditions": circuit.n_conditions,
        "gates": circuit.n_gates,
        "cells": sum(counted.values()),
        "yosys": yosys,
    }


def main() -> None:
    """Measure the circuits of the last run of the pipeline, and replace the table."""
    found = circuits.first_circuits(composition.compose_stage([]))
    if not found:
        raise SystemExit("data/models/circuits has no circuits; `dvc repro` makes them")
    yosys = subprocess.run(["yosys", "-V"], capture_output=True, text=True, check=True).stdout.split()[1]
    table = pd.DataFrame([measure(dataset, text, yosys) for dataset, text in found.items()])
    files.write_csv(TABLE, table)
    print(table.to_string(index=False))


if __name__ == "__main__":
    main()
