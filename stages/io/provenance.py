"""How a result was made: versions, cores, time. Apart from the results: their bytes never depend on it."""

import os
import platform
from importlib.metadata import version
from typing import Any

PACKAGES = ("modn", "numpy", "numba", "scipy", "scikit-learn", "pandas", "matplotlib", "dvc", "hydra-core")


def record(**facts: Any) -> dict[str, Any]:
    """The facts given, and what the interpreter knows of itself and its machine."""
    versions = {"python": platform.python_version(), **{package: version(package) for package in PACKAGES}}
    return {**facts, "versions": versions, "cores": os.cpu_count(), "machine": platform.machine()}
