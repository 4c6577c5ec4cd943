"""runtime=dask: the same bytes from real schedulers and workers on this machine, whatever happens to them."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from copies import Project, contents

from stages.config.schema import Runtime
from stages.io import runtime
from stages.io.entrypoint import StageError

pytest.importorskip("distributed")

TRAIN = ("python", "-m", "stages.train", "study=comparison", "model=modnf", "optimizer=bbo")
# iris has the larger cells and is begun first: once it is done, the workers are at caesarian
LONG = ("max_iterations=null", "datasets.iris.iterations=1", "datasets.caesarian.iterations=800")
DASK = ("python", "-m", "dask")


def trained(project: Project) -> dict[str, bytes]:
    return contents(project.root, "data/models/comparison/modnf-bbo")


def forget(project: Project) -> None:
    project.forget()
    for path in project.root.glob("data/models/comparison/modnf-bbo/*"):
        path.unlink()


@contextmanager
def scheduler(project: Project) -> Iterator[str]:
    """The address of a new one."""
    about = project.root.parent / "scheduler.json"
    where = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(about))
    with project.started(*DASK, "scheduler", *where, output=subprocess.DEVNULL):
        for _ in range(600):
            if about.exists():
                break
            time.sleep(0.1)
        yield json.loads(about.read_text())["address"]


def worker(
    project: Project, address: str, folder: Path | None = None
) -> AbstractContextManager[subprocess.Popen[str]]:
    """One as docs/clusters.md starts it."""
    how = ("--nthreads", "1", "--no-nanny", "--no-dashboard")
    return project.started(*DASK, "worker", address, *how, output=subprocess.DEVNULL, folder=folder)


@pytest.mark.slow
def test_a_cluster_gives_the_same_bytes_though_a_worker_is_killed(project: Project) -> None:
    base = trained(project)
    project.succeed(*TRAIN, *LONG, "runtime.workers=1")
    long = trained(project)
    assert long != base
    with (
        scheduler(project) as address,
        worker(project, address) as first,
        worker(project, address),
    ):
        on_the_cluster = ("runtime.engine=dask", f"runtime.address={address}")
        forget(project)
        project.succeed(*TRAIN, *on_the_cluster)
        assert trained(project) == base
        forget(project)
        with project.started(*TRAIN, *LONG, *on_the_cluster) as process:
            assert process.stdout is not None
            assert "iris done" in [process.stdout.readline() for _ in range(2)][-1]
            first.kill()
            output, _ = process.communicate(timeout=120)
        assert process.returncode == 0, output
        assert trained(project) == long


@pytest.mark.slow
def test_a_local_cluster_is_started_where_no_address_is_given(project: Project) -> None:
    base = trained(project)
    forget(project)
    project.succeed(*TRAIN, "runtime.engine=dask", "runtime.workers=2")
    assert trained(project) == base


def work(name: str) -> str:
    if name == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if name == "refuses":
        raise ValueError("M is 3; allowed: multiples of 2")
    return name


@pytest.mark.slow
def test_a_task_that_takes_its_workers_with_it_is_named_when_the_others_are_done() -> None:
    """The others too that Dask blames, because they waited at the worker that died."""
    tasks = {name: (name,) for name in ("a", "dies", "b", "refuses", "c")}
    done = []
    with pytest.raises(StageError) as raised:
        for _, result in runtime.run_tasks(Runtime("dask", workers=2), work, tasks):
            done.append(result)
    assert sorted(done) == ["a", "b", "c"]
    assert str(raised.value) == (
        "2 of 5 tasks failed; the others were done:\n"
        f"  dies: {runtime.WORKER_DIED}\n"
        "  refuses: M is 3; allowed: multiples of 2"
    )


@pytest.mark.slow
def test_a_worker_without_the_project_is_told_of(project: Project, tmp_path: Path) -> None:
    before = trained(project)
    project.forget()
    with scheduler(project) as address, worker(project, address, tmp_path):
        done = project.run(*TRAIN, "runtime.engine=dask", f"runtime.address={address}")
    assert done.returncode == 1
    assert "cannot import the project; start workers in its folder: python -m dask worker" in done.stdout
    assert trained(project) == before


def test_a_worker_with_other_code_is_refused() -> None:
    ours = runtime.code_versions()
    assert runtime._by_the_same_code(ours, sum, ([1, 2],)) == (3, None)
    result, failure = runtime._by_the_same_code(ours | {"numpy": "1.0"}, sum, ([1, 2],))
    assert result is None
    assert failure == f"a Dask worker is not like this machine: numpy {ours['numpy']}, not 1.0"


@pytest.mark.slow
def test_an_address_where_nobody_answers_is_told_of(project: Project) -> None:
    project.forget()
    done = project.run(*TRAIN, "runtime.engine=dask", "runtime.address=tcp://127.0.0.1:9")
    assert done.returncode == 1
    assert "'tcp://127.0.0.1:9': no Dask scheduler answers there" in done.stdout
