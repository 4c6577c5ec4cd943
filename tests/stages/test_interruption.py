"""Stopped at any moment and started again, the pipeline ends as if nothing had happened."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
import yaml
from copies import Outcome, Project, copy_of

from stages.config import composition
from stages.tools import recover

KILLS = 8  # at least
NOT_CACHED = {
    "params",
    "fetch",
    "evaluate",
    "plot",
    "report",
}  # by DVC: their outputs stay, or there are none
PAIR = ("study=comparison", "model=modnf", "optimizer=bbo")


def results(project: Project) -> dict[str, bytes]:
    """All that the stages have made, but for how long it took."""
    made = {
        name: data
        for name, data in project.contents().items()
        if name.startswith(("data/", "reports/")) and not name.startswith(("data/raw", "data/provenance"))
    }
    return {name: made[name] for name in made if not name.endswith(("provenance.json", "index.html"))}


def repro_until(
    project: Project, stages: int, seconds: float, how: signal.Signals
) -> tuple[int | None, Outcome]:
    """`dvc repro`; so many seconds after it began the n-th stage, its process group gets a signal.

    Returns its exit code, None if it was stopped, and what it said.
    """
    path = project.root.parent / "output"
    with path.open("w") as output, project.started("dvc", "repro", output=output) as process:
        while process.poll() is None and path.read_text().count("Running stage '") < stages:
            time.sleep(0.01)
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        stopped = process.poll() is None
        if stopped:
            os.killpg(process.pid, how)
        process.wait(60)
    return None if stopped else process.returncode, Outcome(path.read_text())


def lock_of(project: Project) -> dict[str, object]:
    """What DVC has written down as done; nothing, where it was stopped while writing."""
    try:
        return dict(yaml.safe_load((project.root / "dvc.lock").read_text())["stages"])
    except (FileNotFoundError, yaml.YAMLError, TypeError, KeyError):
        return {}


@pytest.mark.slow
def test_a_run_stopped_at_any_moment_ends_as_one_that_was_not(
    finished: tuple[Project, Outcome], sources: Project, tmp_path: Path
) -> None:
    """Without repeating a training, even where DVC was stopped while it wrote dvc.lock."""
    begin = time.monotonic()
    sources.succeed("dvc", "root")
    unit = time.monotonic() - begin  # about what a stage takes on this machine
    rng = random.Random(8)
    project = copy_of(sources, tmp_path)
    shutil.copy(finished[0].root / "params.yaml", project.root)
    done: set[str] = set()
    code, stops, mended = None, 0, 0
    while code != 0:
        how = signal.SIGINT if stops % 5 == 4 else signal.SIGKILL
        n = rng.choice([0, 1, 1, 2]) if stops < KILLS else 1000
        code, outcome = repro_until(project, n, rng.uniform(0, 2 * unit), how)
        assert not done & outcome.ran, outcome.text
        stops += code is None
        if stops == KILLS and code is None and (lock := project.root / "dvc.lock").exists():
            lock.write_text(lock.read_text()[: lock.stat().st_size // 2] + "\n  si")
        last = re.findall("Running stage '(.+)'", outcome.text)[-1:]  # may have been at work
        done = (done | outcome.ran).difference(last) - (NOT_CACHED - lock_of(project).keys())
        if code:  # as `make repro` does
            mended += "recover: removed dvc.lock" in project.succeed("python", "-m", "stages.tools.recover")
    assert stops >= KILLS and mended
    assert results(project) == results(finished[0])
    assert lock_of(project) == lock_of(finished[0])
    assert project.repro().ran == set()


@pytest.fixture
def rwlock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """DVC's list of who is at work, in an empty project."""
    monkeypatch.setattr(composition, "ROOT", tmp_path)
    path = tmp_path / ".dvc/tmp/rwlock"
    path.parent.mkdir(parents=True)
    return path


def held_by(pid: int) -> str:
    return json.dumps({"write": {"data/tables": {"pid": pid, "cmd": "dvc repro"}}, "read": {}})


