"""How a result was made: versions, processor, cores, time. It has a file of its own, beside the results.

DVC does not keep these files: when it restores results from its cache, their record is missing or about
others.
"""

import hashlib
import json
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from stages.io import files, machine

PACKAGES = ("modn", "numpy", "numba", "scipy", "scikit-learn", "pandas", "matplotlib", "dvc", "hydra-core")


def record(**facts: Any) -> dict[str, Any]:
    """The given facts, and versions, cores, machine, and what its processor is used for."""
    versions = {"python": platform.python_version(), **{package: version(package) for package in PACKAGES}}
    here = {"cores": os.cpu_count(), "machine": platform.machine(), "processor": machine.processor()}
    return {**facts, "versions": versions, **here}


def write(study: str, name: str, facts: dict[str, Any]) -> None:
    """Write the record of the results in data/models/<study>/<name>."""
    files.write_json(_path(study, name), {**facts, "results": _digest(files.MODELS / study / name)})


def read(study: str, name: str) -> dict[str, Any] | None:
    """The record of the results in data/models/<study>/<name>; None: they were made elsewhere or earlier."""
    try:
        facts: dict[str, Any] = json.loads(_path(study, name).read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    return facts if facts.get("results") == _digest(files.MODELS / study / name) else None


def _path(study: str, name: str) -> Path:
    return files.PROVENANCE / study / f"{name}.json"


def _digest(folder: Path) -> str:
    total = hashlib.sha256()
    for path in sorted(folder.glob("*.npz")):
        total.update(f"{path.name}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
