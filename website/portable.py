"""One target for every x86-64 processor, so that a page's outputs are the same on all of them.

By default Numba, OpenBLAS and NumPy use the best instructions that a processor has, and round differently on
another one: a tie between two conditions of a circuit may then go either way.
"""

import os
from importlib import import_module

AVX2 = {"X86_V2", "X86_V3"}  # what NumPy may use; whatever is above goes


def environment() -> dict[str, str]:
    """The variables of this process, with the target pinned for a process that it starts."""
    compiled = import_module("numpy._core._multiarray_umath")
    above = [
        name for name in compiled.__cpu_dispatch__ if name not in AVX2 and compiled.__cpu_features__[name]
    ]
    return os.environ | {
        "NUMBA_CPU_NAME": "generic",
        "OPENBLAS_CORETYPE": "Haswell",
        "NPY_DISABLE_CPU_FEATURES": ",".join(above) or os.environ.get("NPY_DISABLE_CPU_FEATURES", ""),
    }
