"""run_tasks: every result, whoever computes it; what fails is named when all else is done."""

import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import numba
import numpy as np
import psutil
import pytest
from copies import ROOT, SMOKE, Place
from tasks import meet, work
from threadpoolctl import threadpool_info, threadpool_limits

from modn.fast.objective import Objective
from stages import train as train_module
from stages.config.schema import Runtime
from stages.fetch import fetch
from stages.io import runtime
from stages.io.entrypoint import StageError
from stages.split import split

ONE, TWO = Runtime("local", workers=1), Runtime("local", workers=2)


def run(place: Runtime, names: Iterable[str]) -> tuple[list[str], str]:
    """The results in the order they came, and the error at the end."""
    results, error = [], ""
    try:
        for _, result in runtime.run_tasks(place, work, {name: (name,) for name in names}):
            results.append(result)
    except StageError as raised:
        error = str(raised)
    return results, error


def test_results_come_as_they_are_done() -> None:
    assert run(ONE, ["a", "b", "c"]) == (["a done", "b done", "c done"], "")


def check_failures(place: Runtime) -> None:
    """Tasks that fail are named when the others are done."""
    results, error = run(place, ["fails", "a", "refuses", "b"])
    assert set(results) == {"a done", "b done"}
    trace, _, summary = error.partition("2 of 4 tasks failed; the others were done:\n")
    assert "in work\n    return str(1 / 0)" in trace  # a fault of ours keeps its traceback
    assert summary.splitlines() == [
        "  fails: ZeroDivisionError: division by zero",
        "  refuses: M is 3; allowed: multiples of 2",
    ]
    _, error = run(place, ["a", "refuses"])
    assert error.startswith("1 of 2 tasks failed") and "Traceback" not in error


def test_a_task_that_fails_is_named_when_the_others_are_done() -> None:
    check_failures(ONE)


@pytest.mark.slow
def test_worker_processes_do_the_same_and_may_die(tmp_path: Path) -> None:
    """All by the same workers, which take seconds to start; those of the last tasks are started again."""
    tasks = {"first": (tmp_path / "met", True), "second": (tmp_path / "met", False)}
    assert [result for _, result in runtime.run_tasks(TWO, meet, tasks)] == ["second", "first"]
    check_failures(TWO)
    results, error = run(TWO, ["a", "dies", "b", "refuses", "c"])
    assert set(results) == {"a done", "b done", "c done"}
    assert error.startswith("2 of 5 tasks failed; the others were done:\n  dies: its worker died")
    assert "refuses: M is 3" in error


@pytest.mark.slow
def test_workers_end_with_their_stage() -> None:
    """Killed alone, it can tell them nothing."""
    code = (
        "import time\nfrom stages.config.schema import Runtime\nfrom stages.io import runtime\n"
        "list(runtime.run_tasks(Runtime('local', workers=2), time.sleep, {'a': (300,), 'b': (300,)}))"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT) as stage:
        workers: list[psutil.Process] = []
        deadline = time.monotonic() + 100
        while len(workers) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
            children = psutil.Process(stage.pid).children(recursive=True)
            workers = [child for child in children if "popen_loky" in " ".join(child.cmdline())]
        assert len(workers) == 2
        time.sleep(2)  # until they are at their tasks
        stage.kill()
    assert psutil.wait_procs(workers, timeout=30)[1] == []


def test_a_long_list_of_failures_is_cut() -> None:
    with pytest.raises(StageError) as raised:
        list(runtime.run_tasks(ONE, work, {f"task {k:02}": ("refuses",) for k in range(30)}))
    error = str(raised.value)
    assert "task 09: M is 3" in error and "task 10" not in error and error.endswith("and 20 more")


def threads(_: int) -> tuple[set[int], bool]:
    """Of the linear algebra; and whether the kernels have made numba start some of its own."""
    X, y = np.eye(4), np.arange(4) % 2
    Objective(X, y, 4, 2, 10.0, 1.0).gradient(np.zeros((3, 2 * 4 * 4 + 2 * 2)), np.ones((4, 2), bool))
    try:
        own = bool(numba.threading_layer())
    except ValueError:  # not started
        own = False
    return {pool["num_threads"] for pool in threadpool_info()}, own


@pytest.mark.parametrize("place", [ONE, TWO], ids=["one", "two"])
@pytest.mark.slow
def test_a_task_has_one_thread(place: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")  # which the tests have set to 1
    tasks = {str(k): (k,) for k in range(3)}
    with threadpool_limits(limits=2):
        assert {pool["num_threads"] for pool in threadpool_info()} == {2}
        assert [result for _, result in runtime.run_tasks(place, threads, tasks)] == [({1}, False)] * 3


def test_the_stage_names_the_cell_and_the_seed(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = place.parameters(*SMOKE)
    fetch(parameters)
    split(parameters)
    honest = train_module.train_one

    def fails_once(cell, method, budget, seed, *rest):  # type: ignore[no-untyped-def]
        if (cell.dataset, seed) == ("iris", 101):
            raise MemoryError("no room for 3 GiB")
        return honest(cell, method, budget, seed, *rest)

    monkeypatch.setattr(train_module, "train_one", fails_once)
    before = place.made()
    with pytest.raises(StageError) as raised:
        train_module.train(parameters, "comparison", "modnf", "bbo")
    assert "1 of 4 tasks failed" in str(raised.value)
    assert "comparison/modnf-bbo/iris, seed 101: MemoryError: no room for 3 GiB" in str(raised.value)
    assert place.made() == before
