"""Each target, run: circuits and samples in, predicted labels out. One run for all circuits and samples."""

import json
import re
import sqlite3
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pandas as pd
from circuits import rows_of
from tools import need

from modn import export
from modn.explain.circuit import Circuit

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]

Circuits = Sequence[Circuit]
Predictions = list[list[Any]]  # of each circuit, for each sample


def run_python(circuits: Circuits, frame: pd.DataFrame, folder: Path, **options: Any) -> Predictions:
    found = []
    for circuit in circuits:
        space: dict[str, Any] = {}
        exec(export.python(circuit, **options), space)
        function = space["neuron"]
        if options:
            found.append(function(*(frame.iloc[:, i] for i in range(frame.shape[1]))).tolist())
        else:
            found.append([function(*row) for row in rows_of(frame)])
    return found


def run_numpy(circuits: Circuits, frame: pd.DataFrame, folder: Path) -> Predictions:
    return run_python(circuits, frame, folder, numpy=True)


def run_c(circuits: Circuits, frame: pd.DataFrame, folder: Path) -> Predictions:
    """The program reads rows of doubles and writes the label of each circuit for each row."""
    need("gcc")
    D = len(circuits[0].features)
    source = ["#include <stdio.h>"]
    for k, circuit in enumerate(circuits):
        (folder / f"f{k}.c").write_text(export.c(circuit, name=f"f{k}"), encoding="ascii")
        source.append(f'#include "f{k}.c"')
    calls = "".join(f"fputs(f{k}_classes[f{k}(x)], stdout); putchar(0); " for k in range(len(circuits)))
    source.append(
        f"int main(void) {{ double x[{D}];\n"
        f"while (fread(x, sizeof x, 1, stdin) == 1) {{ {calls} }} return 0; }}"
    )
    (folder / "main.c").write_text("\n".join([*source, ""]))
    build = ["gcc", *STRICT, "-O0", "-o", str(folder / "main"), str(folder / "main.c")]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = np.column_stack([coded(circuits[0], i, frame.iloc[:, i]) for i in range(D)])
    out = subprocess.run([folder / "main"], input=rows.tobytes(), capture_output=True, check=True).stdout
    texts = out.decode().split("\0")[:-1]
    labels = [{str(label): label for label in circuit.classes.tolist()} for circuit in circuits]
    return [[labels[k][text] for text in texts[k :: len(circuits)]] for k in range(len(circuits))]


def coded(circuit: Circuit, i: int, column: pd.Series) -> np.ndarray:
    categories = circuit.features[i].categories
    if categories is None:
        return column.to_numpy(dtype=np.float64)
    codes = {text: k for k, text in enumerate(categories)}
    return np.array([np.nan if pd.isna(x) else codes.get(str(x), 99) for x in column], dtype=np.float64)


def run_javascript(circuits: Circuits, frame: pd.DataFrame, folder: Path) -> Predictions:
    need("node")
    source = ['import { readFileSync } from "node:fs";']
    for k, circuit in enumerate(circuits):
        (folder / f"f{k}.mjs").write_text(export.javascript(circuit, name=f"f{k}"), encoding="ascii")
        source.append(f'import {{ f{k} }} from "./f{k}.mjs";')
    (folder / "rows.json").write_text(json.dumps(rows_of(frame)))
    functions = ", ".join(f"f{k}" for k in range(len(circuits)))
    source.append('const rows = JSON.parse(readFileSync("rows.json", "utf8"));')
    source.append(f"console.log(JSON.stringify([{functions}].map((f) => rows.map((row) => f(row).label))));")
    (folder / "main.mjs").write_text("\n".join(source))
    done = subprocess.run(["node", "main.mjs"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def run_sql(circuits: Circuits, frame: pd.DataFrame, folder: Path) -> Predictions:
    """Truth values are stored as the texts True and False: SQLite has no others."""
    base = sqlite3.connect(":memory:")
    quoted = ['"' + str(name).replace('"', '""') + '"' for name in frame]
    base.execute(f"CREATE TABLE samples ({', '.join(quoted)}, row_number INTEGER)")
    rows = [[str(x) if isinstance(x, bool) else x for x in row] for row in rows_of(frame)]
    marks = ", ".join("?" * (len(quoted) + 1))
    base.executemany(f"INSERT INTO samples VALUES ({marks})", [(*row, k) for k, row in enumerate(rows)])
    found = [base.execute(export.sql(circuit, keep=["row_number"])).fetchall() for circuit in circuits]
    base.close()
    return [[label for _, label in sorted(rows)] for rows in found]


def run_verilog(circuits: Circuits, frame: pd.DataFrame, folder: Path) -> Predictions:
    """The test benches themselves compare; a sample with a missing value has no words."""
    need("iverilog", "vvp")
    modules = [export.verilog(circuit, X=frame, name=f"f{k}") for k, circuit in enumerate(circuits)]
    modules += [
        export.testbench(circuit, X=frame, name=f"f{k}", n_random=300) for k, circuit in enumerate(circuits)
    ]
    out = simulated(modules, folder)
    passed = re.findall(r"^PASS: (\d+) samples$", out, re.MULTILINE)
    assert len(passed) == len(circuits) and all(int(n) >= len(frame.dropna()) for n in passed), out
    return [circuit.predict(frame).tolist() for circuit in circuits]


def simulated(modules: Sequence[str], folder: Path) -> str:
    """What the modules print when Icarus Verilog runs them."""
    (folder / "all.v").write_text("\n".join(modules), encoding="ascii")
    build = [
        "iverilog",
        "-g2005",
        "-Wall",
        "-Wno-timescale",
        "-o",
        str(folder / "all"),
        str(folder / "all.v"),
    ]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return subprocess.run(["vvp", str(folder / "all")], capture_output=True, text=True, check=True).stdout


def run_onnx(circuits: Circuits, frame: pd.DataFrame, folder: Path) -> Predictions:
    found = []
    for circuit in circuits:
        session = onnxruntime.InferenceSession(export.onnx(circuit), providers=["CPUExecutionProvider"])
        label, scores = session.run(None, feeds(session, frame))
        assert np.array_equal(scores, circuit.scores(frame))
        found.append(label.tolist())
    return found


def feeds(session: Any, frame: pd.DataFrame) -> dict[str, np.ndarray]:
    """The tensors of some samples, by the features that the model's metadata name."""
    held = session.get_modelmeta().custom_metadata_map
    tensors = {tensor.name: frame[json.loads(held[tensor.name])] for tensor in session.get_inputs()}
    return {
        name: part.to_numpy(np.float64)
        if name == "numbers"
        else part.map(lambda x: "" if pd.isna(x) else str(x)).to_numpy(object)
        for name, part in tensors.items()
    }


RUNNERS = {
    "c": run_c,
    "javascript": run_javascript,
    "numpy": run_numpy,
    "onnx": run_onnx,
    "python": run_python,
    "sql": run_sql,
    "verilog": run_verilog,
}
