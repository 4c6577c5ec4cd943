"""How large circuits are as hardware: default circuits of the paper's 11 datasets, synthesised by Yosys.

Each circuit is learned from a whole dataset; its inputs have as few bits as decide every row right.
Needs data/tables (`python -m stages.fetch`) and yosys.

    python -m benchmarks.exports [--datasets iris wine]
"""

import argparse

import pandas as pd

from benchmarks.training import ROOT
from modn import CircuitClassifier, export
from modn.explain.circuit import Circuit
from modn.export.fixed_point import ports_of
from modn.export.parts import parts_of
from modn.export.synthesis import cells
from stages.study.cleaning import features_and_labels


def size_of(circuit: Circuit, X: pd.DataFrame) -> dict[str, int]:
    """The size of a circuit in several units."""
    ports = ports_of(circuit, parts_of(circuit, "verilog"), X, None)
    return {
        "conditions": circuit.n_conditions,
        "gates": circuit.n_gates,
        "input bits": sum(port.width for port in ports),
        "cells": sum(cells(export.verilog(circuit, X=X)).values()),
        "bytes of C": len(export.c(circuit)),
    }


def main() -> None:
    """Print a row for each dataset."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = sorted(path.stem for path in (ROOT / "conf/datasets").glob("*.yaml"))
    parser.add_argument("--datasets", nargs="+", choices=names, default=names, metavar="NAME")
    print("| dataset | conditions | gates | input bits | cells | bytes of C |\n| --- | " + "---: | " * 5)
    for name in parser.parse_args().datasets:
        X, y = features_and_labels(
            pd.read_csv(ROOT / f"data/tables/{name}.csv", dtype=str, keep_default_na=False)
        )
        circuit = CircuitClassifier(random_state=0).fit(X, y).circuit_
        print(f"| {name} | " + " | ".join(map(str, size_of(circuit, X).values())) + " |", flush=True)


if __name__ == "__main__":
    main()
