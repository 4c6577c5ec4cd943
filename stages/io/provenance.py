"""How a result was made: versions, cores, time. No result depends on it, so it has a file of its own."""

import os
import platform
from importlib.metadata import version
from typing import Any

PACKAGES = ("modn", "numpy", "numba", "scipy", "scikit-learn", "pandas", "matplotlib", "dvc", "hydra-core")


def record(**facts: Any) -> dict[str, Any]:
    """The given facts, and versions, cores and machine."""
    versions = {"python": platform.python_version(), **{package: version(package) for package in PACKAGES}}
    return {**facts, "versions": versions, "cores": os.cpu_count(), "machine": platform.machine()}
