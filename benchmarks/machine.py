"""The machine and the versions that a measurement belongs to."""

import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Any

from modn.fast.lanes import LANES

PACKAGES = (
    *("numpy", "numba", "scikit-learn", "jax", "mealpy", "pymoo", "evosax", "scikit-opt", "pyswarms"),
    *("lightgbm", "xgboost", "xgboost-cpu", "catboost", "interpret-core"),
)


def facts() -> dict[str, Any]:
    """The processor, its cores and the vectors that are used on it, the load before, and the versions."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "lanes": LANES,
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        "versions": {name: version for name in PACKAGES if (version := _version(name)) is not None},
    }


def _processor() -> str:
    """The processor's name where Linux tells it, else its architecture."""
    listed = Path("/proc/cpuinfo")
    lines = listed.read_text().splitlines() if listed.is_file() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
