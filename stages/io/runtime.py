"""Where the tasks of a stage run: this machine's cores, or a Dask cluster. No result depends on it.

A task that fails, or kills its worker, is named when all others are done.
"""

import hashlib
import importlib.util
import os
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import joblib

import modn
from stages.config.schema import Runtime
from stages.io import machine
from stages.io.entrypoint import StageError

Function = Callable[..., Any]
Tasks = Mapping[str, tuple[Any, ...]]  # a task's name -> its arguments
Answer = tuple[Any, str | None]  # the function's result and None, or None and the reason of the failure

WORKER_DIED = "its worker died (killed by the operating system for lack of memory, or by a user)"
LISTED = 10  # failures in a message
WATCH_SECONDS = 0.2


def run_tasks(runtime: Runtime, function: Function, tasks: Tasks) -> Iterator[tuple[str, Any]]:
    """Yield every task's name and function(*arguments) as it finishes, in no particular order."""
    if not tasks:
        return
    answers = (
        _on_dask(runtime, function, tasks) if runtime.engine == "dask" else _here(runtime, function, tasks)
    )
    failures = {}
    for name, (result, failure) in answers:
        if failure is None:
            yield name, result
        else:
            failures[name] = failure
    if failures:
        raise StageError(_message(failures, len(tasks)))


def _message(failures: Mapping[str, str], n_tasks: int) -> str:
    """All failed tasks with their reasons, and the first traceback, if there is one."""
    lines = [f"{name}: {reason.splitlines()[-1]}" for name, reason in sorted(failures.items())]
    if len(lines) > LISTED:
        lines[LISTED:] = [f"and {len(lines) - LISTED} more"]
    traces = [reason for reason in failures.values() if "\n" in reason]
    head = f"{len(failures)} of {n_tasks} tasks failed; the others were done"
    return "\n".join([*traces[:1], f"{head}:", *(f"  {line}" for line in lines)])


def _here(runtime: Runtime, function: Function, tasks: Tasks) -> Iterator[tuple[str, Answer]]:
    """On this machine: in this process if there is one worker, else in worker processes."""
    workers = runtime.workers or joblib.cpu_count()
    left, suspects = dict(tasks), {}
    while left:
        try:
            for name, answer in _pool(workers, function, dict(left)):
                del left[name]
                yield name, answer
        except BrokenProcessPool:  # one worker died, and the pool with it; tasks are started in order
            for name in list(left)[:workers]:
                suspects[name] = left.pop(name)
    for name, task in suspects.items():  # Retry alone; if it dies again, it is the culprit.
        try:
            yield from _pool(2, function, {name: task})
        except BrokenProcessPool:
            yield name, (None, WORKER_DIED)


def _pool(workers: int, function: Function, tasks: Tasks) -> Iterator[tuple[str, Answer]]:
    parallel = joblib.Parallel(workers, return_as="generator_unordered", batch_size=1, pre_dispatch=workers)
    yield from parallel(
        joblib.delayed(_named)(os.getpid(), name, function, task) for name, task in tasks.items()
    )


def _on_dask(runtime: Runtime, function: Function, tasks: Tasks) -> Iterator[tuple[str, Answer]]:
    """On a Dask cluster, which repeats the tasks of a lost worker on another one.

    Dask's own client is used: joblib's Dask backend waits forever for a task whose workers died.
    """
    with _dask_client(runtime) as client:
        suspects = {}
        for name, answer in _submitted(client, function, tasks):
            if answer[1] == WORKER_DIED:
                suspects[name] = tasks[name]
            else:
                yield name, answer
        # Dask also blames the tasks that waited at the worker: retry each alone.
        for name, task in suspects.items():
            yield from _submitted(client, function, {name: task})


def _submitted(client: Any, function: Function, tasks: Tasks) -> Iterator[tuple[str, Answer]]:
    from distributed import KilledWorker, as_completed

    ours = code_versions()
    futures = {
        client.submit(_by_the_same_code, ours, function, task, pure=False): name
        for name, task in tasks.items()
    }
    for future, answer in as_completed(list(futures), with_results=True, raise_errors=False):
        name = futures.pop(future)
        if future.status == "finished":
            yield name, answer
        elif future.status != "error":
            yield name, (None, f"the cluster lost it ({future.status})")
        elif isinstance(answer[1], KilledWorker):
            yield name, (None, WORKER_DIED)
        else:
            yield name, (None, f"{type(answer[1]).__name__}: {answer[1]}".replace("\n", " "))


def _named(parent: int, name: str, function: Function, task: tuple[Any, ...]) -> tuple[str, Answer]:
    _end_with(parent)
    return name, _attempt(function, task)


@cache
def _end_with(parent: int) -> None:
    """In a worker process, end it soon after the stage has ended, however that was."""
    if os.getpid() == parent:
        return

    def watch() -> None:
        while os.getppid() == parent:
            sleep(WATCH_SECONDS)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def _by_the_same_code(expected: Mapping[str, str], function: Function, task: tuple[Any, ...]) -> Answer:
    """Refuse a worker with other code or another processor, whose numbers might differ unnoticed."""
    other = [
        f"{name} {found}, not {expected[name]}"
        for name, found in code_versions().items()
        if found != expected[name]
    ]
    if other:
        return None, f"a Dask worker is not like this machine: {'; '.join(other)}"
    return _attempt(function, task)


def _attempt(function: Function, task: tuple[Any, ...]) -> Answer:
    """Run a task in one thread: the cores are shared by tasks, and sums are added in one order."""
    from threadpoolctl import threadpool_limits

    # Never reset: in a worker with several tasks at a time, the limit of one would end that of the others.
    threadpool_limits(limits=1)
    try:
        return function(*task), None
    except (StageError, ValueError) as error:
        return None, str(error) or repr(error)
    except Exception:
        return None, traceback.format_exc().rstrip()


@cache
def code_versions() -> dict[str, str]:
    """What the bytes of a result depend on beside its arguments."""
    digest = hashlib.sha256()
    for folder in (Path(modn.__path__[0]), Path(__file__).parents[1]):
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.read_bytes())
    return {"the project's sources": digest.hexdigest()[:12], **machine.versions(), **machine.processor()}


def _dask_client(runtime: Runtime) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise StageError("runtime=dask needs Dask: pip install 'modn[dask]'") from None
    if runtime.address is None:
        return Client(n_workers=runtime.workers, threads_per_worker=1, dashboard_address=None)
    try:
        client = Client(runtime.address, timeout="10s")
    except (OSError, ValueError) as error:
        raise StageError(
            f"runtime.address is {runtime.address!r}: no Dask scheduler answers there: {error}"
        ) from None
    if not client.scheduler_info()["workers"]:
        print(f"waiting for a Dask worker at {runtime.address}", flush=True)
        client.wait_for_workers(1)
    # A worker without the project would die at its first task, without a message.
    found = client.run(importlib.util.find_spec, "stages")
    without = [address for address, module in found.items() if module is None]
    if without:
        client.close()
        raise StageError(
            f"the Dask worker at {without[0]} cannot import the project; start workers in its folder: "
            f"python -m dask worker {runtime.address}"
        )
    return client
