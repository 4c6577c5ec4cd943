"""runtime=dask: the same bytes from real schedulers and workers on this machine, whatever happens to them."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from copies import ROOT, Place, Project
from one_training import PAIR, TRAIN, prepared, trained
from tasks import work

from stages.config.schema import Runtime
from stages.io import runtime, store
from stages.io.entrypoint import StageError
from stages.train import train

dask = pytest.importorskip("dask")
pytest.importorskip("distributed")

LONG = ("max_iterations=null", "datasets.iris.iterations=1", "datasets.caesarian.iterations=800")
DASK = ("python", "-m", "dask")
OURS = Project(ROOT, ROOT / ".dvc/tmp")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """That of a scheduler, started as docs/clusters.md does."""
    about = tmp_path_factory.mktemp("dask") / "scheduler.json"
    where = ("--host", "127.0.0.1", "--port", "0", "--dashboard-address", ":0")
    command = (*DASK, "scheduler", *where, "--scheduler-file", str(about))
    with OURS.started(*command, output=subprocess.DEVNULL):
        for _ in range(600):
            if about.exists():
                break
            time.sleep(0.1)
        yield json.loads(about.read_text())["address"]


def worker(address: str, folder: Path = ROOT) -> AbstractContextManager[subprocess.Popen[str]]:
    """One as docs/clusters.md starts it."""
    how = ("--nthreads", "1", "--no-nanny", "--no-dashboard")
    return OURS.started(*DASK, "worker", address, *how, output=subprocess.DEVNULL, folder=folder)


@pytest.mark.slow
def test_a_cluster_gives_the_same_bytes_though_a_worker_is_killed(
    place: Place, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parameters = prepared(place, *LONG)
    train(parameters, *PAIR)
    here = trained(place)
    place.forget()
    shutil.rmtree(place.root / "data/models")
    with worker(address) as first, worker(address):
        run_tasks, results = store.run_tasks, []

        def killing(*arguments: Any) -> Iterator[tuple[str, Any]]:
            for name, result in run_tasks(*arguments):
                results.append(name)
                if sum("/iris," in done for done in results) == 2:  # both are at caesarian, which is long
                    first.kill()
                yield name, result

        monkeypatch.setattr(store, "run_tasks", killing)
        parameters.runtime = Runtime("dask", address=address)
        train(parameters, *PAIR)
    assert len(results) == 4 and trained(place) == here


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Port .* is already in use")  # by a cluster of another test
def test_a_task_that_takes_its_workers_with_it_is_named_when_the_others_are_done() -> None:
    """The others too that Dask blames, because they waited at the worker that died."""
    tasks = {name: (name,) for name in ("a", "dies", "b", "refuses", "c")}
    done = []
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),  # else four workers die each time
        pytest.raises(StageError) as raised,
    ):
        for _, result in runtime.run_tasks(Runtime("dask", workers=2), work, tasks):
            done.append(result)
    assert sorted(done) == ["a done", "b done", "c done"]
    assert str(raised.value) == (
        "2 of 5 tasks failed; the others were done:\n"
        f"  dies: {runtime.WORKER_DIED}\n"
        "  refuses: M is 3; allowed: multiples of 2"
    )


@pytest.mark.slow
def test_a_worker_without_the_project_is_told_of(place: Place, address: str, tmp_path: Path) -> None:
    parameters = prepared(place)
    before = place.made()
    parameters.runtime = Runtime("dask", address=address)
    message = "cannot import the project; start workers in its folder: python -m dask worker"
    with worker(address, tmp_path), pytest.raises(StageError, match=message):
        train(parameters, *PAIR)
    assert place.made() == before


def test_a_worker_with_other_code_is_refused() -> None:
    ours = runtime.code_versions()
    assert runtime._by_the_same_code(ours, sum, ([1, 2],)) == (3, None)
    result, failure = runtime._by_the_same_code(ours | {"numpy": "1.0"}, sum, ([1, 2],))
    assert result is None
    assert failure == f"a Dask worker is not like this machine: numpy {ours['numpy']}, not 1.0"


@pytest.mark.slow
def test_an_address_where_nobody_answers_is_told_of(place: Place, runnable: Project) -> None:
    place.write_parameters(prepared(place))
    done = runnable.run(*TRAIN, "runtime.engine=dask", "runtime.address=tcp://127.0.0.1:9")
    assert done.returncode == 1
    assert "'tcp://127.0.0.1:9': no Dask scheduler answers there" in done.stdout
