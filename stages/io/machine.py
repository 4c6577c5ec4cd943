"""What results depend on beside parameters, data, seed and sources: versions, and the processor's targets.

Compiled code and linear algebra use the instructions of the processor they find, and round differently.
"""

import platform
from functools import cache
from importlib import import_module
from importlib.metadata import version

PACKAGES = ("numpy", "scipy", "numba", "llvmlite", "scikit-learn")


@cache
def versions() -> dict[str, str]:
    """Of Python, the packages that compute, and the C library."""
    packages = {name: version(name) for name in PACKAGES}
    return {"python": platform.python_version(), **packages, "libc": " ".join(platform.libc_ver())}


@cache
def processor() -> dict[str, str]:
    """What Numba compiles for, and the instructions that NumPy and BLAS have chosen.

    Environment variables count, such as NUMBA_CPU_NAME, NPY_DISABLE_CPU_FEATURES and OPENBLAS_CORETYPE.
    """
    import scipy.linalg  # noqa: F401 # loads SciPy's BLAS beside NumPy's
    from numba.core import config
    from numba.core.registry import cpu_target
    from threadpoolctl import threadpool_info

    compiled = import_module("numpy._core._multiarray_umath")  # what np.show_runtime() prints is nowhere else
    instructions = [name for name in compiled.__cpu_dispatch__ if compiled.__cpu_features__.get(name)]
    switches = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DISABLE_JIT")
    target = cpu_target.target_context.codegen().magic_tuple()  # which Numba's own cache depends on
    blas = {
        " ".join(str(library.get(key)) for key in ("internal_api", "version", "architecture"))
        for library in threadpool_info()
        if library["user_api"] == "blas"
    }
    return {
        "Numba's target": " ".join(target),
        "Numba's switches": " ".join(f"{name}={getattr(config, name)}" for name in switches),
        "NumPy's instructions": " ".join(instructions),
        "BLAS": ", ".join(sorted(blas)),
    }
