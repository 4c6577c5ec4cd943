"""Where the tasks of a stage run: this machine's cores, or a Dask cluster. No result depends on it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import joblib

from stages.entrypoint import StageError
from stages.schema import Runtime


def run_tasks(
    runtime: Runtime, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]
) -> Iterator[Any]:
    """Yield function(*task) for every task, as each is done, in no particular order."""
    with ExitStack() as stack:
        if runtime.engine == "dask":
            stack.enter_context(_dask_client(runtime))
            stack.enter_context(joblib.parallel_config(backend="dask"))
        workers = runtime.workers or -1
        parallel = joblib.Parallel(n_jobs=workers, return_as="generator_unordered", batch_size=1)
        yield from parallel(joblib.delayed(_single_threaded)(function, task) for task in tasks)


def _single_threaded(function: Callable[..., Any], task: tuple[Any, ...]) -> Any:
    """One thread per task: cores are shared out once, and sums are added up in one order."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        return function(*task)


def _dask_client(runtime: Runtime) -> Any:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise StageError("runtime=dask needs Dask: pip install 'modn[dask]'") from None
    if runtime.address is None:
        return Client(LocalCluster(n_workers=runtime.workers, threads_per_worker=1, dashboard_address=None))
    try:
        return Client(runtime.address, timeout="10s")
    except (OSError, ValueError) as error:
        raise StageError(
            f"runtime.address is {runtime.address!r}: no Dask scheduler answers there: {error}"
        ) from None
