"""How large a Verilog module is: Yosys maps it to gates and counts them."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from modn.constraints import check
from modn.export.identifiers import Identifier

SECONDS = 600  # that a synthesis may take


def cells(source: str, name: str = "neuron") -> dict[str, int]:
    """The gates of a module by their kind, such as {"AND": 12, "MUX": 3}, after Yosys' default synthesis."""
    check("name", name, Identifier())
    yosys = shutil.which("yosys")
    if yosys is None:
        raise FileNotFoundError("yosys is not installed: it is needed to count gates")
    script = f"read_verilog in.v; synth -flatten -top {name}; tee -q -o out.json stat -json"
    with TemporaryDirectory() as folder:
        (Path(folder) / "in.v").write_text(source, encoding="ascii")
        done = subprocess.run(
            [yosys, "-q", "-p", script], cwd=folder, capture_output=True, text=True, timeout=SECONDS
        )
        if done.returncode:
            raise ValueError(f"yosys refuses the module: {done.stderr.strip().splitlines()[-1]}")
        counted = json.loads((Path(folder) / "out.json").read_text(encoding="utf-8"))
    found = counted["modules"][f"\\{name}"]["num_cells_by_type"]
    return {re.sub(r"^\$_|_$", "", kind): count for kind, count in sorted(found.items())}