def test_a_list_of_who_is_at_work_is_removed_when_nobody_is(rwlock: Path) -> None:
    for text in (
        "",
        '{"write": {"da',
        held_by(os.getpid()),
    ):  # the last: a number that went to another process
        rwlock.write_text(text)
        assert recover.recover() == [rwlock]
        assert not rwlock.exists()
        assert recover.recover() == []


def test_it_stays_while_a_dvc_is_at_work(rwlock: Path) -> None:
    at_work = subprocess.Popen([sys.executable, "-c", "input()", "dvc"], stdin=subprocess.PIPE)
    try:
        for text in (held_by(at_work.pid), "{}"):
            rwlock.write_text(text)
            assert recover.recover() == []
            assert rwlock.read_text() == text
    finally:
        at_work.communicate(b"\n")


def test_a_lock_is_not_touched_while_a_dvc_is_at_work(rwlock: Path) -> None:
    """It may be half written at this moment: DVC holds its lock, or is in its own list."""
    from dvc.lock import Lock

    lock = composition.ROOT / "dvc.lock"
    lock.write_text("stages:\n  fetch:\n    cm")
    held = Lock(str(rwlock.with_name("lock")), tmp_dir=str(rwlock.parent))
    with held:
        assert recover.recover() == [] and lock.exists()
    at_work = subprocess.Popen([sys.executable, "-c", "input()", "dvc"], stdin=subprocess.PIPE)
    try:
        rwlock.write_text(held_by(at_work.pid))
        assert recover.recover() == [] and lock.exists()
    finally:
        at_work.communicate(b"\n")
    assert recover.recover() == [rwlock, lock]


def test_a_list_that_is_being_written_is_read_again(rwlock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_work = subprocess.Popen([sys.executable, "-c", "input()", "dvc"], stdin=subprocess.PIPE)
    try:
        whole = held_by(at_work.pid)
        rwlock.write_text(whole[:20])
        monkeypatch.setattr(recover, "sleep", lambda seconds: rwlock.write_text(whole))
        assert recover.recover() == [] and rwlock.read_text() == whole
    finally:
        at_work.communicate(b"\n")


@pytest.mark.parametrize("content", [b"\xff\xfe stages", b"", b"- a\n", b"stages: [", b"schema: '2.0'\n\0"])
def test_a_lock_that_no_dvc_can_read_is_removed(rwlock: Path, content: bytes) -> None:
    lock = composition.ROOT / "dvc.lock"
    lock.write_bytes(content)
    assert recover.recover() == [lock]
    rwlock.write_bytes(b"[1]")
    assert recover.recover() == [rwlock]


@pytest.mark.slow
def test_a_worker_that_is_killed_changes_no_byte(project: Project) -> None:
    # iris has the larger cells and is begun first: once it is done, both workers are at caesarian
    command = ["python", "-m", "stages.train", *PAIR, "max_iterations=null"]
    command += ["datasets.iris.iterations=1", "datasets.caesarian.iterations=800"]
    project.succeed(*command, "runtime.workers=1")
    expected = results(project)
    for path in project.root.glob("data/models/comparison/modnf-bbo/*"):
        path.unlink()
    project.forget()
    with project.started(*command, "runtime.workers=2") as process:
        assert process.stdout is not None
        assert "iris done" in [process.stdout.readline() for _ in range(2)][-1]
        workers = psutil.Process(process.pid).children(recursive=True)
        workers = [worker for worker in workers if "popen_loky" in " ".join(worker.cmdline())]
        assert len(workers) == 2
        workers[0].kill()
        output, _ = process.communicate(timeout=120)
    assert process.returncode == 0, output
    assert results(project) == expected


@pytest.mark.slow
def test_a_full_disk_ends_the_stage_and_leaves_what_was_there(project: Project) -> None:
    before = project.contents()
    done = project.run("bash", "-c", f"ulimit -f 1; exec python -m stages.train {' '.join(PAIR)} seed=5")
    assert done.returncode == 1 and "iris.npz: File too large" in done.stdout, done.stdout
    assert "Traceback" not in done.stdout
    assert project.contents() == before
    assert project.repro().ran == set()
