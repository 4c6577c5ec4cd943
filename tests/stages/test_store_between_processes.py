"""data/store where a process is killed, where several share it, and on a cluster."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from copies import SMOKE, Place, Project, from_store
from one_training import PAIR, TRAIN, entries, prepared, trained

from stages.train import train


def endless(project: Project) -> Iterator[subprocess.Popen[str]]:
    """A training that has finished iris and is at caesarian, which is endless."""
    long = ["datasets.iris.iterations=1", "datasets.caesarian.iterations=10000000", "max_iterations=null"]
    with project.started(*TRAIN, *long) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "iris done" in line:
                break
        yield process


@pytest.mark.slow
def test_a_killed_stage_repeats_only_what_was_at_work(
    place: Place, runnable: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    place.write_parameters(prepared(place))
    for process in endless(runnable):
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(60)
    short = ["datasets.iris.iterations=1", "datasets.caesarian.iterations=2", "max_iterations=null"]
    parameters = place.variant(SMOKE, *short)
    train(parameters, *PAIR)
    assert from_store(capsys.readouterr().out) == 2  # both runs of iris
    resumed = trained(place)
    place.forget()
    train(parameters, *PAIR)
    assert from_store(capsys.readouterr().out) == 0
    assert trained(place) == resumed


# Trains again for each line that it reads.
TRAINER = """
import sys
from stages.config import composition
from stages.train import train
composition.register()
parameters = composition.compose_stage([])
for _ in sys.stdin:
    train(parameters, "comparison", "modnf", "bbo")
    print("trained", flush=True)
"""


@pytest.mark.slow
def test_two_processes_may_share_a_store(
    place: Place, runnable: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both at once, from nothing, this one at a smaller size: the same bytes, and no entry is damaged."""
    parameters = prepared(place)
    place.write_parameters(parameters)
    train(parameters, *PAIR)
    expected = trained(place)
    place.forget()
    other = place.root.parent / "other"
    shutil.copytree(place.root, other)
    (place.root / "data/store").mkdir()
    (other / "data/store").symlink_to(place.root / "data/store")
    parameters.runtime.store_mib = 1
    said = ""
    with subprocess.Popen(
        [sys.executable, "-c", TRAINER],
        cwd=other, env=runnable.environment(), stdin=-1, stdout=-1, stderr=-2, text=True,
    ) as process:  # fmt: skip
        assert process.stdin is not None and process.stdout is not None
        for _ in range(3):
            print("go on", file=process.stdin, flush=True)
            train(parameters, *PAIR)
            for line in iter(process.stdout.readline, "trained\n"):
                said += line
                assert line, said
            assert trained(place) == trained(Place(other)) == expected
            for path in entries(place.root)[::2]:
                path.unlink()
        process.stdin.close()
    assert "damaged" not in said + capsys.readouterr().err
    assert not list((place.root / "data/store").rglob(".*"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Port .* is already in use")  # by a cluster of another test
def test_a_cluster_uses_the_store_of_the_one_who_asks(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is started on this machine, where no address is given."""
    pytest.importorskip("distributed")
    here, dask = prepared(place), place.variant(SMOKE, "runtime.engine=dask", "runtime.workers=1")
    train(here, *PAIR)
    expected = trained(place)
    place.forget()
    capsys.readouterr()
    for parameters, reused in ((dask, 0), (here, 4), (dask, 4)):
        shutil.rmtree(place.root / "data/models")
        train(parameters, *PAIR)
        assert from_store(capsys.readouterr().out) == reused
        assert trained(place) == expected
